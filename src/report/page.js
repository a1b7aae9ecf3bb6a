// Draws the report from the JSON object in #data. The keys are listed in docs/simulate.md. Text of the user's program is
// only ever set as textContent. Times in `timeline` and `memory` are integers in units of data.timeline.unit_seconds.
"use strict";
(function () {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

// ---- words and elements ----

function scaled(x, steps) {
  const size = Math.abs(x);
  for (const [from, unit, divisor] of steps)
    if (size >= from) return Number((x / divisor).toPrecision(4)).toLocaleString("en", {maximumFractionDigits: 3, useGrouping: false}) + " " + unit;
  return "";
}
const secondsText = (x) => x === 0 ? "0 s" : scaled(x, [[1, "s", 1], [0.9995e-3, "ms", 1e-3], [0.9995e-6, "us", 1e-6], [0, "ns", 1e-9]]);
const bytesText = (x) => Math.abs(x) < 999.5 ? Math.round(x) + (x === 1 ? " byte" : " bytes") :
  scaled(x, [[999.5e9, "TB", 1e12], [999.5e6, "GB", 1e9], [999.5e3, "MB", 1e6], [0, "kB", 1e3]]);
const percentText = (x) => (100 * x).toFixed(1) + " %";
const countText = (x) => Math.round(x).toLocaleString("en");
const plural = (n, word) => countText(n) + " " + word + (n === 1 ? "" : "s");
const baseName = (path) => path ? path.split("/").pop() : "";
const kindText = (name) => name ? name.replace(/^stablehlo\./, "") : "op";
const placeText = (op) => op && op.file ? baseName(op.file) + (op.line ? ":" + op.line : "") : "";

// An element with attributes, listeners (onX) and children; strings become text.
function el(name, attributes, ...children) {
  const svg = /^(svg|g|rect|line|text|path|title)$/.test(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const key in attributes || {}) {
    const value = attributes[key];
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") for (const property in value) node.style.setProperty(property, value[property]);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// A name with places where a line may break: behind dots, slashes and commas.
function breakable(text) {
  return String(text).split(/(?<=[.\/,])/).flatMap((piece, i) => i ? [el("wbr"), piece] : [piece]);
}

// ---- colours ----

let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "card", "line", "text", "soft", "contraction", "compute", "collective", "exposed", "waiting", "loop", "argument", "result", "constant", "temporary", "limit", "focus", "bar-text", "bar-dark", "other"])
    colours[name] = style.getPropertyValue("--" + name).trim();
}

// Tiles: violet over green to yellow, of growing lightness, so that neighbours differ for every kind of sight.
const ramp = [[80, 52, 140], [62, 92, 150], [44, 124, 146], [33, 155, 138], [70, 184, 110], [148, 208, 70], [236, 228, 60]];
function tileColour(index, count) {
  if (count <= 1) return {back: "rgb(44, 110, 150)", text: "#ffffff"};
  const at = (index / (count - 1)) * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2), part = at - low;
  const rgb = [0, 1, 2].map((i) => Math.round(ramp[low][i] + part * (ramp[low + 1][i] - ramp[low][i])));
  const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return {back: "rgb(" + rgb.join(", ") + ")", text: light > 120 ? "#10151d" : "#ffffff"};
}

// ---- tooltip ----

