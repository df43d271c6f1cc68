// The main graph: response time of the webhook, what follows from it, and the two things that one can turn.

import uPlot from "./vendor/uPlot.esm.js";
import { count, make, milliseconds } from "./dom.js";
import { ask } from "./server.js";

/** How many samples are shown, one a second. */
const SAMPLES_MAX = 180;
const DELAYS = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
const CROWDS = [0, 1, 5, 10, 20, 50, 100, 200];

export class Graph {
  constructor(panel) {
    this.data = [[], [], [], []];
    this.latest = null;
    this.connections_now = 40;
    this.plotted = make("div.plot", { role: "img", "aria-label": "Response time of the webhook over time, in milliseconds" });
    this.numbers = {
      p50: number("p50", "as Telegram sees it"),
      p99: number("p99", "as Telegram sees it"),
      now: number("updates/s", "delivered now"),
      capacity: number("updates/s", "the bot can take"),
    };
    this.formula = make("p.formula", { "aria-live": "off" });
    this.controls = {
      connections: slider("max_connections", { min: 1, max: 100, value: 40 }, String, "How many updates Telegram may post at once. A real setWebhook."),
      delay: slider("Artificial delay", { min: 0, max: DELAYS.length - 1, value: 0 }, (at) => `${DELAYS[at]} ms`, "Added to each answer on its way to Telegram, as a slow handler would."),
      crowd: slider("Traffic", { min: 0, max: CROWDS.length - 1, value: 0 }, (at) => `${CROWDS[at]} users`, "Users who tap again as soon as they are answered."),
    };
    this.controls.connections.changed((value) => ask("connections", { max_connections: value }));
    this.controls.delay.changed((at) => ask("delay", { milliseconds: DELAYS[at] }));
    this.controls.crowd.changed((at) => ask("traffic", { users: CROWDS[at] }));
    panel.append(
      make("div.numbers", this.numbers.p50.element, this.numbers.p99.element, this.numbers.now.element, this.numbers.capacity.element),
      this.formula,
      this.plotted,
      make("ul.legend", { "aria-hidden": "true" },
        make("li", { data: { line: "one" } }, "p50, /metrics"), make("li", { data: { line: "two" } }, "p99, /metrics"), make("li", { data: { line: "three" } }, "p50, Telegram")),
      make("div.sliders", this.controls.connections.element, this.controls.delay.element, this.controls.crowd.element));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plot());
    new ResizeObserver(() => this.resize()).observe(this.plotted);
  }

  begin(hello) {
    this.connections(hello);
  }

  connections({ max_connections, delay_milliseconds, traffic }) {
    if (max_connections !== undefined) {
      this.connections_now = max_connections;
      this.controls.connections.set(max_connections);
    }
    if (delay_milliseconds !== undefined) this.controls.delay.set(nearest(DELAYS, delay_milliseconds));
    if (traffic !== undefined) this.controls.crowd.set(nearest(CROWDS, traffic));
    this.write();
  }

  history(all) {
    this.data = [[], [], [], []];
    for (const one of all) this.push(one);
    this.plot();
    this.write();
  }

  measured(one) {
    this.push(one);
    if (this.chart) this.chart.setData(this.data);
    else this.plot();
    this.write();
  }

  push(one) {
    this.latest = one;
    const values = [one.at / 1000, one.server_p50_ms, one.server_p99_ms, one.telegram_p50_ms];
    this.data.forEach((line, at) => {
      line.push(values[at] ?? null);
      if (line.length > SAMPLES_MAX) line.shift();
    });
  }

  write() {
    const { telegram_p50_ms: p50, telegram_p99_ms: p99, per_second } = this.latest ?? {};
    const capacity = p50 ? (this.connections_now / p50) * 1000 : null;
    this.numbers.p50.set(p50 ? `${milliseconds(p50)} ms` : "–");
    this.numbers.p99.set(p99 ? `${milliseconds(p99)} ms` : "–");
    this.numbers.now.set(per_second === undefined ? "–" : count(per_second));
    this.numbers.capacity.set(count(capacity));
    this.formula.textContent = capacity
      ? `capacity = max_connections ÷ response time = ${this.connections_now} ÷ ${milliseconds(p50)} ms = ${count(capacity)} updates a second`
      : "capacity = max_connections ÷ response time. Tap something, or turn the traffic on.";
  }

  plot() {
    this.chart?.destroy();
    const { width, height } = this.plotted.getBoundingClientRect();
    if (width < 50) { this.chart = null; return; }
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const line = (label, name, more = {}) => ({ label, stroke: colour(name), width: 2, spanGaps: false, points: { size: 4 }, ...more });
    this.chart = new uPlot({
      width, height: Math.max(height, 120), legend: { show: false }, cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { range: () => { const to = (this.latest?.at ?? Date.now()) / 1000; return [to - 120, to]; } }, y: { distr: 3, range: (_, low, high) => [Math.min(low ?? 1, 0.5), Math.max(high ?? 10, 10) * 1.3] } },
      axes: [
        { ...axis, space: 70, size: 26, values: (_, at) => at.map((second) => new Date(second * 1000).toLocaleTimeString([], { hour12: false })) },
        { ...axis, size: 54, values: (_, at) => at.map((value) => (value === null ? null : /^[125]/.test(String(value * 1000)) ? `${value} ms` : "")) },
      ],
      series: [{}, line("p50", "--line-one"), line("p99", "--line-two"), line("Telegram", "--line-three", { dash: [5, 4] })],
    }, this.data, this.plotted);
  }

  resize() {
    const { width, height } = this.plotted.getBoundingClientRect();
    if (width < 50) return;
    if (!this.chart) this.plot();
    else if (Math.abs(this.chart.width - width) > 1 || Math.abs(this.chart.height - height) > 1) this.chart.setSize({ width, height: Math.max(height, 120) });
  }
}

function nearest(list, value) {
  return list.reduce((best, one, at) => (Math.abs(one - value) < Math.abs(list[best] - value) ? at : best), 0);
}

function number(unit, words) {
  const value = make("strong", "–");
  return {
    element: make("div.number", make("span", unit), value, make("small", words)),
    set: (text) => { if (value.textContent !== text) value.textContent = text; },
  };
}

function slider(name, range, words, help) {
  const id = `slider-${name.toLowerCase().replace(/\W+/g, "-")}`;
  const output = make("output", { for: id }, words(range.value));
  const input = make("input", { type: "range", id, step: "1", min: String(range.min), max: String(range.max), value: String(range.value), "aria-describedby": `${id}-help` });
  const say = () => {
    output.textContent = words(Number(input.value));
    input.setAttribute("aria-valuetext", words(Number(input.value)));
  };
  let holding = false;
  input.addEventListener("input", () => { holding = true; say(); });
  say();
  return {
    element: make("div.slider", make("label", { for: id }, name), output, input, make("small", { id: `${id}-help` }, help)),
    changed: (heard) => input.addEventListener("change", () => { holding = false; heard(Number(input.value)); }),
    set: (value) => { if (!holding) { input.value = String(value); say(); } },
  };
}
