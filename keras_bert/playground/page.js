// Clicks in a picture: a point of a map opens its text, and what has data-set
// sets fields of its view.
const clicks = (element, trigger) =>
  element.addEventListener("click", ({ target }) => {
    const point = target.closest("[data-pick]");
    if (point) point.closest("form").elements.pick[point.dataset.pick].click();
    const setter = target.closest("[data-set]");
    if (setter) trigger("select", JSON.parse(setter.dataset.set));
  });

// A picture of a text that is not the one in the field any more is old.
document.addEventListener("input", ({ target }) => {
  const picture = target.closest("[role=tabpanel]").querySelector(".picture");
  const isText = target.matches("textarea, input[type=text]");
  if (isText) picture.classList.add("old");
});

// Until then the address is that which was asked for, and not to be written.
let isOpen = false;
const opened = () => {
  isOpen = true;
};

// Before an answer is asked for, the address gets the settings that differ from
// those at first, so that it can be shared; not those of long texts.
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
