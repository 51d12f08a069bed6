// The budget dial: quality by fetches a day, with a band for what is 80 % certain, and marks at today's budget and levels.
"use strict";

const dial = document.querySelector("[data-dial]");
let dialDrawn = null;

function marked(chart, { today, marks }) {
  const draw = chart.ctx;
  const at = Math.round(chart.valToPos(today.fetches_a_day, "x", true));
  const { left, top, width, height } = chart.bbox;
  draw.save();
  draw.strokeStyle = draw.fillStyle = shade("--second");
  draw.lineWidth = 2 * devicePixelRatio;
  draw.beginPath();
  draw.moveTo(at, top);
  draw.lineTo(at, top + height);
  draw.stroke();
  draw.font = `${12 * devicePixelRatio}px ${shade("--text")}`;
  const isRight = at > left + width / 2;
  draw.textAlign = isRight ? "right" : "left";
  draw.fillText("today", at + (isRight ? -6 : 6) * devicePixelRatio, top + height - 8 * devicePixelRatio);
  draw.fillStyle = shade("--accent");
  for (const { value, level } of marks) {
    if (!value) continue;
    draw.beginPath();
    draw.arc(chart.valToPos(value, "x", true), chart.valToPos(level, "y", true), 4 * devicePixelRatio, 0, 2 * Math.PI);
    draw.fill();
  }
  draw.restore();
}

// From a thousandth of what matters to ten times as much: budgets beyond that are nobody's.
function reach({ curve, marks, today }) {
  const all = curve.map((each) => each.fetches_a_day);
  const matter = [today.fetches_a_day, ...marks.flatMap((mark) => [mark.value, mark.high])].filter((each) => each > 0);
  const least = Math.max(Math.min(...all), Math.min(...matter) / 1000);
  const most = Math.min(Math.max(...all), Math.max(...matter) * 10);
  return [Math.min(least, today.fetches_a_day) / 1.2, Math.max(most, today.fetches_a_day) * 1.2];
}

// Powers of ten, as many as there is room for.
function powers([least, most], width) {
  const [first, last] = [Math.ceil(Math.log10(least)), Math.floor(Math.log10(most))];
  const step = Math.max(1, Math.ceil(((last - first + 1) * 75) / width));
  const found = [];
  for (let power = first; power <= last; power += step) found.push(10 ** power);
  return found;
}

const tick = (value) => (1 <= value && value < 1e6 ? number(value) : value < 1 ? String(value) : tenTo(Math.round(Math.log10(value))));

// While nobody points at the chart, its legend shows what today's budget brings.
function atToday(chart) {
  const { today } = JSON.parse(dial.dataset.dial);
  const place = chart.data[0].findIndex((fetches) => fetches >= today.fetches_a_day);
  chart.setLegend({ idx: place < 0 ? chart.data[0].length - 1 : place }, false);
}

function dialOptions(found) {
  const line = (label, more) => ({ label, points: { show: false }, value: (_, value) => share(value), ...more });
  const band = shade("--accent");
  const [across, up] = axes(share);
  const range = reach(found);
  const ticks = powers(range, dial.clientWidth - up.size);
  return options(dial, [], share, {
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: false, distr: 3, range: () => range }, y: { range: (_, least) => [Math.max(0, least - 0.02), 1] } },
    axes: [{ ...across, splits: () => ticks, filter: () => ticks, values: () => ticks.map(tick) }, up],
    series: [
      { label: "Fetches a day", value: (_, value) => number(value) },
      line("Quality", { stroke: shade("--accent"), width: 2 }),
      line("at least", { stroke: "transparent", width: 0 }),
      line("at most", { stroke: "transparent", width: 0 }),
    ],
    bands: [{ series: [3, 2], fill: `color-mix(in srgb, ${band} 20%, transparent)` }],
    legend: { markers: { show: false } },
    hooks: { draw: [(chart) => marked(chart, found)], ready: [atToday], setCursor: [(chart) => chart.cursor.left < 0 && atToday(chart)] },
  });
}

function drawDial() {
  const found = JSON.parse(dial.dataset.dial);
  const columns = ["fetches_a_day", "value", "low", "high"].map((name) => found.curve.map((each) => each[name]));
  dialDrawn?.destroy();
  dialDrawn = new uPlot(dialOptions(found), columns, dial);
  dialDrawn.root.querySelector("canvas").setAttribute("aria-hidden", "true");
}

if (dial) {
  drawDial();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawDial);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width !== innerWidth) drawDial();
    width = innerWidth;
  });
}
