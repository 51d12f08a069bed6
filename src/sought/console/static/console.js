// What the console does beyond plain pages: charts, and parts that change as the crawl goes on.
"use strict";

document.documentElement.classList.add("scripted");

const shade = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- how numbers are put: as wording.py does

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function tenTo(power) {
  const raised = [...String(Math.abs(power))].map((digit) => RAISED[digit]).join("");
  return `10${power < 0 ? "⁻" : ""}${raised}`;
}

function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size < 1e6 && (size >= 1000 || Number.isInteger(value))) return Math.round(value).toLocaleString("en");
  const power = Math.floor(Math.log10(size));
  if (-3 <= power && power < 6) return value.toFixed(2 - power).replace("-", "−");
  return `${(value / 10 ** power).toFixed(2).replace("-", "−")} × ${tenTo(power)}`;
}

// All and nothing are said only where they are exact.
function share(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0 || value === 1) return `${100 * value} %`;
  if (value >= 0.9995 && value < 1) return "> 99.9 %";
  if (value > 0 && value < 0.0005) return "< 0.1 %";
  return `${(100 * value).toFixed(1).replace("-", "−")} %`;
}

function searches(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  if (size < 0.005) return value > 0 ? "< 0.01" : "> −0.01";
  return size < 10 ? value.toFixed(2).replace("-", "−") : number(value);
}

// ---- charts

// What each chart shows: its lines, how their values are put, and the unit of its axis.
const CHARTS = {
  coverage: { names: ["unanswered", "poor"], put: share },
  quality: { names: ["quality"], put: share },
  errors: { names: ["errors"], put: share },
  speed: { names: ["speed"], put: (value) => (value === null || value === undefined ? "–" : `${number(Number(value.toPrecision(3)))} a second`) },
  price: { names: ["price_searches"], put: (value) => `${searches(value)} searches` },
  gain: { names: ["gain_searches", "expected_searches"], put: (value) => `${searches(value)} a week` },
};
const NAMES = {
  price_searches: "Price", quality: "Quality", unanswered: "Unanswered", poor: "Poor", errors: "Errors",
  speed: "Speed", gain_searches: "Measured", expected_searches: "Expected",
};
const SHARES = new Set([share]);
const PURPOSES = ["new", "stale", "hub", "known", "file"];
const LEAST = 900; // seconds that a chart shows, also of a crawl that has just begun
const drawn = new Map();
// How ticks are put: from so many seconds apart on; then what is added when the year, month or day is another one.
const TIMES = [
  [86400 * 365, "{YYYY}", null, null, null, null, null, null, 1],
  [86400 * 28, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [86400, "{D} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{D} {MMM} {YYYY}", null, "\n{D} {MMM}", null, null, null, 1],
];

// As many digits as it takes to tell each tick from the next.
function ticks(values, step, isShare) {
  const scale = isShare ? 100 : 1;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9)));
  const unit = isShare ? " %" : "";
  return values.map((value) => {
    const text = (scale * value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return `${text.replace("-", "−")}${unit}`;
  });
}

function axes(put) {
  const common = {
    stroke: shade("--quiet"),
    font: `12px ${shade("--text")}`,
    grid: { stroke: shade("--line"), width: 1 },
    ticks: { show: false },
  };
  const up = (chart, values, axis, space, step) => (chart.told = ticks(values, step, SHARES.has(put)));
  return [
    { ...common, grid: { show: false }, size: 40, space: 70, values: TIMES },
    { ...common, size: 64, space: 30, values: up },
  ];
}

// From the first row to now: while no crawl runs nothing is drawn.
function spanned(chart) {
  const [times] = chart.data;
  const last = Math.max(times[times.length - 1], latest?.now ?? 0);
  return [Math.min(times[0], last - LEAST), last];
}

// None of these is below 0; shares are not above 1.
function within(most) {
  return (_, low, high) => {
    const [from, to] = uPlot.rangeNum(low, high, 0.1, true);
    return [Math.max(0, from), Math.min(most, to)];
  };
}

// A point between two gaps has no line: it is drawn as a point.
function alone(chart, at) {
  const values = chart.data[at];
  const known = (place) => values[place] !== null && values[place] !== undefined;
  return values.map((_, place) => place).filter((place) => known(place) && !known(place - 1) && !known(place + 1));
}

// While nobody points at a chart, its legend shows the last values.
function showLast(chart) {
  const last = (values) => {
    let at = values.length - 1;
    while (at > 0 && (values[at] === null || values[at] === undefined)) at -= 1;
    return at;
  };
  const places = chart.data.map((values, series) => (series ? last(values) : 0));
  places[0] = Math.max(...places);
  chart.setLegend({ idxs: places }, false);
}