const tip = $("tip");
function showTip(x, y, lines) {
  fill(tip, lines.map((line, i) => el(i ? "span" : "b", i ? {class: "line"} : null, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  let left = x + gap, top = y + gap;
  if (left + box.width > innerWidth - 8) left = Math.max(8, x - box.width - gap);
  if (top + box.height > innerHeight - 8) top = Math.max(8, y - box.height - gap);
  tip.style.left = left + "px";
  tip.style.top = top + "px";
}
function hideTip() { tip.hidden = true; }
addEventListener("scroll", hideTip, {passive: true});
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

// ---- tables ----

// columns: {label, value(row) for sorting, show(row), num, cls, label}. options: sort (column), ascending, cards, pick(row).
// Rows that can be picked are one tab stop; arrow keys move within the table.
const mostPrinted = 40;  // as in page.css
function makeTable(parent, columns, rows, options) {
  let order = options.sort || 0, ascending = !!options.ascending, picked = null, shown = [];
  const head = el("tr"), body = el("tbody");
  const table = el("table", {class: options.cards ? "cards" : null}, el("thead", null, head), body);
  if (options.label) table.setAttribute("aria-label", options.label);
  columns.forEach((column, i) => {
    const button = column.value ? el("button", {type: "button", onclick: () => sortBy(i)}, column.label) : column.label;
    head.append(el("th", {scope: "col", class: [column.num ? "num" : "", column.value ? "" : "plain", column.off ? "off-phone" : ""].join(" ").trim()}, button));
  });
  function sortBy(i) {
    ascending = order === i ? !ascending : !columns[i].num;
    order = i;
    draw();
  }
  function pick(row, focus) {
    picked = row;
    for (const item of shown) {
      const own = item.row === row;
      item.node.setAttribute("aria-selected", own);
      item.node.tabIndex = own ? 0 : -1;
      if (own && focus) item.node.focus();
      else if (own) parent.scrollTop = item.node.offsetTop - parent.clientHeight / 2;
    }
    options.pick(row);
  }
  function onKey(event) {
    const at = shown.findIndex((item) => item.node === event.currentTarget);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1}[event.key];
    if (event.key === "Enter" || event.key === " ") pick(shown[at].row, false);
    else if (to === undefined) return;
    else if (shown[to]) pick(shown[to].row, true);
    event.preventDefault();
  }
  function draw() {
    const value = columns[order].value, sign = ascending ? 1 : -1;
    const sorted = rows.map((row, i) => ({row, i, v: value(row)}));
    sorted.sort((a, b) => (a.v < b.v ? -sign : a.v > b.v ? sign : a.i - b.i));
    [...head.children].forEach((th, i) => {
      if (!columns[i].value) return;
      if (i === order) th.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else th.removeAttribute("aria-sort");
    });
    shown = sorted.map(({row}) => {
      const node = el("tr", {class: options.pick ? "pick" : null}, columns.map((column) =>
        el("td", {class: [column.num ? "num" : "", column.cls || "", column.off ? "off-phone" : ""].join(" ").trim(), "data-label": column.label}, column.show(row))));
      if (options.pick) {
        node.tabIndex = -1;
        node.setAttribute("aria-selected", row === picked);
        node.addEventListener("click", () => pick(row, true));
        node.addEventListener("keydown", onKey);
      }
      return {row, node};
    });
    if (options.pick && shown.length) (shown.find((item) => item.row === picked) || shown[0]).node.tabIndex = 0;
    fill(body, shown.length ? shown.map((item) => item.node) : el("tr", null, el("td", {colspan: columns.length}, options.empty || "none")));
  }
  draw();
  fill(parent, table);
  if (rows.length > mostPrinted) parent.append(el("p", {class: "hint print-only"}, "The first " + mostPrinted + " rows are printed."));
  return {pick, setRows(next) { rows = next; draw(); }};
}

function shareBar(part, colour) {
  return el("span", {class: "share", style: {width: Math.max(1, 80 * part) + "px", background: colour || "var(--argument)"}});
}

// ---- header and overview ----

const total = data.seconds > 0 ? data.seconds : 1;
const axes = data.mesh.axes, nDevices = data.devices;
const machineText = data.machine.name + (data.machine.shape.length ? ":" + data.machine.shape.join("x") : "");
const meshText = axes.length ? axes.map((axis) => axis.name + "=" + axis.size).join(",") : "";
const contractions = new Set(["dot_general", "dot", "convolution", "dynamic_conv", "ragged_dot", "einsum"]);

function drawHeader() {
  const name = baseName(data.program) || "program";
  document.title = name + " on " + machineText + " - Tessera report";
  $("title").textContent = name;
  $("subtitle").textContent = [machineText, plural(nDevices, "device"), meshText && "mesh " + meshText].filter(Boolean).join(", ");
  if (data.plan && data.plan.strategy) {
    $("strategy").textContent = data.plan.strategy.split("\n")[0];
    $("strategy").hidden = false;
  }
  $("foot").textContent = "Written by " + data.tool + " for " + data.program + ". All times and bytes are predicted, for one device; docs/simulate.md describes the model.";
}

function tile(name, value, ...more) {
  return el("div", {class: "tile"}, el("div", {class: "name"}, name), el("div", {class: "value"}, value), more.map((m) => typeof m === "string" ? el("div", {class: "more"}, m) : m));
}

function drawFacts() {
  const part = data.peak_bytes / data.usable_bytes, sent = data.bytes;
  const meter = el("div", {class: data.fits ? "meter" : "meter over", role: "img", "aria-label": percentText(part) + " of the usable memory"},
    el("span", {style: {width: Math.min(100, 100 * part) + "%"}}));
  fill($("facts"),
    tile("Step time", secondsText(data.seconds) + (data.guess ? " *" : ""),
      "compute " + percentText(data.compute_seconds / total) + ", waiting " + percentText(data.exposed_seconds / total)),
    tile("Peak memory", bytesText(data.peak_bytes), meter,
      el("div", {class: "more"}, el("b", {class: data.fits ? "good" : "bad"}, data.fits ? "Fits: " : "Does not fit: "),
        percentText(part) + " of " + bytesText(data.usable_bytes) + " usable")),
    tile("Utilization", percentText(data.utilization), "of the peak FLOP/s" +
      (data.model_utilization === null ? "" : "; " + percentText(data.model_utilization) + " without work that devices repeat")),
    tile("Sent per device", bytesText(sent), "collectives take " + secondsText(data.collective_seconds) + ", of which " + secondsText(data.exposed_seconds) + " are exposed"));
}

const partName = (part) => part.waits ? "waiting for " + part.name + (part.axes ? " over " + part.axes.split(",").join(", ") : "") : part.name;

function drawLimits() {
  const longest = (list) => list.reduce((a, b) => (!a || b.seconds > a.seconds ? b : a), null);
  const compute = longest(data.parts.filter((p) => !p.waits)), waits = longest(data.parts.filter((p) => p.waits));
  const say = [];
  if (!data.seconds) {
    say.push("No op takes time");
  } else if (data.exposed_seconds > data.compute_seconds) {
    say.push("Communication limits the step: " + percentText(data.exposed_seconds / total) + " of it is waiting for collectives");
    if (waits) say.push(", most of it for " + waits.name + (waits.axes ? " over " + waits.axes : "") + " (" + percentText(waits.seconds / total) + ")");
  } else {
    say.push("Compute limits the step: " + percentText(data.compute_seconds / total) + " of it");
    if (compute) say.push(", of which " + compute.name + " takes the most (" + percentText(compute.seconds / total) + " of the step)");
    if (waits) say.push("; the longest wait is for " + waits.name + (waits.axes ? " over " + waits.axes : "") + " (" + percentText(waits.seconds / total) + ")");
  }
  say.push(".");
  const links = data.timeline.streams.slice(1).map((s) => percentText(s.busy_seconds / total) + " on " + s.name.replace("links, ", ""));
  if (links.length) say.push(" Links are busy for " + links.join(", ") + ".");
  $("limits").textContent = say.join("");
  const notes = [];
  if (!data.fits) notes.push(el("p", {class: "note bad"}, "The step needs " + bytesText(data.peak_bytes - data.usable_bytes) + " more per device than the machine has."));
  if (data.undonated_bytes > 0.05 * data.peak_bytes)
    notes.push(el("p", {class: "note"}, bytesText(data.undonated_bytes) + " of results have the types of arguments that are not donated. Donated (jax.jit's donate_argnums) they share buffers."));
  if (data.unknown_loops)
    notes.push(el("p", {class: "note"}, (data.guess ? "* Guess: " : "") + plural(data.unknown_loops, "loop") + " of unknown length counted as " + plural(data.trip_count, "iteration") + "; --trip-count sets it."));
  fill($("notes"), notes);
}

// The longest parts, the others in one.
function drawParts() {
  const most = 11, rows = [];
  for (const waits of [false, true]) {
    const list = data.parts.filter((p) => p.waits === waits), head = list.slice(0, waits ? 6 : most), rest = list.slice(waits ? 6 : most);
    head.forEach((p, i) => rows.push({name: partName(p), seconds: p.seconds, waits, dark: contractions.has(p.name), i}));
    if (rest.length) rows.push({name: waits ? "waiting for other collectives" : plural(rest.length, "other kind") + " of op", seconds: rest.reduce((a, p) => a + p.seconds, 0), waits, rest: true});
  }
  const colour = (row) => row.waits ? "var(--waiting)" : row.dark ? "var(--contraction)" : row.rest ? "var(--other)" : "var(--compute)";
  const swatchClass = (row) => row.waits ? " hatch" : "";
  fill($("parts-bar"), rows.map((row) => {
    return el("span", {class: swatchClass(row).trim() || null, style: {width: 100 * row.seconds / total + "%", "background-color": colour(row)},
      onpointermove: (event) => showTip(event.clientX, event.clientY, [row.name, secondsText(row.seconds), percentText(row.seconds / total) + " of the step"]), onpointerleave: hideTip}, "");
  }));
  $("parts-bar").setAttribute("aria-label", rows.map((r) => r.name + " " + percentText(r.seconds / total)).join(", "));
  fill($("parts"), rows.map((row) => el("li", null,
    el("span", {class: "swatch" + swatchClass(row), style: {"background-color": colour(row)}}), el("span", null, row.name),
    el("span", {class: "right"}, secondsText(row.seconds)), el("span", {class: "right"}, percentText(row.seconds / total)))));
}

// ---- the mesh ----

const strides = axes.map((_, i) => axes.slice(i + 1).reduce((a, axis) => a * axis.size, 1));
const deviceId = (position) => data.mesh.device_ids ? data.mesh.device_ids[position] : position;
const coordinates = (position) => axes.map((axis, i) => Math.floor(position / strides[i]) % axis.size);

// An axis of a split: an index, or [index, pre, size] of a sub-axis.
function axisCoordinate(ref, position) {
  const [axis, pre, size] = typeof ref === "number" ? [ref, 1, axes[ref].size] : ref;
  return Math.floor(position / (strides[axis] * Math.floor(axes[axis].size / (pre * size)))) % size;
}
const axisSize = (ref) => typeof ref === "number" ? axes[ref].size : ref[2];

// The tile of one factor: its index among `count`, and its range of the factor.
function factorTile(factor, dim, position) {
  const size = factor[0] || dim;
  let index = 0, count = 1;
  for (const ref of factor.slice(1)) {
    index = index * axisSize(ref) + axisCoordinate(ref, position);
    count *= axisSize(ref);
  }
  const local = Math.ceil(size / count), from = Math.min(size, index * local);
  return {index, count, size, from, to: Math.min(size, from + local)};
}

const mostRuns = 64;
// What a device holds of a dimension: tile index, tiles in all, and ranges [from, to) of indices; several if it is strided.
function dimTile(tensor, d, position) {
  const dim = tensor.dims[d], factors = tensor.split ? tensor.split[d] : [[0]];
  let index = 0, count = 1, runs = [[0, 1]], cut = false;
  for (const factor of factors) {
    const tile = factorTile(factor, dim, position);
    index = index * tile.count + tile.index;
    count *= tile.count;
    if (tile.count === 1) {
      runs = runs.map(([a, b]) => [a * tile.size, b * tile.size]);
      continue;
    }
    const next = [];
    for (const [a, b] of runs)
      for (let unit = a; unit < b; unit++) {
        if (next.length >= mostRuns) { cut = true; break; }
        next.push([unit * tile.size + tile.from, unit * tile.size + tile.to]);
      }
    runs = next;
  }
  return {index, count, runs, cut};
}

function holding(tensor, position) {
  const dims = tensor.dims.map((_, d) => dimTile(tensor, d, position));
  return {dims, key: dims.map((d) => d.index).join(","), empty: dims.some((d) => d.runs.every(([a, b]) => a >= b))};
}
function sliceText(holds) {
  if (!holds.dims.length) return "all";
  return "[" + holds.dims.map((dim) => {
    const text = dim.runs.slice(0, 3).map(([a, b]) => a + ":" + b).join("|");
    return text + (dim.runs.length > 3 || dim.cut ? "|..." : "");
  }).join(", ") + "]";
}

const mostDevicesDrawn = 4096;
let tensor = null, device = 0, held = [], tiles = new Map();

// Devices are drawn as grids of the last two axes, one grid for each coordinate of the others.
function meshLayout(width) {
  const rank = axes.length;
  let rows = rank > 1 ? axes[rank - 2].size : 1, columns = rank ? axes[rank - 1].size : 1, wrapped = false;
  if (rank === 1 && columns > 16) {
    wrapped = true;
    const most = width < 500 ? 8 : 16;
    rows = Math.ceil(columns / most);
    columns = most;
  }
  const perGrid = rank === 1 ? axes[0].size : rows * columns;
  const nGrids = Math.max(1, Math.round(nDevices / perGrid)), drawn = Math.max(1, Math.min(nGrids, Math.floor(mostDevicesDrawn / perGrid)));
  const left = rank > 1 || wrapped ? 58 : 0, top = 20, gap = 18;
  let across = 1, cell = Math.floor((width - left) / columns);
  if (drawn > 1) {
    across = Math.max(1, Math.min(drawn, Math.floor((width + gap) / (left + gap + columns * 24))));
    cell = Math.floor(((width + gap) / across - gap - left) / columns);
  }
  cell = Math.max(7, Math.min(58, cell));
  const title = nGrids > 1 ? 20 : 0;
  const gridWidth = left + columns * cell, gridHeight = title + top + Math.min(rows, Math.ceil(perGrid / columns)) * cell;
  return {rows, columns, perGrid, nGrids, drawn, left, top, gap, across, cell, title, gridWidth, gridHeight, wrapped,
    width: Math.max(gridWidth, across * (gridWidth + gap) - gap), height: Math.ceil(drawn / across) * (gridHeight + gap) - gap,
    place(position) {
      const grid = Math.floor(position / perGrid), inside = position % perGrid;
      return {x: (grid % across) * (gridWidth + gap) + left + (inside % columns) * cell,
        y: Math.floor(grid / across) * (gridHeight + gap) + title + top + Math.floor(inside / columns) * cell};
    }};
}

// The two dimensions of a tensor that are drawn: split ones first, then large ones; in order.
function drawnDims(t) {
  const list = t.dims.map((size, d) => ({d, size, count: t.split ? dimTile(t, d, 0).count : 1}));
  list.sort((a, b) => (b.count > 1) - (a.count > 1) || b.size - a.size);
  return list.slice(0, 2).map((x) => x.d).sort((a, b) => a - b);
}

// Rectangles, in parts of 1, that a device holds of the picture of the tensor.
function heldRects(t, holds) {
  const shown = drawnDims(t);
  const ranges = (d) => holds.dims[d].runs.map(([a, b]) => [a / (t.dims[d] || 1), b / (t.dims[d] || 1)]);
  const rows = shown.length > 1 ? ranges(shown[0]) : [[0, 1]], columns = shown.length ? ranges(shown[shown.length - 1]) : [[0, 1]];
  const out = [];
  for (const [y0, y1] of rows) for (const [x0, x1] of columns) if (out.length < 512) out.push([x0, y0, x1 - x0, y1 - y0]);
  return out;
}

let meshDrawn = null;
function drawMesh() {
  const svg = $("mesh-figure"), width = Math.max(160, svg.parentElement.clientWidth), layout = meshLayout(width), n = layout.drawn * layout.perGrid;
  meshDrawn = layout;
  const nodes = [], count = tiles.size;
  const rowAxis = axes.length > 1 ? axes[axes.length - 2] : null, columnAxis = axes.length ? axes[axes.length - 1] : null;
  for (let grid = 0; grid < layout.drawn; grid++) {
    const first = layout.place(grid * layout.perGrid), at = coordinates(grid * layout.perGrid);
    const outer = axes.slice(0, -2).map((axis, i) => axis.name + "=" + at[i]).join(", ");
    if (outer) nodes.push(el("text", {x: first.x, y: first.y - layout.top - 5, "font-size": 12, "font-weight": 600}, outer));
    if (columnAxis) nodes.push(el("text", {x: first.x, y: first.y - 6, "font-size": 12, style: {fill: "var(--soft)"}}, columnAxis.name + " \u2192"));
    if (rowAxis && layout.cell >= 14)
      for (let r = 0; r < layout.rows; r++)
        nodes.push(el("text", {x: first.x - 6, y: first.y + r * layout.cell + layout.cell / 2 + 4, "font-size": 11, "text-anchor": "end", style: {fill: "var(--soft)"}}, shortened(rowAxis.name, 6) + "=" + r));
    else if (rowAxis) nodes.push(el("text", {x: first.x - 6, y: first.y + 10, "font-size": 11, "text-anchor": "end", style: {fill: "var(--soft)"}}, shortened(rowAxis.name, 6) + " \u2193"));
  }
  for (let position = 0; position < n; position++) nodes.push(deviceNode(layout, position, count));
  svg.setAttribute("width", layout.width);
  svg.setAttribute("height", layout.height);
  fill(svg, nodes, el("rect", {id: "device-mark", fill: "none", "stroke-width": 3, style: {stroke: "var(--focus)", "pointer-events": "none"}, rx: 3}));
  const hint = ["Devices of one colour hold the same tile."];
  if (n < nDevices) hint.push("The first " + countText(n) + " of " + countText(nDevices) + " devices are drawn.");
  if (tensor && tensor.sharding === "unknown") hint[0] = "The program does not say how its arguments are sharded.";
  $("mesh-hint").textContent = nDevices === 1 ? "One device holds all." : hint.join(" ");
  markDevice();
}
const shortened = (text, n) => text.length > n ? text.slice(0, n - 1) + "\u2026" : text;

function deviceNode(layout, position, count) {
  const {x, y} = layout.place(position), cell = layout.cell, pad = cell > 16 ? 2 : 0.5, size = cell - 2 * pad;
  const holds = held[position], colour = tensor ? tileColour(tiles.get(holds.key).number, count) : {back: "var(--card)", text: "var(--text)"};
  const group = el("g", {onpointermove: (event) => { showTip(event.clientX, event.clientY, deviceLines(position)); },
    onpointerleave: hideTip, onclick: () => chooseDevice(position)});
  if (cell >= 38 && tensor) {
    group.append(el("rect", {x: x + pad, y: y + pad, width: size, height: size, rx: 4, style: {fill: "var(--card)", stroke: "var(--line)"}}));
    group.append(el("text", {x: x + cell / 2, y: y + pad + 12, "font-size": 11, "text-anchor": "middle"}, String(deviceId(position))));
    const left = x + pad + 5, top = y + pad + 16, w = size - 10, h = Math.max(8, size - 21);
    group.append(el("rect", {x: left, y: top, width: w, height: h, style: {fill: "var(--back)", stroke: "var(--soft)"}, "stroke-width": 0.75}));
    for (const [rx, ry, rw, rh] of heldRects(tensor, holds))
      group.append(el("rect", {x: left + rx * w, y: top + ry * h, width: Math.max(rw > 0 ? 1 : 0, rw * w), height: Math.max(rh > 0 ? 1 : 0, rh * h), fill: colour.back, style: {stroke: "var(--soft)"}, "stroke-width": 0.5}));
  } else {
    group.append(el("rect", {x: x + pad, y: y + pad, width: size, height: size, rx: cell > 16 ? 3 : 0, fill: colour.back, style: {stroke: "var(--line)"}, "stroke-width": 0.5}));
    if (cell >= 20) group.append(el("text", {x: x + cell / 2, y: y + cell / 2 + 4, "font-size": cell >= 28 ? 11 : 9, "text-anchor": "middle", style: {fill: colour.text}}, String(deviceId(position))));
  }
  return group;
}

function deviceLines(position) {
  const at = coordinates(position), where = axes.map((axis, i) => axis.name + "=" + at[i]).join(", ");
  const lines = ["Device " + deviceId(position) + (where ? " (" + where + ")" : "")];
  if (!tensor || !held[position]) return lines;
  if (tensor.sharding === "unknown") return lines.concat("holds a shard of " + tensor.name + "; which one is not in the program.");
  const same = tiles.get(held[position].key).devices.filter((p) => p !== position).map(deviceId);
  lines.push("holds " + (held[position].empty ? "only padding" : sliceText(held[position])) + " of " + tensor.name);
  lines.push(same.length ? "The same tile is on " + plural(same.length, "other device") + ": " + same.slice(0, 8).join(", ") + (same.length > 8 ? ", ..." : "") : nDevices > 1 ? "No other device holds this tile." : "");
  return lines.filter(Boolean);
}

function markDevice() {
  const mark = $("device-mark");
  if (!mark || !meshDrawn) return;
  const {x, y} = meshDrawn.place(device), cell = meshDrawn.cell;
  mark.setAttribute("x", x + 0.5), mark.setAttribute("y", y + 0.5), mark.setAttribute("width", cell - 1), mark.setAttribute("height", cell - 1);
  const [head, ...rest] = deviceLines(device);
  fill($("device-facts"), el("b", null, head), " " + rest.join(". ").replace(/\.$/, "") + (rest.length ? "." : ""));
  for (const node of document.querySelectorAll("#tiles-figure [data-key]"))
    outline(node, !!held[device] && node.getAttribute("data-key") === held[device].key);
}
// Thin tiles have no outline, which would hide their colour.
function outline(node, selected) {
  const thin = Math.min(node.getAttribute("width"), node.getAttribute("height")) < 8;
  node.setAttribute("stroke-width", selected ? 3 : thin ? 0 : 0.75);
  node.style.setProperty("stroke", selected ? "var(--focus)" : "var(--back)");
}
function chooseDevice(position) {
  device = position;
  markDevice();
}

// The tensor as one rectangle, cut into tiles.
function drawTiles() {
  const svg = $("tiles-figure");
  if (!tensor) return;
  const room = Math.max(160, Math.min(svg.parentElement.clientWidth, 520)), shown = drawnDims(tensor), left = 46, top = 20;
  const rowDim = shown.length > 1 ? shown[0] : -1, columnDim = shown.length ? shown[shown.length - 1] : -1;
  const ratio = rowDim < 0 ? 0.14 : Math.min(1.1, Math.max(0.25, tensor.dims[rowDim] / Math.max(1, tensor.dims[columnDim])));
  const w = room - left - 4, h = Math.max(36, Math.min(220, w * ratio)), nodes = [];
  const dimText = (d) => d < 0 ? "" : "dim " + d + ": " + tensor.dims[d];
  nodes.push(el("text", {x: left, y: 13, "font-size": 12, style: {fill: "var(--soft)"}}, (columnDim < 0 ? "scalar" : dimText(columnDim)) + (columnDim < 0 ? "" : " \u2192")));
  if (rowDim >= 0) nodes.push(el("text", {x: 0, y: 0, "font-size": 12, transform: "translate(" + (left - 10) + " " + (top + h) + ") rotate(-90)", style: {fill: "var(--soft)"}}, "\u2190 " + dimText(rowDim)));
  const texts = [];
  for (const [key, tile] of tiles) {
    const colour = tileColour(tile.number, tiles.size), rects = heldRects(tensor, held[tile.devices[0]]);
    const pointer = {onpointermove: (event) => showTip(event.clientX, event.clientY, tileLines(tile)), onpointerleave: hideTip, onclick: () => chooseDevice(tile.devices[0])};
    rects.forEach(([x, y, rw, rh], i) => {
      if (rw <= 0 || rh <= 0) return;
      nodes.push(el("rect", Object.assign({x: left + x * w, y: top + y * h, width: rw * w, height: rh * h, fill: colour.back, "data-key": key}, pointer)));
      const ids = tile.devices.map(deviceId), most = Math.max(1, Math.floor((rw * w - 8) / 22));
      const label = ids.length <= most ? ids.join(", ") : ids.slice(0, most).join(", ") + "\u2026";
      if (!i && rw * w > 7 * label.length && rh * h > 14 && rw * w > 16)
        texts.push(el("text", {x: left + (x + rw / 2) * w, y: top + (y + rh / 2) * h + 4, "font-size": 11, "text-anchor": "middle", style: {fill: colour.text, "pointer-events": "none"}}, label));
    });
  }
  svg.setAttribute("width", room);
  svg.setAttribute("height", top + h + 4);
  fill(svg, nodes, texts);
  const others = tensor.dims.map((_, d) => d).filter((d) => !shown.includes(d)), split = others.filter((d) => dimTile(tensor, d, 0).count > 1);
  const hint = [tiles.size === 1 ? "Every device holds all elements." : plural(tiles.size, "tile") + "; the numbers are devices."];
  if (tensor.sharding === "unknown") hint[0] = "The local tensor.";
  if (others.length) hint.push("Not drawn: " + others.map((d) => "dim " + d).join(", ") + (split.length ? ", of which dim " + split.join(", dim ") + (split.length > 1 ? " are" : " is") + " split, too." : "."));
  $("tiles-hint").textContent = hint.join(" ");
  markDevice();
  svg.setAttribute("aria-label", hint.join(" "));
}
function tileLines(tile) {
  const ids = tile.devices.map(deviceId);
  return [sliceText(held[tile.devices[0]]), "on " + plural(ids.length, "device") + ": " + ids.slice(0, 16).join(", ") + (ids.length > 16 ? ", ..." : "")];
}

function chooseTensor(next) {
  tensor = next;
  held = [];
  tiles = new Map();
  for (let position = 0; position < nDevices; position++) {
    const holds = tensor ? holding(tensor, position) : null;
    held.push(holds);
    if (!holds) continue;
    if (!tiles.has(holds.key)) tiles.set(holds.key, {devices: [], order: holds.dims.reduce((a, dim) => a * dim.count + dim.index, 0)});
    tiles.get(holds.key).devices.push(position);
  }
  [...tiles.values()].sort((a, b) => a.order - b.order).forEach((tile, i) => { tile.number = i; });
  $("where-title").textContent = tensor ? tensor.name : "The mesh";
  fill($("where-facts"), !tensor ? [] : [el("code", null, tensor.type), " ", el("code", null, tensor.sharding), el("br"),
    bytesText(tensor.bytes) + " per device, " + bytesText(tensor.global_bytes) + " in all"]);
  drawMesh();
  drawTiles();
}

$("mesh-figure").addEventListener("keydown", (event) => {
  const columns = meshDrawn.columns, last = Math.min(nDevices, meshDrawn.drawn * meshDrawn.perGrid) - 1;
  const to = {ArrowRight: device + 1, ArrowLeft: device - 1, ArrowDown: device + columns, ArrowUp: device - columns, Home: 0, End: last}[event.key];
  if (to === undefined) return;
  event.preventDefault();
  if (to < 0 || to > last) return;
  chooseDevice(to);
  const box = $("device-mark").getBoundingClientRect();
  showTip(box.right, box.bottom - 10, deviceLines(to));
});
$("mesh-figure").addEventListener("blur", hideTip);

// ---- tensors ----

function drawTensors() {
  for (const t of data.tensors) if (!t.name) t.name = t.role + " " + t.index;
  const all = data.shardings.reduce((a, s) => a + s.bytes, 0) || 1, inAll = data.shardings.reduce((a, s) => a + s.global_bytes, 0);
  makeTable($("shardings"), [
    {label: "Sharding", value: (r) => r.sharding, show: (r) => el("code", null, r.sharding)},
    {label: "Count", num: true, value: (r) => r.count, show: (r) => countText(r.count)},
    {label: "Per device", num: true, value: (r) => r.bytes, show: (r) => bytesText(r.bytes)},
    {label: "Share", num: true, off: true, value: (r) => r.bytes, show: (r) => [shareBar(r.bytes / all), " " + percentText(r.bytes / all)]},
    {label: "Global", num: true, off: true, value: (r) => r.global_bytes, show: (r) => bytesText(r.global_bytes)},
  ], data.shardings, {sort: 2, label: "Arguments by sharding", empty: "The program has no arguments."});
  $("shardings").append(el("p", {class: "hint"}, "All arguments: " + bytesText(data.argument_bytes) + " per device, " + bytesText(inAll) + " in all."));
  const table = makeTable($("tensor-table"), [
    {label: "Tensor", cls: "name", value: (r) => r.name, show: (r) => [el("span", null, breakable(r.name)), el("div", {class: "small"}, breakable(r.type))]},
    {label: "Sharding", cls: "type", value: (r) => r.sharding, show: (r) => breakable(r.sharding)},
    {label: "Per device", num: true, value: (r) => r.bytes, show: (r) => bytesText(r.bytes)},
    {label: "Global", num: true, off: true, value: (r) => r.global_bytes, show: (r) => bytesText(r.global_bytes)},
  ], data.tensors, {sort: 2, label: "Arguments and results", pick: chooseTensor, empty: "No tensor matches."});
  function rows() {
    const role = $("role").value, text = $("filter").value.trim().toLowerCase();
    return data.tensors.filter((t) => t.role === role && (!text || (t.name + " " + t.type + " " + t.sharding).toLowerCase().includes(text)));
  }
  $("role").addEventListener("change", () => table.setRows(rows()));
  $("filter").addEventListener("input", () => table.setRows(rows()));
  table.setRows(rows());
  const left = data.tensors_left_out;
  $("tensor-note").textContent = "Select a row to see how the tensor lies on the mesh." +
    (left.count ? " The largest " + countText(data.tensors.length) + " tensors are listed; " + countText(left.count) + " smaller ones (" + bytesText(left.bytes) + " per device) are not." : "");
  const list = rows(), first = list.find((t) => t.sharding !== "replicated" && t.sharding !== "unknown") || list[0] || null;
  if (first) table.pick(first, false);
  else chooseTensor(null);
}

// ---- canvases ----

// Sets the size for the screen's pixels; returns the context, in CSS pixels.
function canvasContext(canvas, height) {
  const width = canvas.clientWidth || 300, ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px " + getComputedStyle(document.body).fontFamily;
  context.width = width;
  return context;
}

// A canvas pattern of diagonal lines.
const hatches = {};
function hatch(colour) {
  const key = colour + colours.back;
  if (hatches[key]) return hatches[key];
  const tile = el("canvas", {width: 8, height: 8}), c = tile.getContext("2d");
  c.fillStyle = colours.back, c.fillRect(0, 0, 8, 8);
  c.globalAlpha = 0.25, c.fillStyle = colour, c.fillRect(0, 0, 8, 8), c.globalAlpha = 1;
  c.strokeStyle = colour, c.lineWidth = 2;
  for (const shift of [-8, 0, 8]) c.beginPath(), c.moveTo(shift, 8), c.lineTo(shift + 8, 0), c.stroke();
  return (hatches[key] = c.createPattern(tile, "repeat"));
}

// Round values for the ticks of an axis.
function ticks(from, to, most) {
  const rough = (to - from) / Math.max(1, most), power = Math.pow(10, Math.floor(Math.log10(rough || 1)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) || rough, out = [];
  for (let x = Math.ceil(from / step) * step; x <= to + step * 1e-9; x += step) out.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return out;
}

// ---- the timeline ----

const unit = data.timeline.unit_seconds, COMPUTE = 0, COLLECTIVE = 1, WAITING = 2, LOOP = 3;
const streams = data.timeline.streams.map((stream) => Object.assign({}, stream, {bars: stream.bars.map((b) => ({
  start: b[0] * unit, seconds: b[1] * unit, kind: b[2], op: b[3] < 0 ? null : data.timeline.ops[b[3]], critical: !!b[4],
  exposed: (b[5] || 0) * unit, busy: (b[1] - (b[6] || 0)) * unit, count: 1 + (b[7] || 0), trips: b[8] || 0}))}));
let view = {from: 0, to: total}, chosen = {stream: 0, bar: -1};
const rowHeight = 40, rowGap = 20, axisHeight = 24;
const rowTop = (i) => axisHeight + i * (rowHeight + rowGap) + rowGap - 4;

function barName(bar) {
  if (bar.kind === WAITING) return "waiting for collectives";
  if (bar.kind === LOOP) return kindText(bar.op && bar.op.name) + ": " + plural(bar.trips, "iteration");
  return bar.count > 1 ? plural(bar.count, "op") : kindText(bar.op && bar.op.name);
}
function barColour(bar) {
  if (bar.kind === COLLECTIVE) return colours.collective;
  if (bar.kind === LOOP) return colours.loop;
  return bar.op && contractions.has(kindText(bar.op.name)) ? colours.contraction : colours.compute;
}
function barLines(bar) {
  const op = bar.op, merged = bar.count > 1, lines = [(op && op.value && !merged ? op.value + " = " : "") + barName(bar)];
  if (merged && op) lines.push("the longest: " + (op.value ? op.value + " = " : "") + kindText(op.name));
  if (op && op.path) lines.push(op.path);
  if (placeText(op)) lines.push(placeText(op));
  lines.push(secondsText(bar.seconds) + " from " + secondsText(bar.start) + (bar.busy < 0.999 * bar.seconds && bar.kind !== WAITING ? ", busy " + secondsText(bar.busy) : ""));
  if (merged) lines.push("merged: too short to draw one by one");
  if (bar.exposed > 0) lines.push(secondsText(bar.exposed) + " exposed");
  if (bar.kind === COLLECTIVE && !bar.exposed) lines.push("hidden behind compute");
  if (bar.critical) lines.push("on the critical path");
  return lines;
}

// The first bar that ends after a time: bars of a stream are ordered and do not overlap.
function firstAfter(bars, time) {
  let low = 0, high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle].start + bars[middle].seconds > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function timeAxis(c, top, bottom) {
  const width = c.width, x = (t) => (t - view.from) / (view.to - view.from) * width;
  const most = Math.max(2, Math.floor(width / 110)), marks = ticks(view.from, view.to, most);
  c.strokeStyle = colours.line, c.fillStyle = colours.soft, c.lineWidth = 1, c.textAlign = "left", c.textBaseline = "middle";
  for (const t of marks) {
    const at = Math.round(x(t)) + 0.5;
    c.beginPath(), c.moveTo(at, top), c.lineTo(at, bottom), c.stroke();
    if (at < width - 46) c.fillText(secondsText(t), at + 4, 9);
  }
  return x;
}

function drawTimeline() {
  const canvas = $("timeline-canvas"), height = rowTop(streams.length - 1) + rowHeight + 8, c = canvasContext(canvas, height);
  const x = timeAxis(c, 0, height), only = $("critical").checked;
  streams.forEach((stream, i) => {
    const top = rowTop(i);
    c.fillStyle = colours.card, c.fillRect(0, top, c.width, rowHeight);
    for (let k = firstAfter(stream.bars, view.from); k < stream.bars.length; k++) {
      const bar = stream.bars[k];
      if (bar.start > view.to) break;
      const left = Math.max(-2, x(bar.start)), right = Math.min(c.width + 2, x(bar.start + bar.seconds));
      drawBar(c, bar, left, Math.max(right - left, 0.6), top, only && !bar.critical ? 0.18 : 1);
    }
    c.globalAlpha = 1;
    if (i) drawExposed(c, stream, x, top);
    const name = stream.name + (stream.bytes_per_second ? " (" + bytesText(stream.bytes_per_second) + "/s)" : "") + ", busy " + percentText(stream.busy_seconds / total);
    c.font = "600 12px " + getComputedStyle(document.body).fontFamily;
    const wide = c.measureText(name).width;
    c.fillStyle = colours.back, c.fillRect(0, top - 18, wide + 6, 16);
    c.fillStyle = colours.text, c.textAlign = "left", c.textBaseline = "middle", c.fillText(name, 0, top - 9);
  });
  const bar = chosenBar();
  if (bar) {
    const left = x(bar.start), right = x(bar.start + bar.seconds), top = rowTop(chosen.stream);
    c.strokeStyle = colours.focus, c.lineWidth = 3;
    c.strokeRect(Math.max(1, left - 1.5), top - 1.5, Math.max(5, Math.min(c.width - 2, right) - Math.max(0, left) + 3), rowHeight + 3);
  }
  drawOverview();
}

function drawBar(c, bar, left, width, top, alpha) {
  c.globalAlpha = alpha;
  if (bar.kind === WAITING) {
    c.fillStyle = width > 3 ? hatch(colours.waiting) : colours.waiting;
    if (width <= 3) c.globalAlpha = 0.6 * alpha;
    c.fillRect(left, top, width, rowHeight);
    if (width <= 3) c.globalAlpha = alpha;
  } else {
    // Bars of several ops are as high as they are busy.
    const part = bar.seconds > 0 ? Math.min(1, bar.busy / bar.seconds) : 1, high = Math.max(2, part * rowHeight);
    if (part < 0.999) c.fillStyle = hatch(colours.other), c.fillRect(left, top, width, rowHeight - high);
    c.fillStyle = bar.kind === LOOP ? hatch(colours.loop) : barColour(bar);
    c.fillRect(left, top + rowHeight - high, width, high);
    if (width > 3) c.fillStyle = colours.back, c.fillRect(left + width - 0.7, top, 0.7, rowHeight);
  }
  if (width < 34) return;
  const text = barName(bar), from = Math.max(left, 0) + 5, room = Math.min(left + width, c.width) - from - 4;
  c.font = "12px " + getComputedStyle(document.body).fontFamily;
  if (room < c.measureText(text).width) return;
  c.textAlign = "left", c.textBaseline = "middle";
  if (bar.kind === WAITING || bar.kind === LOOP) {
    const wide = c.measureText(text).width;
    c.fillStyle = colours.back, c.fillRect(from - 3, top + rowHeight / 2 - 9, wide + 6, 18);
    c.fillStyle = colours.text;
  } else {
    c.fillStyle = bar.kind === COMPUTE && barColour(bar) === colours.contraction ? colours["bar-text"] : colours["bar-dark"];
  }
  c.fillText(text, from, top + rowHeight / 2);
}

// The parts of collectives during which compute waits.
function drawExposed(c, stream, x, top) {
  const waits = streams[0].bars;
  c.fillStyle = colours.exposed;
  for (let k = firstAfter(waits, view.from), j = firstAfter(stream.bars, view.from); k < waits.length && waits[k].start < view.to; k++) {
    if (waits[k].kind !== WAITING) continue;
    const from = waits[k].start, to = from + waits[k].seconds;
    while (j < stream.bars.length && stream.bars[j].start + stream.bars[j].seconds <= from) j++;
    for (let i = j; i < stream.bars.length && stream.bars[i].start < to; i++) {
      if (stream.bars[i].kind !== COLLECTIVE) continue;
      const left = Math.max(from, stream.bars[i].start), right = Math.min(to, stream.bars[i].start + stream.bars[i].seconds);
      c.fillRect(x(left), top + rowHeight - 7, x(right) - x(left), 7);
    }
  }
}

// The entire step in one strip, with the part in view.
function drawOverview() {
  const canvas = $("overview-canvas"), c = canvasContext(canvas, 22), x = (t) => t / total * c.width;
  c.fillStyle = colours.card, c.fillRect(0, 0, c.width, 22);
  streams.forEach((stream, i) => {
    const high = 18 / streams.length;
    for (const bar of stream.bars) {
      c.fillStyle = bar.kind === WAITING ? colours.waiting : barColour(bar);
      c.globalAlpha = bar.kind === WAITING ? 0.6 : 1;
      c.fillRect(x(bar.start), 2 + i * high, Math.max(0.3, x(bar.seconds)), high - 1);
    }
  });
  c.globalAlpha = 0.62, c.fillStyle = colours.back;
  c.fillRect(0, 0, x(view.from), 22), c.fillRect(x(view.to), 0, c.width - x(view.to), 22);
  c.globalAlpha = 1, c.strokeStyle = colours.focus, c.lineWidth = 2;
  c.strokeRect(Math.max(1, x(view.from)), 1, Math.max(4, x(view.to) - x(view.from)) - 2, 20);
}

const chosenBar = () => streams[chosen.stream] ? streams[chosen.stream].bars[chosen.bar] || null : null;
function setView(from, to) {
  const least = Math.max(total * 1e-6, 1e-12), span = Math.min(total, Math.max(least, to - from));
  const start = Math.min(Math.max(0, from), total - span);
  view = {from: start, to: start + span};
  drawTimeline();
  drawMemory();
}
function zoom(factor, at) {
  const middle = at === undefined ? (view.from + view.to) / 2 : at, span = (view.to - view.from) * factor;
  const part = (middle - view.from) / (view.to - view.from);
  setView(middle - part * span, middle + (1 - part) * span);
}
const pan = (part) => setView(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

function chooseBar(stream, index, tell) {
  chosen = {stream, bar: index};
  const bar = chosenBar();
  if (!bar) return drawTimeline();
  const span = view.to - view.from, end = bar.start + bar.seconds;
  if (bar.start < view.from || end > view.to) {
    const middle = (bar.start + end) / 2, next = Math.max(span, bar.seconds * 1.2);
    setView(middle - next / 2, middle + next / 2);
  } else drawTimeline();
  const [head, ...rest] = barLines(bar);
  fill($("timeline-facts"), el("b", null, head), " " + rest.join("; ") + ". Stream: " + streams[stream].name + ".");
  if (!tell) return;
  const box = $("timeline-canvas").getBoundingClientRect(), width = box.width;
  const x = box.left + Math.min(width - 20, Math.max(0, (bar.start - view.from) / (view.to - view.from) * width));
  showTip(x, box.top + rowTop(stream) + rowHeight - 8, [head, ...rest]);
}

function barAt(x, y) {
  const width = $("timeline-canvas").clientWidth, stream = streams.findIndex((_, i) => y >= rowTop(i) - 2 && y < rowTop(i) + rowHeight + 2);
  if (stream < 0) return null;
  const bars = streams[stream].bars, slack = (view.to - view.from) / width * 2, time = view.from + x / width * (view.to - view.from);
  let k = firstAfter(bars, time - slack);
  // Of several bars within two pixels the longest counts.
  let best = -1;
  for (; k < bars.length && bars[k].start <= time + slack; k++) {
    const inside = bars[k].start <= time && time < bars[k].start + bars[k].seconds;
    if (best < 0 || inside || bars[k].seconds > bars[best].seconds) best = k;
    if (inside && bars[k].seconds > 2 * slack) break;
  }
  return best < 0 ? null : {stream, bar: best};
}

// Drag and pinch; hover(x, y, event) and click(x, y) for what is under the pointer.
function gestures(canvas, hover, click) {
  const pointers = new Map();
  let moved = 0, last = null;
  const local = (event) => { const box = canvas.getBoundingClientRect(); return {x: event.clientX - box.left, y: event.clientY - box.top}; };
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, local(event));
    canvas.setPointerCapture(event.pointerId);
    moved = 0, last = null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = local(event), before = pointers.get(event.pointerId);
    if (!before) return hover(at.x, at.y, event);
    hideTip();
    moved += Math.abs(at.x - before.x);
    pointers.set(event.pointerId, at);
    if (pointers.size === 1) {
      if (moved > 3) canvas.style.cursor = "grabbing", pan((before.x - at.x) / canvas.clientWidth);
      return;
    }
    const [a, b] = [...pointers.values()], distance = Math.max(10, Math.abs(a.x - b.x)), middle = (a.x + b.x) / 2;
    if (last) {
      const time = view.from + last.middle / canvas.clientWidth * (view.to - view.from);
      zoom(last.distance / distance, time);
      pan((last.middle - middle) / canvas.clientWidth);
    }
    last = {distance, middle};
  });
  const end = (event) => {
    const at = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    last = null;
    canvas.style.cursor = "";
    if (at && event.type === "pointerup" && moved <= 3) click(at.x, at.y, event);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = local(event);
      zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), view.from + at.x / canvas.clientWidth * (view.to - view.from));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      pan((event.deltaX || event.deltaY) / canvas.clientWidth);
    }
  }, {passive: false});
}

