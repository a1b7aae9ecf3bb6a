#!/usr/bin/env python3
"""Shows pages of --report in headless Chromium and checks them as a reader would: no errors on the console, nothing
wider than a phone, every control reached by the Tab key, a tooltip on hover, keys that move. Needs Debian's chromium; the
DevTools protocol goes over a pipe, so Python's standard library is enough.

    tests/report/browser.py PAGE.html… [--shots DIR]

Exit status: 0 passed, 1 failed, 77 skipped (no Chromium).
"""

import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
COMPUTE_STREAM = 60  # pixels from the top of the timeline
BROWSERS = "chromium", "chromium-browser", "google-chrome"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe"
).split()


class Browser:
    """A Chromium process. Commands are written to its descriptor 3 and answers come from 4, each ended by NUL."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="tessera-browser-")
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()

        def prepare():  # in the child: the ends that it needs become 3 and 4
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3), os.dup2(b, 4)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self.profile}"], close_fds=False, preexec_fn=prepare,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(to_write)
        self.number, self.rest, self.events = 0, b"", []

    def receive(self):
        while b"\0" not in self.rest:
            block = os.read(self.answers, 1 << 16)
            if not block:
                raise RuntimeError("Chromium ended")
            self.rest += block
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """One tab with one page, at a given size and colour scheme."""

    def __init__(self, browser, path, width, height, dark, phone):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        if phone:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])  # scrolls at once
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("document.readyState === 'complete'")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def js(self, text):
        answer = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{text}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not self.js(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"still false after {seconds} s: {condition}")
            time.sleep(0.05)

    def frame(self):
        """Until everything is drawn."""
        self.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def key(self, name, modifiers=0):
        codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38, "Enter": 13, "Escape": 27}
        for kind in "keyDown", "keyUp":
            extra = {"text": name} if len(name) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, modifiers=modifiers,
                      windowsVirtualKeyCode=codes.get(name, 0), **extra)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def middle(self, selector, x=0.5, y=0.5):
        box = self.js(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
          e.scrollIntoView({{block: "center", behavior: "instant"}}); const b = e.getBoundingClientRect();
          return [b.left, b.top, b.width, b.height]; }})()""")
        self.frame()
        return box[0] + x * box[2], box[1] + y * box[3]

    def shot(self, path, whole=True):
        self.frame()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def full_shot(self, path):
        """The page from top to bottom."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def errors(self):
        """What the console, uncaught exceptions and the network report."""
        self.js("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append("exception: " + details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append("console: " + str([a.get("value") for a in params["args"]]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append("log: " + params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not re.match(r"(file|data|blob):", params["request"]["url"]):
                found.append("request: " + params["request"]["url"])
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


class Checks:
    def __init__(self, name):
        self.name, self.failed, self.count = name, 0, 0

    def equal(self, what, got, expected):
        self.true(f"{what}: {got!r}, expected {expected!r}", got == expected)

    def true(self, what, good):
        self.count += 1
        if not good:
            self.failed += 1
            print(f"{self.name}: FAILED: {what}")


VISIBLE_CONTROLS = """[...document.querySelectorAll("a[href], button, input, select, [tabindex='0']")]
  .filter(e => e.offsetParent !== null || e instanceof SVGElement || getComputedStyle(e).position === "fixed")
  .filter(e => e.getClientRects().length)"""

DESCRIBE = "(e => (e.id ? '#' + e.id : e.tagName.toLowerCase()) + ' ' + (e.textContent || '').trim().slice(0, 30))"


def check_layout(page, checks):
    checks.true("the page scrolls sideways",
                page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    wide = page.js("""[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll-x, .scroll-y, nav, .skip, #tip"))
      .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '#' + e.id).slice(0, 5)""")
    checks.equal("elements beyond the right edge", wide, [])
    checks.true("a heading is empty", page.js("[...document.querySelectorAll('h1, h2, h3')].filter(e => e.offsetParent)"
                                              ".every(e => e.textContent.trim())"))
    odd = page.js("(document.body.innerText.match(/undefined|NaN|Infinity|\\[object [A-Za-z]*\\]/g) || []).slice(0, 5)")
    checks.equal("words of an error in the script", odd, [])
    for name in "timeline-canvas", "memory-canvas":
        colours = page.js(f"""(() => {{ const from = document.getElementById("{name}"), c = from.cloneNode(), s = new Set();
          c.width = from.width, c.height = from.height;
          const k = c.getContext("2d", {{willReadFrequently: true}});
          k.drawImage(from, 0, 0);
          const d = k.getImageData(0, 0, c.width, c.height).data;
          for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return s.size; }})()""")
        checks.true(f"{name} has {colours} colours: it is empty", colours > 4)


def check_contrast(page, checks):
    """Text has at least 4.5 times the luminance of its background, or the reverse (WCAG AA)."""
    bad = page.js("""(() => {
      const rgb = (t) => (t.match(/[\\d.]+/g) || []).map(Number);
      const lum = ([r, g, b]) => { const f = [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
      const out = [];
      for (const e of document.querySelectorAll("h1, h2, h3, h4, p, td, th button, li, a, button, label, .value, .more, .name")) {
        if (!e.offsetParent || !e.textContent.trim() || e.closest("#tip, .skip")) continue;
        let back = null;
        for (let n = e; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor); if (c.length === 3 || c[3] > 0) { back = c; break; } }
        const a = lum(rgb(getComputedStyle(e).color)), b = lum(back || [255, 255, 255]);
        if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) out.push(e.tagName + " " + e.textContent.trim().slice(0, 30));
      }
      return out.slice(0, 5); })()""")
    checks.equal("text of low contrast", bad, [])


def check_links(page, checks):
    broken = page.js("""[...document.querySelectorAll("a[href]")].filter(a => !a.getAttribute("href").startsWith("#") ||
      !document.getElementById(a.getAttribute("href").slice(1))).map(a => a.getAttribute("href"))""")
    checks.equal("links that lead nowhere", broken, [])


def check_tab(page, checks):
    """Tab visits every control that can be seen, and nothing twice before the end."""
    page.js(f"window.controls = {VISIBLE_CONTROLS}; window.seen = new Set(); document.activeElement.blur()")
    n = page.js("controls.length")
    for _ in range(n + 5):
        page.key("Tab")
        page.js("seen.add(document.activeElement)")
    missed = page.js(f"controls.filter(e => !seen.has(e)).map({DESCRIBE})")
    checks.equal("controls that Tab does not reach", missed, [])
    hidden = page.js(f"[...seen].filter(e => e !== document.body && !e.getClientRects().length).map({DESCRIBE})")
    checks.equal("hidden elements that Tab reaches", hidden, [])


def tip(page):
    return page.js("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")


def hover(page, x, y):
    """The tooltip there. Scrolling hides it, and the event of the last scroll may come late."""
    for shift in range(5):
        page.move(x + shift % 2, y)
        page.frame()
        if tip(page):
            break
    return tip(page)


def check_hover(page, checks):
    for what, selector, x, y, text in (
            ("a device", "#mesh-figure g", 0.5, 0.5, "Device"),
            ("a tile", "#tiles-figure rect", 0.5, 0.5, "device"),
            ("the memory curve", "#memory-canvas", 0.4, 0.6, "alive"),
            ("a part of the step", "#parts-bar span", 0.5, 0.5, "of the step")):
        if not page.js(f"!!document.querySelector({json.dumps(selector)})"):
            continue
        found = hover(page, *page.middle(selector, x, y))
        checks.true(f"hover on {what} shows {found!r}", text in found)
        page.move(2, 2)
    if not has_bars(page):
        return
    # Some pixel of the compute stream has a bar.
    found = ""
    x, y = page.middle("#timeline-canvas", 0, 0)
    for i in range(40):
        found = hover(page, x + 30 * i + 5, y + COMPUTE_STREAM)
        if found:
            break
    checks.true(f"hover on the timeline shows {found!r}", re.search(r"\d ?[mun]?s from ", found))
    page.key("Escape")
    checks.equal("the tooltip after Escape", tip(page), "")


def check_keys(page, checks):
    def focus(name):
        page.middle("#" + name)
        page.js(f"document.getElementById('{name}').focus({{preventScroll: true}})")
        page.frame()

    text = lambda name: page.js(f"document.getElementById('{name}').textContent")
    focus("timeline-canvas")
    page.key("Home")
    first = text("timeline-facts")
    expected = "Stream: compute" if has_bars(page) else "No op takes time"
    checks.true(f"Home on the timeline selects {first!r}", expected in first)
    checks.true("Home on the timeline shows no tooltip", tip(page) or not has_bars(page))
    page.key("ArrowRight")
    if page.js("JSON.parse(document.getElementById('data').textContent).timeline.streams[0].bars.length") > 1:
        checks.true("ArrowRight selects nothing else", text("timeline-facts") != first)
    before = page.js("document.getElementById('timeline-canvas').toDataURL()")
    page.key("+"), page.key("+")
    zoomed = page.js("document.getElementById('timeline-canvas').toDataURL()")
    checks.true("+ does not zoom", zoomed != before)
    page.key("ArrowRight", 8)
    checks.true("Shift and ArrowRight do not pan", page.js("document.getElementById('timeline-canvas').toDataURL()") != zoomed)
    page.key("0")
    page.key("ArrowLeft")
    if page.js("JSON.parse(document.getElementById('data').textContent).devices") > 1:
        focus("mesh-figure")
        page.js("window.deviceBefore = document.getElementById('device-facts').textContent")
        page.key("ArrowRight")
        checks.true("ArrowRight selects no other device", page.js("String(deviceBefore)") != text("device-facts"))
    focus("memory-canvas")
    page.key("ArrowRight")
    checks.true("ArrowRight selects no point of memory", "alive" in text("memory-facts"))
    row = page.js("(() => { const r = document.querySelector('#tensor-table tr[tabindex=\"0\"]'); if (!r) return null; r.focus(); "
                  "return document.querySelectorAll('#tensor-table tbody tr').length; })()")
    if row and row > 1:
        one = text("where-title")
        page.key("ArrowDown")
        two = text("where-title")
        if one == two:
            page.key("ArrowUp")
        checks.true("ArrowDown and ArrowUp select no other tensor", text("where-title") != one)


def picture(page):
    return page.js("document.getElementById('timeline-canvas').toDataURL()")


def check_mouse(page, checks):
    """Control and the wheel zoom, dragging pans, the wheel alone scrolls the page."""
    page.js("document.getElementById('zoom-all').click()")
    x, y = page.middle("#timeline-canvas", 0.4, 0.5)
    before = picture(page)
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-200, modifiers=2)
    page.frame()
    zoomed = picture(page)
    checks.true("Control and the wheel do not zoom", zoomed != before)
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x - 90, y=y, button="left", buttons=1)
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x - 90, y=y, button="left", clickCount=1)
    page.frame()
    panned = picture(page)
    checks.true("dragging does not pan", panned != zoomed)
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=150)
    page.frame()
    checks.true("the wheel alone changes the timeline", picture(page) == panned)
    page.js("document.getElementById('zoom-all').click()")
    for name in "zoom-in", "pan-right", "pan-left", "zoom-out":
        before = picture(page)
        page.js(f"document.getElementById('{name}').click()")
        checks.true(f"the button {name} does nothing", picture(page) != before)


def has_bars(page):
    return page.js("JSON.parse(document.getElementById('data').textContent).timeline.streams[0].bars.length") > 0


def check_touch(page, checks):
    """Two fingers zoom, one finger pans, a tap selects."""
    page.js("document.getElementById('zoom-all').click()")
    x, y = page.middle("#timeline-canvas", 0.5, 0)
    y += COMPUTE_STREAM

    def touch(kind, *points):
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": px, "y": y, "id": i} for i, px in enumerate(points)])

    before = picture(page)
    touch("touchStart", x - 20, x + 20)
    for step in range(1, 7):
        touch("touchMove", x - 20 - 15 * step, x + 20 + 15 * step)
    touch("touchEnd")
    page.frame()
    zoomed = picture(page)
    checks.true("two fingers do not zoom", zoomed != before)
    touch("touchStart", x)
    for step in range(1, 7):
        touch("touchMove", x - 15 * step)
    touch("touchEnd")
    page.frame()
    checks.true("one finger does not pan", picture(page) != zoomed)
    if not has_bars(page):
        return
    page.js("document.getElementById('zoom-all').click()")
    page.js("document.getElementById('timeline-facts').textContent = ''")
    touch("touchStart", x)
    touch("touchEnd")
    page.frame()
    checks.true("a tap selects nothing", "Stream" in page.js("document.getElementById('timeline-facts').textContent"))


def check_plan(page, checks):
    if not page.js("'plan' in JSON.parse(document.getElementById('data').textContent)"):
        checks.true("a page without a plan has the section", page.js("document.getElementById('plan').hidden"))
        return
    checks.true("the plan is hidden", page.js("!document.getElementById('plan').hidden"))
    checks.true("runner-up plans have no row", page.js("document.querySelectorAll('#runner-table tbody tr').length") > 1)
    page.middle("#search-canvas")
    page.js("document.getElementById('search-canvas').focus({preventScroll: true})")
    page.key("ArrowLeft")
    checks.true("ArrowLeft selects no point of the search",
                "bound" in page.js("document.getElementById('search-facts').textContent"))


def check_sort(page, checks):
    for table in "tensor-table", "cause-table", "peak-table":
        n = page.js(f"document.querySelectorAll('#{table} th button').length")
        for i in range(n):
            page.js(f"document.querySelectorAll('#{table} th button')[{i}].click()")
            checks.true(f"column {i} of {table} does not sort",
                        page.js(f"!!document.querySelectorAll('#{table} th')[{i}].getAttribute('aria-sort')"))
    for value in "line", "kind", "cause":
        page.js(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('group'))")
        checks.true(f"grouped by {value}, collectives have no row",
                    page.js("document.querySelectorAll('#cause-table tbody tr').length") > 0)


def check_tiles(page, checks, expected):
    """What devices hold of a tensor, against slices given by the caller: {tensor: [slice of device 0, …]}."""
    for name, slices in expected.items():
        page.js(f"""[...document.querySelectorAll('#tensor-table tbody tr')].find(r =>
          r.cells[0].firstChild.textContent === {json.dumps(name)}).click()""")
        page.js("document.getElementById('mesh-figure').focus()")
        page.key("ArrowRight"), page.key("ArrowLeft")
        for _ in range(len(slices)):
            page.key("ArrowLeft")
        for i, piece in enumerate(slices):
            got = page.js("document.getElementById('device-facts').textContent")
            checks.true(f"device {i} of {name}: {got!r} has not {piece!r}", piece in got)
            page.key("ArrowRight")


def check_page(browser, path, shots, expected):
    name, failed, count = os.path.basename(path), 0, 0
    for where, width, height, phone in ("desktop", 1280, 900, False), ("phone", 390, 844, True):
        for scheme in "light", "dark":
            checks = Checks(f"{name} {where} {scheme}")
            page = Page(browser, path, width, height, scheme == "dark", phone)
            page.frame()
            if shots:
                stem = os.path.join(shots, f"{name.removesuffix('.html')}-{where}-{scheme}")
                page.full_shot(stem + ".png")
            check_layout(page, checks)
            check_contrast(page, checks)
            if scheme == "light":  # the rest does not depend on colours
                check_links(page, checks)
                check_tab(page, checks)
                if not phone:
                    check_hover(page, checks)
                    check_mouse(page, checks)
                else:
                    check_touch(page, checks)
                check_keys(page, checks)
                check_plan(page, checks)
                check_sort(page, checks)
                if expected:
                    check_tiles(page, checks, expected)
                check_layout(page, checks)
            if shots and not phone:
                x, y = page.middle("#timeline-canvas", 0.5, 0)
                hover(page, x, y + COMPUTE_STREAM)
                page.shot(stem + "-tip.png", False)
            checks.equal("errors", page.errors(), [])
            if shots and not phone and scheme == "light":
                data = page.call("Page.printToPDF", printBackground=True)["data"]
                with open(stem + ".pdf", "wb") as file:
                    file.write(base64.b64decode(data))
            page.close()
            failed, count = failed + checks.failed, count + checks.count
    print(f"{name}: {count} checks, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--shots", help="write screenshots there")
    parser.add_argument("--tiles", help="JSON: {tensor: [slice of device 0, …]}, for every page")
    options = parser.parse_args()
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not path:
        print("skipped: no Chromium is installed (apt-get install chromium)")
        return SKIPPED
    if options.shots:
        os.makedirs(options.shots, exist_ok=True)
    browser = Browser(path)
    try:
        return 1 if sum(check_page(browser, p, options.shots, json.loads(options.tiles or "{}")) for p in options.pages) else 0
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
