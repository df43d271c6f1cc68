// What is wrong with the flow's files, as the loader says it. The old flow goes on meanwhile.

import { make } from "./dom.js";

export class Problems {
  constructor(banner, pill) {
    this.banner = banner;
    this.pill = pill;
  }

  /** Which flow it is and whether its files are watched. */
  watches({ name, folder }) {
    this.name = name;
    this.pill.hidden = false;
    this.pill.dataset.state = "open";
    this.pill.textContent = folder ? `flow ${name}, watched` : `flow ${name}`;
    this.pill.title = folder ?? "The flow in the program; --flow DIR watches one of yours.";
    this.calm = this.pill.textContent;
  }

  told({ problems }) {
    this.banner.hidden = !problems;
    this.pill.dataset.state = problems ? "lost" : "open";
    this.pill.textContent = problems ? `flow broken: ${problems.length}` : this.calm;
    if (!problems) return this.banner.replaceChildren();
    this.banner.replaceChildren(
      make("h2", `The flow has ${problems.length === 1 ? "a mistake" : `${problems.length} mistakes`}. The old one goes on.`),
      make("ul", problems.map((one) => make("li",
        make("code", one.line ? `${one.origin}:${one.line}:${one.column}` : one.origin),
        ` ${one.message}`, one.help ? make("em", ` ${one.help}`) : null))));
  }
}
