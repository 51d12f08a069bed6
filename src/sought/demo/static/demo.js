// The demo's page: asks every second how it stands, and draws that.  All text is set as text.
"use strict";

document.documentElement.classList.add("scripted");

const SIDES = ["default", "round_robin"];
const shade = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const share = (value, digits = 0) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(digits)} %`);
const count = (value) => Math.round(value).toLocaleString("en");
const part = (inside, name) => inside.querySelector(`[data-${name}]`);

// ---- numbers and words

function show(found) {
  part(document, "phase").textContent = found.phase;
  part(document, "state").classList.toggle("on", found.seconds > 0);
  part(document, "clock").textContent =
    found.seconds_to_start !== null ? `Day ${found.day.toFixed(1)} of the toy web; ${count(found.seconds)} s, ${count(found.searches)} searches.` : "";
  part(document, "busy").textContent = found.busy;
  part(document, "busy").hidden = !found.busy;
  steps(found.seconds_to_start === null ? found.steps : []);
  for (const name of SIDES) side(document.querySelector(`[data-side="${name}"]`), found.sides[name]);
  table(found.asked);
  if (found.answers) example(found.answers);
}

function steps(list) {
  const items = list.map(({ name, words, share }) => {
    const item = element("li", "", share >= 1 ? "done" : "");
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", name);
    if (share !== null || !words) bar.value = share ?? 0; // else it goes on, and nobody knows for how long
    item.append(element("span", name, "said"), bar, element("span", words, "n"));
    return item;
  });
  part(document, "steps").replaceChildren(...items);
}

function side(tile, state) {
  part(tile, "lately").textContent = share(state.lately);
  part(tile, "overall").textContent = share(state.overall);
  part(tile, "fetches").textContent = count(state.fetches);
  part(tile, "searchable").textContent = count(state.searchable);
  part(tile, "policy").textContent = state.policy;
  if (!state.address) return;
  part(tile, "search").href = state.address;
  part(tile, "console").href = `${state.address}console`;
  part(tile, "links").hidden = false;
}

function element(name, text, kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = kind;
  return made;
}

function table(asked) {
  const rows = asked.map(({ query, share: part }) => {
    const row = document.createElement("tr");
    const head = element("th", query);
    head.scope = "row";
    row.append(head, element("td", share(part, 1), "n"));
    return row;
  });
  part(document, "asked").replaceChildren(...rows);
}

function example(answers) {
  part(document, "query").textContent = `“${answers.query}”.`;
  part(document, "difference").textContent = answers.difference;
  for (const name of SIDES) {
    const results = answers.sides[name].map(({ title, url, worth, gone }) => {
      const item = element("li", "", worth ? "" : "lost");
      const why = worth ? `${share(worth)} of the best possible page` : gone ? "gone" : "text has changed";
      item.append(element("span", title || url, "said"), element("span", why, "why"));
      return item;
    });
    const list = document.querySelector(`[data-answer="${name}"] ol`);
    list.replaceChildren(...(results.length ? results : [element("li", "No results.", "lost")]));
  }
}

// ---- the chart

const STEPS = [5, 10, 20, 30, 60, 120, 300, 600, 1800]; // seconds between two marks
const figure = document.querySelector("[data-chart]");
let chart = null;

function drawn(data) {
  const axis = { stroke: shade("--quiet"), font: `12px ${shade("--text")}`, grid: { stroke: shade("--line"), width: 1 }, ticks: { show: false } };
  const line = (label, colour) => ({ label, stroke: shade(colour), width: 2.5, points: { show: false }, value: (_, value) => share(value, 1) });
  return new uPlot({
    width: figure.clientWidth,
    height: 260,
    padding: [8, 8, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { markers: { width: 0, fill: (uplot, at) => uplot.series[at].stroke(uplot, at) } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.min(1, Math.max(0.2, 1.15 * most))] } },
    axes: [
      { ...axis, grid: { show: false }, size: 40, space: 60, incrs: STEPS, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
      { ...axis, size: 60, values: (_, ticks) => ticks.map((tick) => share(tick)) },
    ],
    series: [
      { label: "Seconds", value: (_, value) => (value === null ? "–" : value.toFixed(0)) },
      line("Default policy", "--accent"),
      line("Round-robin", "--second"),
    ],
  }, data, figure);
}

function draw(found) {
  const data = [found.times, ...SIDES.map((name) => found.quality[name])];
  figure.classList.toggle("empty", found.times.length < 2);
  if (found.times.length < 2) return;
  if (chart) return chart.setData(data);
  chart = drawn(data);
  chart.root.querySelector("canvas").setAttribute("aria-hidden", "true");
}

let latest = null;

function again() {
  chart?.destroy();
  chart = null;
  if (latest) draw(latest);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
let width = innerWidth;
addEventListener("resize", () => {
  if (width !== innerWidth) again();
  width = innerWidth;
});

// ---- every second

async function look() {
  try {
    const answer = await fetch("/state.json");
    if (answer.ok) {
      latest = await answer.json();
      show(latest);
      draw(latest);
    }
  } catch {
    part(document, "phase").textContent = "The demo has ended.";
    part(document, "state").classList.remove("on");
  }
  setTimeout(look, 1000);
}

look();