// Keys that the timeline and the memory curve share; true if one was used.
function viewKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const bar = chosenBar(), at = bar && bar.start <= view.to && bar.start + bar.seconds >= view.from ? bar.start + bar.seconds / 2 : undefined;
  if (event.key === "+" || event.key === "=") zoom(0.6, at);
  else if (event.key === "-") zoom(1 / 0.6, at);
  else if (event.key === "0") setView(0, total);
  else if (event.shiftKey && event.key === "ArrowLeft") pan(-0.2);
  else if (event.shiftKey && event.key === "ArrowRight") pan(0.2);
  else return false;
  event.preventDefault();
  return true;
}

function timelineKey(event) {
  if (viewKey(event)) return;
  const only = $("critical").checked, bars = streams[chosen.stream].bars;
  const next = (from, step) => {
    let k = from + step;
    while (only && bars[k] && !bars[k].critical) k += step;
    return k;
  };
  let to;
  if (event.key === "ArrowRight") to = next(chosen.bar < 0 ? firstAfter(bars, view.from) - 1 : chosen.bar, 1);
  else if (event.key === "ArrowLeft") to = next(chosen.bar, -1);
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = bars.length - 1;
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const stream = chosen.stream + (event.key === "ArrowUp" ? -1 : 1);
    event.preventDefault();
    if (!streams[stream] || !streams[stream].bars.length) return;
    const bar = chosenBar(), other = streams[stream].bars, time = bar ? bar.start + bar.seconds / 2 : view.from;
    return chooseBar(stream, Math.min(other.length - 1, firstAfter(other, time)), true);
  } else return;
  event.preventDefault();
  if (bars[to]) chooseBar(chosen.stream, to, true);
}

