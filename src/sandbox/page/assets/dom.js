// Builds elements. Text goes in as text and never as markup.

/** An element: `make("button.big", { type: "button", onclick }, "Send")`. */
export function make(what, ...rest) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  return fill(element, ...rest);
}

const SVG = "http://www.w3.org/2000/svg";

/** A line drawing of 24 by 24. */
export function drawing(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

function fill(element, ...rest) {
  for (const one of rest.flat(Infinity)) {
    if (one === null || one === undefined || one === false) continue;
    if (one instanceof Node) element.append(one);
    else if (typeof one === "object") set(element, one);
    else element.append(String(one));
  }
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** `14:03`, in the reader's own time zone. */
export function clockTime(millis) {
  return new Date(millis).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** `14:03:07.123`. */
export function exactTime(millis) {
  const date = new Date(millis);
  return `${date.toLocaleTimeString([], { hour12: false })}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Milliseconds with three digits that say something: `0.84`, `3.1`, `42`, `1,204`. */
export function milliseconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 10) return value.toFixed(value < 1 ? 2 : 1);
  return Math.round(value).toLocaleString("en");
}

/** A number for people: `12,900`. */
export function count(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en");
}

/** Whether the reader asked for no movement. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A short line at the page's foot. */
export function snack(text, kind = "note") {
  const line = make(`p.snack`, { data: { kind } }, text);
  document.getElementById("snacks").append(line);
  setTimeout(() => line.remove(), kind === "error" ? 7000 : 4000);
}

/** Arrow keys, Home and End move among the tabs of `list`, which are its buttons; `chosen` is called with one. */
export function tabs(list, chosen) {
  const all = () => [...list.querySelectorAll('[role="tab"]')];
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) chosen(tab);
  });
  list.addEventListener("keydown", (event) => {
    const there = all();
    const at = there.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: there.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = there[(to + there.length) % there.length];
    tab.focus();
    chosen(tab);
  });
}

/** Marks `tab` as the chosen one of its list. */
export function choose(tab) {
  for (const other of tab.closest('[role="tablist"]').querySelectorAll('[role="tab"]')) {
    const on = other === tab;
    other.setAttribute("aria-selected", String(on));
    other.tabIndex = on ? 0 : -1;
  }
}