function options(figure, series, put, more = {}) {
  return {
    width: figure.clientWidth,
    height: figure.classList.contains("tall") ? 240 : figure.closest(".three") ? 125 : 170,
    padding: [8, 8, 0, 0],
    hooks: { ready: [showLast], setCursor: [(chart) => chart.cursor.left < 0 && showLast(chart)] },
    cursor: { sync: { key: "console" }, points: { size: 6 }, drag: { x: false, y: false } },
    legend: { markers: { width: 0, fill: (chart, at) => chart.series[at].stroke(chart, at) } },
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    axes: axes(put),
    series: [{ label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...series],
    ...more,
    scales: { x: { range: spanned }, ...more.scales },
  };
}

function lines(figure, { names, put }, found) {
  const colours = [shade("--accent"), shade("--second")];
  const series = names.map((name, at) => ({
    label: NAMES[name],
    stroke: colours[at],
    width: 2,
    dash: name === "expected_searches" ? [5, 4] : undefined,
    points: found.times.length < 3 ? { show: true } : { show: true, size: 4, filter: alone },
    value: (_, value) => put(value),
  }));
  const isSigned = names[0] === "gain_searches";
  const scales = isSigned ? {} : { y: { range: within(put === share ? 1 : Infinity) } };
  return new uPlot(options(figure, series, put, { scales }), [found.times, ...names.map((name) => found[name])], figure);
}

// Bars on top of each other: the highest is drawn first, each lower one over it.
function bars(figure, found) {
  const names = PURPOSES.filter((name) => found[name].some((count) => count));
  const sums = names.map((_, last) => found.times.map((_, at) =>
    names.slice(0, last + 1).reduce((sum, name) => sum + (found[name][at] ?? 0), 0)));
  const paths = uPlot.paths.bars({ size: [0.8, 28] });
  const series = names.map((name) => ({
    label: name,
    fill: shade(`--${name}`),
    stroke: shade(`--${name}`),
    width: 0,
    paths,
    points: { show: false },
    value: (_, __, ___, at) => number(at === null || at === undefined ? null : found[name][at]),
  })).reverse();
  const scales = { y: { range: (_, __, most) => [0, Math.max(most * 1.05, 1)] } };
  return new uPlot(options(figure, series, number, { scales }), [found.times, ...sums.reverse()], figure);
}

function draw(found) {
  for (const figure of document.querySelectorAll("[data-chart]")) {
    drawn.get(figure)?.destroy();
    const kind = CHARTS[figure.dataset.chart];
    const empty = !(kind?.names ?? PURPOSES).some((name) => found[name].some((value) => value !== null));
    figure.classList.toggle("empty", empty);
    if (empty) continue;
    const chart = kind ? lines(figure, kind, found) : bars(figure, found);
    chart.root.querySelector("canvas").setAttribute("aria-hidden", "true");
    figure.chart = chart;
    drawn.set(figure, chart);
  }
}

const charts = document.querySelector("[data-history]");
let latest = null;
let drawnAt = 0;

async function redraw() {
  drawnAt = Date.now();
  try {
    const answer = await fetch(charts.dataset.history);
    if (!answer.ok) return;
    latest = await answer.json();
    draw(latest);
  } catch {
    // drawn again when the server is back
  }
}

if (charts) {
  redraw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => latest && draw(latest));
  let width = innerWidth;
  addEventListener("resize", () => {
    if (latest && width !== innerWidth) draw(latest);
    width = innerWidth;
  });
}

// ---- parts that change: the server sends them as the page has them

const shown = new Map();
let held = false;
addEventListener("pointerdown", () => (held = true));
addEventListener("pointerup", () => (held = false));
addEventListener("pointercancel", () => (held = false));

// A part is left alone while the keyboard is in it, and while a finger or a button is down.
function change(part, html) {
  if (shown.get(part) === html || held || part.querySelector(":focus-visible")) return;
  const keyed = () => [...part.querySelectorAll("details")].map((each, at) => [each.dataset.key ?? at, each]);
  const open = new Set(keyed().flatMap(([key, each]) => (each.open ? [key] : [])));
  part.innerHTML = html;
  for (const [key, each] of keyed()) each.open = open.has(key);
  shown.set(part, html);
}

// The log is asked for again when there is more of it, for it may be a part of it that is shown: one request at a time,
// and not with every event, for the whole log may have to be read.
const log = document.querySelector("[data-log]");
const LOG_EVERY = 5000; // milliseconds
let newestLog = "";
let logReadAt = -LOG_EVERY;
let isLogDue = false;

function followLog(stamp) {
  newestLog = stamp;
  if (isLogDue || stamp === log.dataset.stamp) return;
  isLogDue = true;
  setTimeout(readLog, Math.max(0, logReadAt + LOG_EVERY - performance.now()));
}

async function readLog() {
  const stamp = newestLog;
  logReadAt = performance.now();
  let isRead = false;
  try {
    const answer = await fetch(log.dataset.log, { signal: AbortSignal.timeout(60_000) });
    if (answer.ok) change(log, await answer.text());
    isRead = answer.ok;
  } catch {
    // What is told next asks again.
  }
  isLogDue = false;
  if (!isRead) return;
  log.dataset.stamp = stamp;
  followLog(newestLog);
}

const badge = document.querySelector("[data-stream]");

function watch() {
  const stream = new EventSource("/console/events");
  stream.addEventListener("open", () => {
    badge.textContent = "live";
    badge.dataset.stream = "on";
  });
  stream.addEventListener("error", () => {
    badge.textContent = "not connected";
    badge.dataset.stream = "off";
  });
  stream.addEventListener("message", (event) => take(JSON.parse(event.data)));
  addEventListener("pagehide", () => stream.close());
}

function take(told) {
  for (const [name, html] of Object.entries(told.parts)) {
    const part = document.querySelector(`[data-live="${name}"]`);
    if (part) change(part, html);
  }
  if (log) followLog(told.log);
  if (charts && Date.now() - drawnAt > 60_000) redraw();
}

if (badge) watch();