function initTimeline() {
  const t = data.timeline, canvas = $("timeline-canvas"), legend = [
    ["contraction", "contractions (dot_general, convolution)"], ["compute", "other compute"], ["collective", "collective"],
    ["exposed", "exposed part of it"], ["waiting", "compute waits", true]];
  if (streams.some((s) => s.bars.some((b) => b.kind === LOOP))) legend.push(["loop", "iterations in one bar", true]);
  fill($("timeline-legend"), legend.map(([name, words, lines]) => el("li", null, el("span", {class: "swatch" + (lines ? " hatch" : ""), style: {"background-color": "var(--" + name + ")"}}), words)));
  gestures(canvas, (x, y, event) => {
    const hit = barAt(x, y);
    if (hit) showTip(event.clientX, event.clientY, barLines(streams[hit.stream].bars[hit.bar]));
    else hideTip();
  }, (x, y) => {
    const hit = barAt(x, y);
    if (hit) chooseBar(hit.stream, hit.bar, false);
  });
  canvas.addEventListener("keydown", timelineKey);
  canvas.addEventListener("blur", hideTip);
  $("zoom-in").addEventListener("click", () => zoom(0.5));
  $("zoom-out").addEventListener("click", () => zoom(2));
  $("zoom-all").addEventListener("click", () => setView(0, total));
  $("pan-left").addEventListener("click", () => pan(-0.4));
  $("pan-right").addEventListener("click", () => pan(0.4));
  $("critical").addEventListener("change", drawTimeline);
  const strip = $("overview-canvas"), jump = (event) => {
    if (!event.buttons) return;
    const box = strip.getBoundingClientRect(), time = (event.clientX - box.left) / box.width * total, span = view.to - view.from;
    setView(time - span / 2, time + span / 2);
  };
  strip.addEventListener("pointerdown", (event) => { strip.setPointerCapture(event.pointerId); jump(event); });
  strip.addEventListener("pointermove", jump);
  const notes = [];
  if (t.merged_bars) notes.push(plural(t.merged_ops, "op") + " shorter than " + secondsText(t.merged_below_seconds) + " are merged into " + plural(t.merged_bars, "bar") + ", drawn as high as the stream is busy.");
  if (t.iterations_in_one_bar) notes.push(plural(t.iterations_in_one_bar, "iteration") + " of loops are drawn as one bar, behind the first iteration.");
  else if (t.iterations_drawn > 1) notes.push("Loops are drawn iteration by iteration (" + countText(t.iterations_drawn) + ").");
  if (!streams.some((s) => s.bars.length)) $("timeline-facts").textContent = "No op takes time.";
  $("timeline-note").textContent = notes.join(" ");
}

