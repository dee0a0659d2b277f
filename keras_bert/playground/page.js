// Handle clicks on a picture: a point of a map opens its text, and an element
// with data-set sets fields of the tab.
const clicks = (element, trigger) =>
  element.addEventListener("click", ({ target }) => {
    const point = target.closest("[data-pick]");
    if (point) point.closest("form").elements.pick[point.dataset.pick].click();
    const setter = target.closest("[data-set]");
    if (setter) trigger("select", JSON.parse(setter.dataset.set));
  });

// Mark a picture as old if its text field has changed.
document.addEventListener("input", ({ target }) => {
  const picture = target.closest("[role=tabpanel]").querySelector(".picture");
  const isText = target.matches("textarea, input[type=text]");
  if (isText) picture.classList.add("old");
});

// The URL is not changed until the page has opened the requested tab.
let isOpen = false;
const opened = () => {
  isOpen = true;
};

// Write the settings that differ from the defaults to the URL before each
// request, so that the URL can be shared. Long texts are not written.
const view = (tab, atFirst) => (...values) => {
  const query = new URLSearchParams({ tab });
  Object.entries(atFirst).forEach(([name, value], place) => {
    if (values[place] !== value) query.set(name, values[place]);
  });
  const isLong = `${query}`.length > 4000;
  const search = isLong ? `?tab=${tab}` : `?${query}`;
  if (isOpen) history.replaceState(null, "", search);
  document.getElementById(tab).classList.remove("old");
  return values.slice(0, Object.keys(atFirst).length);
};
