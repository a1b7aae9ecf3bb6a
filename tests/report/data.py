"""Prints the data of a page of --report as lines for FileCheck, and fails if the page refers to anything outside itself.
data.py [--limits] PAGE.html"""

import html.parser
import json
import re
import sys

REFERENCES = "src", "href", "srcset", "action", "data", "poster", "background", "formaction"


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.inside, self.parts, self.ids, self.links = None, {}, set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        assert tag not in ("iframe", "object", "embed", "base", "img"), tag
        for name in REFERENCES:
            if at.get(name):
                self.links.append(at[name])
        if at.get("id"):
            assert at["id"] not in self.ids, at["id"]
            self.ids.add(at["id"])
        self.inside = at.get("type", tag) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside:
            assert self.inside not in self.parts, "two elements of " + self.inside
            self.parts[self.inside] = text


def seconds(x):
    for least, unit, by in (1, "s", 1), (1e-3, "ms", 1e3), (0, "us", 1e6):
        if x >= least:
            return f"{x * by:.4g} {unit}"


def many(n, word):
    return f"{n} {word}" + ("" if n == 1 else "s")


def split_text(split):
    """Axes by number per dimension: `(0) ()`; a sub-axis is `(0:2:2)`, a strided dimension `2*(),4*(0)`."""
    def axis(a):
        return str(a) if isinstance(a, int) else ":".join(map(str, a))

    def factor(f):
        return (f"{f[0]}*" if f[0] else "") + "(" + ",".join(map(axis, f[1:])) + ")"

    return " ".join(",".join(map(factor, dim)) for dim in split)


def main():
    path = sys.argv[-1]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    for link in page.links:
        assert link == "data:," or link.startswith("#") and link[1:] in page.ids, link
    # The one address is the name of SVG, which nothing loads.
    addresses = set(re.findall(r"\b[a-z]+://[^\s\"']+", page.parts["style"] + page.parts["script"]))
    assert addresses <= {"http://www.w3.org/2000/svg"}, addresses
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(", page.parts["style"] + page.parts["script"])
    assert "<" not in page.parts["application/json"]
    data = json.loads(page.parts["application/json"])
    timeline, unit = data["timeline"], data["timeline"]["unit_seconds"]
    if "--limits" in sys.argv:
        bars = sum(len(s["bars"]) for s in timeline["streams"])
        print("at most 5000 bars:", "merged" if bars <= 5000 and timeline["merged_bars"] else "all drawn")
        print(f"{len(data['tensors'])} tensors, {data['tensors_left_out']['count']} left out")
        print("under 2 MB" if len(text) < 2e6 else "too large")
        return
    axes = ",".join(f"{a['name']}={a['size']}" for a in data["mesh"]["axes"])
    order = data["mesh"].get("device_ids")
    print(f"machine {data['machine']['name']} {data['machine']['shape']} on {data['devices']} devices,",
          f"mesh {axes}" + (f" order {order}" if order else ""))
    print(f"{seconds(data['seconds'])} per step, {data['peak_bytes']} of {data['usable_bytes']} bytes,",
          "fits" if data["fits"] else "does not fit")
    for stream in timeline["streams"]:
        waiting = sum(b[1] for b in stream["bars"] if b[2] == 2) * unit
        print(f"stream {stream['name']}: {many(len(stream['bars']), 'bar')}, {seconds(stream['busy_seconds'])} busy"
              + (f", {seconds(waiting)} waiting" if waiting else ""))
    for part in data["parts"]:
        name = f"waiting for {part['name']} over {part['axes']}" if part["waits"] else part["name"]
        print(f"part {name}: {seconds(part['seconds'])}")
    for s in data["shardings"]:
        print(f"sharding {s['sharding']}: {many(s['count'], 'argument')}, {s['bytes']} bytes per device, {s['global_bytes']} in all")
    for t in sorted(data["tensors"], key=lambda t: (t["role"], t["index"])):
        print(t["role"], t["name"], t["type"], t["sharding"], *(["split", split_text(t["split"])] if "split" in t else []))
    memory = data["memory"]
    print(f"memory: at most {max(p[1] for p in memory['points'])} bytes,",
          ", ".join(f"{k} {v}" for k, v in memory["peak_parts"].items()))
    for value in data["peak_values"]:
        print(f"alive: {value['bytes']} bytes {value['kind']} {value['value']}")
    for cause in data["causes"]:
        op = cause["op"] or {}
        print(f"cause: {cause['kind']} over {','.join(cause['axes'])} at {(op.get('file') or '?').split('/')[-1]}:{op.get('line')},",
              f"{cause['bytes']} bytes, {seconds(cause['seconds'])}, exposed {seconds(cause['exposed_seconds'])}: {cause['why']}")
    print("plan" if "plan" in data else "no plan")


main()