// ---- memory ----

const points = data.memory.points.map(([at, bytes]) => ({at: at * unit, bytes}));
const memoryTop = 26, memoryHeight = 230;
let memoryAt = null;  // the index of the point that is selected

function memoryScale() {
  const limitShown = data.peak_bytes > 0.2 * data.usable_bytes;
  return {limitShown, most: 1.12 * Math.max(data.peak_bytes, limitShown ? data.usable_bytes : 0, 1)};
}

function drawMemory() {
  const canvas = $("memory-canvas"), c = canvasContext(canvas, memoryTop + memoryHeight + 2), x = timeAxis(c, memoryTop - 6, memoryTop + memoryHeight);
  const {most, limitShown} = memoryScale(), y = (bytes) => memoryTop + memoryHeight * (1 - bytes / most);
  c.textBaseline = "bottom";
  for (const value of ticks(0, most, 5)) {
    c.strokeStyle = colours.line, c.beginPath(), c.moveTo(0, Math.round(y(value)) + 0.5), c.lineTo(c.width, Math.round(y(value)) + 0.5), c.stroke();
  }
  // Steps: the bytes of a point hold until the next.
  const path = (close) => {
    c.beginPath();
    let open = false;
    for (let i = 0; i < points.length; i++) {
      const from = points[i].at, to = i + 1 < points.length ? points[i + 1].at : total;
      if (to < view.from || from > view.to) continue;
      const left = Math.max(-2, x(from)), right = Math.min(c.width + 2, x(to));
      if (!open) { c.moveTo(left, close ? y(0) : y(points[i].bytes)); open = true; if (close) c.lineTo(left, y(points[i].bytes)); }
      c.lineTo(left, y(points[i].bytes)), c.lineTo(right, y(points[i].bytes));
      if (close && (i + 1 === points.length || points[i + 1].at > view.to)) c.lineTo(right, y(0));
    }
  };
  c.fillStyle = colours.temporary, c.globalAlpha = 0.35, path(true), c.fill(), c.globalAlpha = 1;
  c.strokeStyle = colours.temporary, c.lineWidth = 1.75, path(false), c.stroke();
  c.fillStyle = colours.text, c.textAlign = "left";
  for (const value of ticks(0, most, 5)) if (value > 0) label(c, bytesText(value), 3, y(value) - 1, colours.soft);
  if (y(0) - y(data.argument_bytes) > 18) {
    c.strokeStyle = colours.argument, c.lineWidth = 1.75, c.setLineDash([3, 3]);
    c.beginPath(), c.moveTo(0, y(data.argument_bytes)), c.lineTo(c.width, y(data.argument_bytes)), c.stroke(), c.setLineDash([]);
    label(c, "arguments " + bytesText(data.argument_bytes), c.width - 4, y(data.argument_bytes) + 17, colours.text, "right");
  }
  if (limitShown) {
    c.strokeStyle = colours.limit, c.lineWidth = 2, c.setLineDash([7, 4]);
    c.beginPath(), c.moveTo(0, y(data.usable_bytes)), c.lineTo(c.width, y(data.usable_bytes)), c.stroke(), c.setLineDash([]);
    label(c, "limit " + bytesText(data.usable_bytes), c.width - 4, y(data.usable_bytes) - 2, colours.limit, "right");
  }
  const peak = data.memory.peak_at * unit;
  if (peak >= view.from && peak <= view.to) {
    const at = x(peak), right = at > c.width / 2;
    c.fillStyle = colours.text, c.beginPath(), c.arc(at, y(data.peak_bytes), 4.5, 0, 7), c.fill();
    label(c, "peak " + bytesText(data.peak_bytes), at + (right ? -8 : 8), y(data.peak_bytes) - 2, colours.text, right ? "right" : "left");
  }
  if (memoryAt !== null && points[memoryAt] && points[memoryAt].at >= view.from && points[memoryAt].at <= view.to) {
    const at = x(points[memoryAt].at);
    c.strokeStyle = colours.focus, c.lineWidth = 2, c.beginPath(), c.moveTo(at, memoryTop), c.lineTo(at, memoryTop + memoryHeight), c.stroke();
    c.fillStyle = colours.focus, c.beginPath(), c.arc(at, y(points[memoryAt].bytes), 4.5, 0, 7), c.fill();
  }
}
function label(c, text, x, y, colour, align) {
  c.font = "12px " + getComputedStyle(document.body).fontFamily;
  const wide = c.measureText(text).width, left = align === "right" ? x - wide : x;
  c.textBaseline = "bottom", c.textAlign = "left";
  c.globalAlpha = 0.8, c.fillStyle = colours.back, c.fillRect(left - 2, y - 15, wide + 4, 15), c.globalAlpha = 1;
  c.fillStyle = colour, c.fillText(text, left, y);
}

