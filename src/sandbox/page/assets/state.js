// What the server's store has of a chat: desired and shown, the way back, the fence, the jobs, the dead letters.

import { choose, exactTime, make, tabs } from "./dom.js";
import { look } from "./server.js";

/** How long after a change the store is asked: what follows from the change is there by then. */
const PAUSE_MILLIS = 120;
/** How often it is asked without one: a sender settles in its own time. */
const BEAT_MILLIS = 1500;

export class State {
  constructor(panel, people) {
    this.people_now = people;
    this.chooser = make("div.tabs.small", { role: "tablist", "aria-label": "Whose chat" });
    this.body = make("div.state-body");
    panel.append(make("header.panel-head", make("h2", "In the store"), this.chooser), this.body);
    tabs(this.chooser, (tab) => {
      choose(tab);
      this.load();
    });
    setInterval(() => this.visible && document.visibilityState === "visible" && this.load(), BEAT_MILLIS);
  }

  people() {
    const chosen = this.chosen();
    this.chooser.replaceChildren(...this.people_now().map((user, place) => {
      const on = chosen ? chosen === user.id : place === 0;
      return make("button", { type: "button", role: "tab", "aria-selected": String(on), tabindex: on ? "0" : "-1", data: { user: user.id } }, user.first_name);
    }));
  }

  chosen() {
    return Number(this.chooser.querySelector('[aria-selected="true"]')?.dataset.user) || null;
  }

  seen(visible) {
    this.visible = visible;
    if (visible) this.load();
  }

  stale() {
    if (!this.visible || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.load();
    }, PAUSE_MILLIS);
  }

  async load() {
    const user = this.chosen();
    const state = user && (await look(`state/${user}`));
    if (!state || user !== this.chosen()) return;
    const text = JSON.stringify(state);
    if (text === this.text) return;
    this.text = text;
    this.draw(state);
  }

  draw({ chat, fence, jobs, failures }) {
    const step = chat?.desired && chat?.shown ? (chat.desired.revision === chat.shown.revision ? ["good", "in step"] : ["late", "not shown yet"]) : null;
    this.body.replaceChildren(...[
      chat ? [
        make("div.pair",
          view("Desired", "what the chat is to show", chat.desired),
          make("span.step", { data: { tone: step?.[0] ?? "open" } }, step?.[1] ?? "…"),
          view("Shown", "what Telegram confirmed", chat.shown)),
        make("dl.facts-list",
          fact("version", chat.version), fact("locale", chat.locale ?? "–"), fact("balance", chat.balance),
          fact("busy", chat.busy ?? "no"), fact("blocked", chat.blocked ? "yes" : "no"), fact("banned", chat.banned ? "yes" : "no"),
          Object.entries(chat.vars).map(([name, value]) => fact(name, value))),
        make("h3", "Fence", make("small", " the updates applied last, and what they were answered")),
        make("ul.fence", fence.ids.slice().reverse().map((id) => make("li", `#${id}`))),
        fence.answers.length ? make("table.rows", make("thead", make("tr", ["queue", "last update", "its answer"].map((head) => make("th", { scope: "col" }, head)))),
          make("tbody", fence.answers.map((one) => make("tr", make("td", one.queue), make("td", `#${one.update}`), make("td", make("code", one.answer || "200, empty")))))) : null,
      ] : make("p.hint", "The server knows nothing of this chat yet: its first update makes the row."),
      make("h3", "Lanes", make("small", " jobs of this bot that are not settled")),
      jobs.length ? make("table.rows", make("thead", make("tr", ["lane", "chat", "what", "attempts", "stands"].map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", jobs.map((job) => make("tr", make("td", job.lane), make("td", String(job.chat)), make("td", job.what), make("td", String(job.attempts)), make("td", job.stands)))))
        : make("p.hint", "All lanes are empty."),
      make("h3", "Dead letters", make("small", " updates that failed or were given up")),
      failures.length ? make("table.rows", make("thead", make("tr", ["update", "why", "failures", "last", ""].map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", failures.map((one) => make("tr", make("td", one.update === null ? "without id" : `#${one.update}`), make("td", one.reason), make("td", String(one.failures)), make("td", exactTime(one.last_at)), make("td", one.dead_at === null ? "comes again" : "given up")))))
        : make("p.hint", "None."),
    ].flat().filter(Boolean));
  }
}

function view(title, words, what) {
  return make("div.view-card", make("h3", title), make("small", words),
    what ? [make("strong.screen-name", what.screen), args(what.arguments),
      make("p", `revision ${what.revision}`, what.message_id ? `, message ${what.message_id}` : null),
      make("p.stack", "back: ", what.stack?.length ? what.stack.map((frame) => frame.screen).join(" › ") : "–")] : make("strong.screen-name", "–"));
}

function args(all) {
  return all && Object.keys(all).length ? make("code", Object.entries(all).map(([name, value]) => `${name}=${value}`).join(" ")) : null;
}

function fact(name, value) {
  return make("div", make("dt", name), make("dd", String(value)));
}
