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

const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

// ---- charts

const LINE = { price: ["price"], quality: ["quality"], coverage: ["unanswered", "poor"], gain: ["gain", "expected"] };
const NAMES = {
  price: "Price", quality: "Quality", unanswered: "Unanswered", poor: "Poor", gain: "Measured", expected: "Expected",
};
const SHARES = new Set(["quality", "unanswered", "poor"]);
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

function axes(put) {
  const common = {
    stroke: shade("--quiet"),
    font: `12px ${shade("--text")}`,
    grid: { stroke: shade("--line"), width: 1 },
    ticks: { show: false },
  };
  return [
    { ...common, grid: { show: false }, size: 40, space: 70, values: TIMES },
    { ...common, size: 82, space: 30, values: (_, ticks) => ticks.map(put) },
  ];
}

// Of the data themselves: where there is one moment only, what uPlot proposes goes on for years.
function spanned(chart) {
  const [times] = chart.data;
  const last = times[times.length - 1];
  return [Math.min(times[0], last - LEAST), last];
}

// Shares: none is below 0 or above 1.
function within(_, least, most) {
  const [low, high] = uPlot.rangeNum(least, most, 0.1, true);
  return [Math.max(0, low), Math.min(1, high)];
}

function options(figure, series, put, more = {}) {
  return {
    width: figure.clientWidth,
    height: figure.classList.contains("tall") ? 240 : 170,
    padding: [8, 8, 0, 0],
    cursor: { sync: { key: "console" }, points: { size: 6 }, drag: { x: false, y: false } },
    legend: { markers: { width: 0, fill: (chart, at) => chart.series[at].stroke(chart, at) } },
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    axes: axes(put),
    series: [{ label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...series],
    ...more,
    scales: { x: { range: spanned }, ...more.scales },
  };
}

function lines(figure, names, found) {
  const put = SHARES.has(names[0]) ? share : number;
  const colours = [shade("--accent"), shade("--second")];
  const series = names.map((name, at) => ({
    label: NAMES[name],
    stroke: colours[at],
    width: 2,
    dash: name === "expected" ? [5, 4] : undefined,
    points: { show: found.times.length < 3 },
    value: (_, value) => put(value),
  }));
  const scales = put === share ? { y: { range: within } } : {};
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
    const names = LINE[figure.dataset.chart];
    const empty = !(names ?? PURPOSES).some((name) => found[name].some((value) => value !== null));
    figure.classList.toggle("empty", empty);
    if (empty) continue;
    const chart = names ? lines(figure, names, found) : bars(figure, found);
    chart.root.querySelector("canvas").setAttribute("aria-hidden", "true");
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
    if (answer.ok) draw((latest = await answer.json()));
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
  const open = [...part.querySelectorAll("details")].map((each) => each.open);
  part.innerHTML = html;
  part.querySelectorAll("details").forEach((each, at) => (each.open = open[at] ?? false));
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
