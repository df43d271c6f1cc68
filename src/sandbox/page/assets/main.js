// Joins the parts of the page, and gives each what it is told.

import { ask, listen } from "./server.js";
import { choose, make, snack, tabs } from "./dom.js";
import { Phone } from "./phone.js";
import { Wire } from "./wire.js";
import { Graph } from "./graph.js";
import { FaultPanel } from "./faults.js";
import { State } from "./state.js";
import { Problems } from "./problems.js";

const at = (id) => document.getElementById(id);
const phones = new Map();
const chats = new Map();
let bot = { title: "Bot", name: "bot" };
let people = [];

const wire = new Wire(at("wire"), at("detail"), (id) => people.find((one) => one.id === id)?.first_name);
const graph = new Graph(at("graph"));
const faults = new FaultPanel(at("faults"), at("pill-faults"), () => people);
const state = new State(at("state"), () => people);
const problems = new Problems(at("problems"), at("pill-flow"));

listen({
  hello(hello) {
    bot = hello.bot;
    at("bot").textContent = `@${bot.username ?? bot.name}`;
    at("link-metrics").href = hello.metrics;
    at("link-ready").href = hello.ready;
    at("where").textContent = `Tapgate ${hello.version} · webhook ${hello.webhook} · Bot API ${hello.api} · ${hello.database} · seed ${hello.seed}`;
    problems.watches(hello.flow);
    graph.begin(hello);
  },
  people(now) {
    people = now;
    now.forEach((user, place) => {
      const known = phones.get(user.id);
      if (known) known.label(user);
      else addPhone(user, place);
    });
    drawSwitch();
    faults.people();
    state.people();
  },
  chat(view) {
    chats.set(view.id, view);
    phones.get(view.id)?.update(view);
    state.stale();
  },
  wire(rows) {
    wire.rows(rows);
    state.stale();
  },
  measure: (measured) => graph.measured(measured),
  history: (history) => graph.history(history),
  connections: (told) => graph.connections(told),
  faults: (now) => faults.standing(now),
  flow(told) {
    problems.told(told);
    if (!told.problems && told.changed?.length) snack(`Flow ${told.changed.join(", ")} read anew. The next screen shows it.`);
  },
}, (line) => {
  const pill = at("pill-stream");
  pill.dataset.state = line;
  pill.textContent = line === "open" ? "live" : "connection lost, trying again";
});

function addPhone(user, place) {
  const phone = new Phone(user, bot, place);
  phones.set(user.id, phone);
  at("row").append(phone.element);
  const view = chats.get(user.id);
  if (view) phone.update(view);
  if (phones.size > 2 && document.hasFocus()) phone.element.scrollIntoView({ inline: "end", block: "nearest" });
}

// On a narrow page one telephone is seen at a time.
function drawSwitch() {
  const chosen = at("switch").querySelector('[aria-selected="true"]')?.dataset.user;
  at("switch").replaceChildren(...people.map((user, place) => make("button", {
    type: "button",
    role: "tab",
    "aria-selected": String(chosen ? Number(chosen) === user.id : place === 0),
    tabindex: (chosen ? Number(chosen) === user.id : place === 0) ? "0" : "-1",
    data: { user: user.id },
  }, user.first_name)));
  seeChosen();
}

function seeChosen() {
  const chosen = Number(at("switch").querySelector('[aria-selected="true"]')?.dataset.user);
  for (const [id, phone] of phones) phone.element.classList.toggle("seen", id === chosen);
}

tabs(at("switch"), (tab) => {
  choose(tab);
  seeChosen();
});

function openPanel(tab) {
  choose(tab);
  for (const panel of ["graph", "faults", "state"]) at(panel).hidden = panel !== tab.getAttribute("aria-controls");
  graph.resize();
  state.seen(!at("state").hidden);
}
tabs(at("tabs"), openPanel);

at("views").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) openView(button.dataset.view);
});

function openView(view) {
  document.body.dataset.view = view;
  for (const button of at("views").children) {
    if (button.dataset.view === view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  const tab = at(`tab-${view}`);
  if (tab) openPanel(tab);
  graph.resize();
}
openView("chat");

const dialog = at("new-user");
at("add-user").addEventListener("click", () => dialog.showModal());
dialog.querySelector('[value="cancel"]').addEventListener("click", () => dialog.close());
at("new-user-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { first_name, language } = event.target.elements;
  const added = await ask("users", { first_name: first_name.value.trim(), language: language.value.trim() || null });
  if (added) dialog.close();
});

