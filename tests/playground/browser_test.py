"""The page in headless Chromium, run by `make test-playground`.

It saves screenshots of each tab, light, dark and as narrow as a phone, to the
folder SCREENS, by default playground-screens. MODELS is a comma-separated list
of model directories; by default they are tiny models with random weights.
"""

import base64
import json
import os
import pathlib
import shutil
import time
import urllib.parse

import pytest

pytestmark = pytest.mark.browser

_SWITCHES = (
    "headless=new no-sandbox disable-gpu disable-quic no-first-run "
    "disable-background-networking disable-component-update disable-sync"
)
_MODES = {"light": (1280, "light"), "dark": (1280, "dark")}
_MODES["narrow"] = (390, "light")
_SECONDS = 60
_SCREENS = pathlib.Path(os.environ.get("SCREENS") or "playground-screens")
_MODELS = [x for x in os.environ.get("MODELS", "").split(",") if x]
_TINY = ("bert", "classifier", "answerer", "tagger", "chooser")


@pytest.fixture
def open_page():
    """Return a function that opens an address with a width and color scheme."""
    from selenium import webdriver

    chromium, driver = map(shutil.which, ("chromium", "chromedriver"))
    if not (chromium and driver):
        pytest.skip(
            "There is no Chromium here. On Debian: "
            "apt-get install chromium chromium-driver"
        )
    browsers = []

    def open_page(address, width=1280, scheme="light"):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for switch in _SWITCHES.split():
            options.add_argument(f"--{switch}")
        logs = {"performance": "ALL", "browser": "ALL"}
        options.set_capability("goog:loggingPrefs", logs)
        service = webdriver.ChromeService(executable_path=driver)
        browser = webdriver.Chrome(options=options, service=service)
        browsers.append(browser)
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": 900,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            },
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [feature]}
        )
        browser.get(address)
        return browser

    yield open_page
    for browser in browsers:
        browser.quit()


def wait(condition):
    """Wait until a condition is true and return its value."""
    end = time.monotonic() + _SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, "the page did not get there"
        time.sleep(0.1)
    return found


def find(browser, selector):
    return browser.find_elements("css selector", selector)


def displayed(browser, selector):
    return [x for x in find(browser, selector) if x.is_displayed()]


def tabs_of(browser):
    """Return the titles of the tabs by id, in order."""
    config = browser.execute_script("return window.gradio_config")
    return {
        component["props"]["id"]: component["props"]["label"]
        for component in config["components"]
        if component["type"] == "tabitem"
    }


def choose(browser, tab):
    """Open a tab, also from the overflow menu, and wait for its picture."""
    browser.execute_script(
        "for (const x of document.querySelectorAll("
        "'button[role=tab], .overflow-dropdown button'))"
        " if (x.textContent.trim() == arguments[0]) x.click()",
        tabs_of(browser)[tab],
    )
    picture = f"#{tab} :is(table, .bar, .refusal, div.prose)"
    wait(
        lambda: (
            not find(browser, f"#{tab} .pending")
            and displayed(browser, picture)
        )
    )


def photograph(browser, path):
    """Save a screenshot of the whole page."""
    time.sleep(0.8)  # The theme fades in new elements.
    metrics = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})
    size = metrics["cssContentSize"]
    clip = {"x": 0, "y": 0, "scale": 1, **size, "width": size["width"]}
    shot = browser.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"captureBeyondViewport": True, "clip": clip},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(shot["data"]))
    return size["width"]


def asked_hosts(browser):
    """Return the hosts of all requests of the page."""
    hosts = set()
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            parts = urllib.parse.urlsplit(url)
            if parts.scheme not in ("data", "blob"):
                hosts.add(parts.netloc)
    return hosts


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("model", _MODELS or _TINY)
def test_every_tab_is_drawn(directories, serve, open_page, model, mode):
    address = serve(directories.get(model, model))
    width, scheme = _MODES[mode]
    browser = open_page(address, width, scheme)
    wait(lambda: find(browser, ".picture"))
    for tab in tabs_of(browser):
        choose(browser, tab)
        name = f"{pathlib.Path(model).name}-{tab}-{mode}.png"
        assert photograph(browser, _SCREENS / name) <= width
    assert asked_hosts(browser) == {urllib.parse.urlsplit(address).netloc}
    errors = [x for x in browser.get_log("browser") if x["level"] == "SEVERE"]
    assert errors == []


def test_an_address_opens_a_view_and_follows_it(directories, serve, open_page):
    address = serve(directories["bert"])
    browser = open_page(f"{address}?tab=attention&text=the+cat&head=1")
    title = "#attention h3"
    wait(lambda: displayed(browser, title))
    assert find(browser, title)[0].text.startswith("Layer 2, head 1")
    displayed(browser, "#attention .maps button")[1].click()
    wait(lambda: find(browser, title)[0].text.startswith("Layer 1, head 2"))
    query = urllib.parse.urlsplit(browser.current_url).query
    opened = {"tab": "attention", "text": "the cat", "layer": "1"}
    assert dict(urllib.parse.parse_qsl(query)) == opened
