// Things to break, each with one line of what one should see.

import { make, snack } from "./dom.js";
import { ask } from "./server.js";

const ALL = [
  { title: "On the way to the webhook", faults: [
    ["lose_answer", "Lose the answer", "Telegram sends the update again: attempt 2 gets the same answer, and there is one effect."],
    ["twice", "Deliver twice at once", "Two copies at the same moment: one effect, the same answer."],
    ["delay", "Delay the answer", "The next tap spins for 3 s; what it did is done at once, and nobody else waits."],
    ["close", "Close the connection", "Telegram hangs up after writing: the update is applied all the same, its repeat changes nothing."],
    ["poison", "Poison update", "An update that nobody can read: a dead letter and 200 at once, so that it holds nothing up."],
    ["burst", "Burst of 20 taps", "20 presses of one user, one after the other: all answered, and few edits show the newest screen."],
  ] },
  { title: "On the way to the user", faults: [
    ["block", "Block the bot", "An update says so; what is sent to this user from then on is refused with 403."],
    ["flood", "429 for the chat", "The Bot API has this chat wait 8 s: its screen comes late, and no other chat's does."],
    ["slow", "Slow Bot API", "Calls take 3 s longer: screens come late, the webhook stays as fast as it was."],
    ["fail", "Bot API answers 500", "The next 3 calls fail: the sender tries again until the screen is there."],
  ] },
];
const PER_USER = ["burst", "block", "flood"];

export class FaultPanel {
  constructor(panel, pill, people) {
    this.people_now = people;
    this.pill = pill;
    this.user = make("select", { id: "fault-user", "aria-label": "User whom it is about" });
    this.armed = make("ul.armed", { "aria-live": "polite", "aria-label": "Waiting to strike" });
    this.clear = make("button.quiet", { type: "button", hidden: true, onclick: () => ask("faults/clear") }, "Nothing shall go wrong any more");
    panel.append(
      make("p.lead", "Choose a fault, then tap something in a chat. ", make("label", { for: "fault-user" }, "User: "), this.user),
      make("div.standing", this.armed, this.clear),
      ...ALL.flatMap(({ title, faults }) => [make("h3", title), make("div.faults", faults.map(([id, name, see]) => this.button(id, name, see)))]));
  }

  button(id, name, see) {
    return make("button.fault", { type: "button", data: { fault: id }, onclick: () => this.strike(id, name) }, make("strong", name), make("span", see));
  }

  async strike(fault, name) {
    const told = await ask("faults", { fault, user: Number(this.user.value) });
    if (told) snack(PER_USER.includes(fault) ? `${name}: ${this.user.selectedOptions[0]?.textContent}.` : told.armed ? `${name}: armed. Now tap something.` : `${name}: done.`);
  }

  people() {
    const chosen = this.user.value;
    this.user.replaceChildren(...this.people_now().map((one) => make("option", { value: String(one.id) }, one.first_name)));
    if (chosen) this.user.value = chosen;
  }

  /** What is to go wrong still. */
  standing(all) {
    this.armed.replaceChildren(...all.map((one) => make("li.badge.struck", `${one.name}${one.times === null ? "" : ` × ${one.times}`}`)));
    this.clear.hidden = all.length === 0;
    this.pill.hidden = all.length === 0;
    this.pill.dataset.state = "lost";
    this.pill.textContent = `${all.length} ${all.length === 1 ? "fault" : "faults"} armed`;
  }
}
