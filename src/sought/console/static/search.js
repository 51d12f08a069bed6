// What the page does beyond a plain form: "/" goes to the field, queries are suggested, clicks are told.
"use strict";

document.documentElement.classList.add("scripted");
const field = document.getElementById("q");
const form = document.getElementById("search");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});

// ---- suggestions: a combobox whose list belongs to the field (WAI-ARIA 1.2)

const list = document.createElement("ul");
list.id = "suggestions";
list.className = "suggestions";
list.hidden = true;
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Suggestions");
field.parentElement.append(list);
for (const [name, value] of Object.entries({
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-controls": list.id,
  "aria-expanded": "false",
})) {
  field.setAttribute(name, value);
}

let typed = field.value;
let chosen = -1;
let waiting = 0;
let asking = null;

function close() {
  clearTimeout(waiting);
  asking?.abort();
  list.hidden = true;
  list.replaceChildren();
  chosen = -1;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function option(text, number) {
  const item = document.createElement("li");
  item.id = `suggestion-${number}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.dataset.text = text;
  const known = text.toLowerCase().startsWith(typed.toLowerCase()) ? typed.length : 0;
  const rest = document.createElement("b");
  rest.textContent = text.slice(known);
  item.append(text.slice(0, known), rest);
  return item;
}

function show(texts) {
  const others = texts.filter((text) => text !== typed.trim());
  if (!others.length || document.activeElement !== field) {
    close();
    return;
  }
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
  list.replaceChildren(...others.map(option));
  list.hidden = false;
  field.setAttribute("aria-expanded", "true");
}

async function suggest() {
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await fetch(`/api/suggest?q=${encodeURIComponent(typed)}`, { signal: asking.signal });
    if (answer.ok) show((await answer.json()).suggestions);
  } catch {
    // asked again with the next letter
  }
}

function choose(number) {
  const items = [...list.children];
  items[chosen]?.setAttribute("aria-selected", "false");
  chosen = ((number + 1 + items.length + 1) % (items.length + 1)) - 1; // -1 is what was typed
  const item = items[chosen];
  item?.setAttribute("aria-selected", "true");
  field.value = item ? item.dataset.text : typed;
  if (item) field.setAttribute("aria-activedescendant", item.id);
  else field.removeAttribute("aria-activedescendant");
}

field.addEventListener("input", () => {
  typed = field.value;
  clearTimeout(waiting);
  if (typed.trim()) waiting = setTimeout(suggest, 80);
  else close();
});

field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (list.hidden) {
      if (event.key === "ArrowDown" && typed.trim()) suggest();
    } else {
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    }
    event.preventDefault();
  } else if (event.key === "Escape" && !list.hidden) {
    field.value = typed;
    close();
    event.preventDefault();
  } else if (event.key === "Tab") {
    close();
  }
});

field.addEventListener("blur", close);
form.addEventListener("submit", close);
list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  field.value = item.dataset.text;
  form.requestSubmit();
});

// ---- clicks: told on the side, the link goes straight to the page

const results = document.querySelector("[data-search]");

function tell(event) {
  const link = event.target.closest("a[data-rank]");
  if (!link || event.button > 1) return;
  const told = {
    action_name: "click",
    query_id: results.dataset.search,
    event_attributes: {
      object: { object_id: link.href, object_id_field: "url" },
      position: { ordinal: Number(link.dataset.rank) },
    },
  };
  navigator.sendBeacon("/api/events", new Blob([JSON.stringify(told)], { type: "application/json" }));
}

results?.addEventListener("click", tell);
results?.addEventListener("auxclick", tell);