function pointLines(i) {
  return [bytesText(points[i].bytes) + " alive", "at " + secondsText(points[i].at), percentText(points[i].bytes / data.usable_bytes) + " of the limit"];
}
function pointAt(x) {
  const time = view.from + x / $("memory-canvas").clientWidth * (view.to - view.from);
  let k = 0;
  while (k + 1 < points.length && points[k + 1].at <= time) k++;
  return points.length ? k : null;
}
function choosePoint(i) {
  memoryAt = i;
  drawMemory();
  const [head, ...rest] = pointLines(i);
  fill($("memory-facts"), el("b", null, head), " " + rest.join(", ") + ".");
}

const kinds = ["argument", "result", "constant", "temporary"];
function opText(op) {
  if (!op) return "";
  return kindText(op.name) + (op.path || op.file ? " (" + [op.path, placeText(op)].filter(Boolean).join(", ") + ")" : "");
}

function initMemory() {
  const inner = data.memory.peak_inner_op, all = data.peak_bytes || 1, scale = memoryScale();
  $("memory-lead").textContent = "The peak is " + bytesText(data.peak_bytes) + (inner ? ", at " + opText(inner) : "") + ". " +
    (data.fits ? "It fits: " : "It does not fit: ") + bytesText(data.usable_bytes) + " are usable." + (scale.limitShown ? "" : " The limit is above the scale of the figure.");
  gestures($("memory-canvas"), (x, y, event) => {
    const i = pointAt(x);
    if (i !== null) showTip(event.clientX, event.clientY, pointLines(i));
  }, (x) => { const i = pointAt(x); if (i !== null) choosePoint(i); });
  $("memory-canvas").addEventListener("keydown", (event) => {
    if (viewKey(event) || !points.length) return;
    const peak = points.findIndex((p) => p.bytes >= data.peak_bytes);
    const to = {ArrowRight: memoryAt === null ? Math.max(0, peak) : memoryAt + 1, ArrowLeft: memoryAt === null ? Math.max(0, peak) : memoryAt - 1, Home: 0, End: points.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (!points[to]) return;
    if (points[to].at < view.from || points[to].at > view.to) setView(points[to].at - (view.to - view.from) / 2, points[to].at + (view.to - view.from) / 2);
    choosePoint(to);
    const box = $("memory-canvas").getBoundingClientRect();
    showTip(box.left + (points[to].at - view.from) / (view.to - view.from) * box.width, box.top + 60, pointLines(to));
  });
  $("memory-canvas").addEventListener("blur", hideTip);
  const parts = kinds.map((kind) => ({kind, bytes: data.memory.peak_parts[kind]})).filter((p) => p.bytes > 0);
  fill($("peak-bar"), parts.map((p) => el("span", {style: {width: 100 * p.bytes / all + "%", "background-color": "var(--" + p.kind + ")"},
    onpointermove: (event) => showTip(event.clientX, event.clientY, [manyOf(p.kind), bytesText(p.bytes), percentText(p.bytes / all) + " of the peak"]), onpointerleave: hideTip}, "")));
  $("peak-bar").setAttribute("aria-label", parts.map((p) => manyOf(p.kind) + " " + bytesText(p.bytes)).join(", "));
  fill($("peak-legend"), parts.map((p) => el("li", null, el("span", {class: "swatch", style: {"background-color": "var(--" + p.kind + ")"}}), manyOf(p.kind) + " " + bytesText(p.bytes) + ", " + percentText(p.bytes / all))));
  makeTable($("peak-table"), [
    {label: "Value", cls: "name", value: (r) => r.value || opText(r.op), show: (r) => [breakable(r.value || (r.op ? kindText(r.op.name) : "?")), el("div", {class: "small"}, breakable(r.op ? [r.op.path, placeText(r.op)].filter(Boolean).join(", ") : ""))]},
    {label: "Type", cls: "type", off: true, value: (r) => r.type, show: (r) => r.type},
    {label: "Kind", cls: "kind", value: (r) => r.kind, show: (r) => r.kind},
    {label: "Bytes", num: true, value: (r) => r.bytes, show: (r) => bytesText(r.bytes)},
    {label: "Share", num: true, off: true, value: (r) => r.bytes, show: (r) => [shareBar(r.bytes / all, "var(--" + r.kind + ")"), " " + percentText(r.bytes / all)]},
  ], data.peak_values, {sort: 3, label: "Values alive at the peak"});
  const rest = data.memory.peak_count - data.peak_values.length;
  if (rest > 0) $("peak-note").textContent = "The largest " + data.peak_values.length + " values; " + plural(rest, "other value") + " hold " + bytesText(data.peak_bytes - data.peak_values.reduce((a, v) => a + v.bytes, 0)) + ".";
}
const manyOf = (kind) => kind === "temporary" ? "temporaries" : kind + "s";

// ---- collectives ----

const causeWords = {operand: "an operand has another sharding", result: "a result has another sharding", op: "the op needs elements of other shards",
  program: "in the input", order: "order of side effects", device: "computed on one device"};

function groupCauses(how) {
  if (how === "cause") return data.causes;
  const groups = new Map();
  for (const cause of data.causes) {
    const place = placeText(cause.op) || "unknown line", axesText = (cause.axes || []).join(", ");
    const key = how === "line" ? place : cause.kind + "/" + axesText;
    if (!groups.has(key)) groups.set(key, Object.assign({}, cause, {count: 0, runs: 0, bytes: 0, seconds: 0, exposed_seconds: 0, causes: 0, kinds: new Set(), all: new Set(), places: new Set(), why: null}));
    const group = groups.get(key);
    for (const field of ["count", "runs", "bytes", "seconds", "exposed_seconds"]) group[field] += cause[field];
    group.causes++;
    group.kinds.add(cause.kind);
    group.places.add(place);
    for (const axis of cause.axes || []) group.all.add(axis);
    group.guess = group.guess || cause.guess;
  }
  return [...groups.values()].map((g) => Object.assign(g, {kind: [...g.kinds].join(", "), axes: [...g.all], place: g.places.size === 1 ? [...g.places][0] : plural(g.places.size, "line")}));
}

function drawCauses() {
  const how = $("group").value, rows = groupCauses(how);
  const place = (r) => r.place || placeText(r.op) || "-", over = (r) => (r.axes || []).join(", ") || "-";
  makeTable($("cause-table"), [
    {label: "Collective", value: (r) => r.kind, show: (r) => [el("b", null, r.kind), r.count > 1 ? " \u00d7 " + countText(r.count) : ""]},
    {label: "Axes", value: over, show: over},
    {label: "Source", cls: "type place", value: place, show: place},
    {label: "Runs", num: true, value: (r) => r.runs, show: (r) => countText(r.runs)},
    {label: "Sent", num: true, value: (r) => r.bytes, show: (r) => bytesText(r.bytes) + (r.guess ? " *" : "")},
    {label: "Busy", num: true, value: (r) => r.seconds, show: (r) => secondsText(r.seconds)},
    {label: "Exposed", num: true, value: (r) => r.exposed_seconds, show: (r) => secondsText(r.exposed_seconds)},
    {label: "Cause", cls: "why wide-cell", show: (r) => r.why === null ? plural(r.causes, "cause") :
      [r.cause ? el("div", {class: "small"}, r.partial ? "an unreduced value is needed reduced" : causeWords[r.cause] || r.cause) : null, r.why || "The program has no reason for it (--why and --locations keep reasons in a printed program).",
        r.with_others ? "; combined with " + plural(r.with_others, "other value") : ""]},
  ], rows, {sort: 6, cards: true, label: "Collectives by " + how, empty: "The local program has no collectives."});
  const left = data.causes_left_out;
  $("cause-note").textContent = left.count ? countText(left.count) + " causes of less exposed time are left out: " + bytesText(left.bytes) + " sent, " + secondsText(left.seconds) + " busy, " + secondsText(left.exposed_seconds) + " exposed." : "";
}

// ---- plan ----

let search = [], searchAt = null;
function initPlan() {
  const plan = data.plan;
  if (!plan) return;
  $("plan").hidden = $("plan-link").hidden = false;
  const words = [];
  const lines = plan.strategy ? plan.strategy.split("\n") : [];
  if (lines.length) words.push("Strategy: " + lines[0] + ".");
  fill($("plan-axes"), lines.slice(1).map((line) => el("li", null, line)));
  $("plan-axes").hidden = lines.length < 2;
  if (plan.limit) words.push("Limits: " + plan.limit + ".");
  if (typeof plan.bound_seconds === "number") words.push("No plan of the search space is faster than " + secondsText(plan.bound_seconds) + " (lower bound).");
  if (typeof plan.gap === "number") words.push("Gap: " + percentText(plan.gap) + ".");
  $("plan-lead").textContent = words.join(" ");
  const runners = plan.runners_up || [];
  if (runners.length) {
    $("runners-part").hidden = false;
    const rows = [{name: "this plan", seconds: data.seconds, peak_bytes: data.peak_bytes, own: true}].concat(runners), most = Math.max(...rows.map((r) => r.seconds || 0)) || 1;
    makeTable($("runner-table"), [
      {label: "Plan", value: (r) => r.name, show: (r) => r.own ? el("b", null, r.name) : r.name},
      {label: "Step", num: true, value: (r) => r.seconds || Infinity, show: (r) => r.seconds ? secondsText(r.seconds) : "\u2013"},
      {label: "Relative", num: true, value: (r) => r.seconds || Infinity, show: (r) => !r.seconds ? "" : [el("span", {class: "off-phone"}, shareBar(r.seconds / most, r.own ? "var(--result)" : null)), " " + (r.own ? "1.000" : (r.seconds / data.seconds).toFixed(3)) + "\u00d7"]},
      {label: "Peak memory", num: true, value: (r) => r.peak_bytes, show: (r) => !r.peak_bytes ? "\u2013" : el("span", {class: r.peak_bytes > data.usable_bytes ? "bad" : null}, bytesText(r.peak_bytes) + (r.peak_bytes > data.usable_bytes ? " (does not fit)" : ""))},
      {label: "Strategy, and why it lost", value: (r) => r.why || "", show: (r) => r.own ? lines[0] || "" : [(r.strategy || "").split("\n")[0], r.strategy && r.why ? ": " : "", r.why || ""].join("")},
    ], rows, {sort: 1, ascending: true, cards: true, label: "Runner-up plans"});
  }
  const rules = plan.annotations || [];
  $("rules-part").hidden = !rules.length;
  fill($("rules"), rules.map((rule) => el("li", null, el("code", null, rule))));
  search = plan.search || [];
  if (search.length > 1) {
    $("search-part").hidden = false;
    fill($("search-legend"), [["contraction", "cost of the best plan, without overlap"], ["exposed", "lower bound of it"]].map(([name, text]) => el("li", null, el("span", {class: "swatch", style: {"background-color": "var(--" + name + ")"}}), text)));
    const canvas = $("search-canvas"), at = (event) => {
      const box = canvas.getBoundingClientRect(), first = search[0].work, last = search[search.length - 1].work, work = first + (event.clientX - box.left) / box.width * (last - first);
      let k = 0;
      while (k + 1 < search.length && search[k + 1].work <= work) k++;
      return k;
    };
    canvas.addEventListener("pointermove", (event) => showTip(event.clientX, event.clientY, searchLines(at(event))));
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("blur", hideTip);
    canvas.addEventListener("click", (event) => chooseSearch(at(event)));
    canvas.addEventListener("keydown", (event) => {
      const to = {ArrowRight: searchAt === null ? 0 : searchAt + 1, ArrowLeft: searchAt === null ? search.length - 1 : searchAt - 1, Home: 0, End: search.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      if (!search[to]) return;
      chooseSearch(to);
      const box = canvas.getBoundingClientRect(), first = search[0].work, last = search[search.length - 1].work;
      showTip(box.left + (search[to].work - first) / (last - first || 1) * box.width, box.top + 30, searchLines(to));
    });
  }
}
function searchLines(i) {
  const p = search[i], lines = ["after " + countText(p.work) + " units of work"];
  if (typeof p.cost === "number") lines.push("cost " + secondsText(p.cost));
  if (typeof p.bound === "number") lines.push("bound " + secondsText(p.bound));
  if (typeof p.cost === "number" && typeof p.bound === "number" && p.cost > 0) lines.push("gap " + percentText((p.cost - p.bound) / p.cost));
  return lines;
}
function chooseSearch(i) {
  searchAt = i;
  drawSearch();
  const [head, ...rest] = searchLines(i);
  fill($("search-facts"), el("b", null, head), ": " + rest.join(", ") + ".");
}
function drawSearch() {
  if (search.length < 2) return;
  const height = 220, c = canvasContext($("search-canvas"), height), first = search[0].work, last = search[search.length - 1].work;
  const values = search.flatMap((p) => [p.cost, p.bound]).filter((v) => typeof v === "number"), low = Math.min(...values), high = Math.max(...values), pad = (high - low || high || 1) * 0.08;
  const x = (work) => (work - first) / (last - first || 1) * c.width, y = (v) => 8 + (height - 34) * (1 - (v - low + pad) / (high - low + 2 * pad));
  for (const value of ticks(low, high, 5)) {
    c.strokeStyle = colours.line, c.lineWidth = 1, c.beginPath(), c.moveTo(0, Math.round(y(value)) + 0.5), c.lineTo(c.width, Math.round(y(value)) + 0.5), c.stroke();
    label(c, secondsText(value), 3, y(value) - 1, colours.soft);
  }
  for (const [key, colour] of [["cost", colours.contraction], ["bound", colours.exposed]]) {
    c.strokeStyle = colour, c.lineWidth = 2.25, c.beginPath();
    let before = null;
    for (const p of search) {
      if (typeof p[key] !== "number") continue;
      if (before === null) c.moveTo(x(p.work), y(p[key]));
      else c.lineTo(x(p.work), y(before)), c.lineTo(x(p.work), y(p[key]));
      before = p[key];
    }
    // A bound that is proven once, at the end, holds for the whole search.
    if (key === "bound" && before !== null && search.filter((p) => typeof p.bound === "number").length === 1)
      c.setLineDash([6, 4]), c.moveTo(0, y(before)), c.lineTo(c.width, y(before));
    c.stroke(), c.setLineDash([]);
  }
  c.fillStyle = colours.soft, c.textBaseline = "bottom", c.textAlign = "left", c.fillText("work " + countText(first), 0, height - 2);
  c.textAlign = "right", c.fillText(countText(last), c.width, height - 2);
  if (searchAt !== null) c.strokeStyle = colours.focus, c.lineWidth = 2, c.beginPath(), c.moveTo(x(search[searchAt].work), 8), c.lineTo(x(search[searchAt].work), height - 26), c.stroke();
}

// ---- all ----

function drawFigures() {
  readColours();
  drawMesh();
  drawTiles();
  drawTimeline();
  drawMemory();
  drawSearch();
}

readColours();
drawHeader();
drawFacts();
drawLimits();
drawParts();
initPlan();
drawTensors();
initTimeline();
initMemory();
drawCauses();
$("group").addEventListener("change", drawCauses);
drawFigures();
// Several sizes may change at once; draw once per frame.
let waiting = 0, width = 0;
function redrawSoon() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(drawFigures);
}
new ResizeObserver(([main]) => {
  if (!main.contentRect.width || Math.abs(main.contentRect.width - width) < 1) return;
  width = main.contentRect.width;
  redrawSoon();
}).observe(document.querySelector("main"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawSoon);
matchMedia("print").addEventListener("change", drawFigures);
addEventListener("beforeprint", () => setTimeout(drawFigures, 0));
addEventListener("afterprint", redrawSoon);
})();
