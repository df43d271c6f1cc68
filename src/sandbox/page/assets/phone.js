// One user's chat with the bot, as their telephone shows it.

import { drawing, make, snack, still } from "./dom.js";
import { ask } from "./server.js";
import { bubble } from "./bubble.js";
import { alertOver, sheetOver } from "./sheet.js";
import { composer } from "./composer.js";

const LANGUAGES = [["en", "English"], ["ru", "Русский"], ["de", "Deutsch"], ["es", "Español"], ["fr", "Français"], ["", "tells none"]];
const HUES = [210, 28, 150, 280, 340, 95];
const DOTS = "M12 5h.01M12 12h.01M12 19h.01";

/** How near to its end a chat has to be for it to stay there. */
const NEAR_PIXELS = 120;

export class Phone {
  constructor(user, bot, place) {
    this.user = user;
    this.shown = new Map();
    this.notices = null;
    this.element = make("article.phone", { "aria-label": `Chat of ${user.first_name}`, data: { user: user.id } });
    this.element.style.setProperty("--hue", HUES[place % HUES.length]);
    this.owner = make("div.owner");
    this.status = make("span.status", { "aria-live": "polite" }, "bot");
    this.log = make("ol.log", { role: "log", tabindex: "0", "aria-label": `Messages of ${user.first_name}` });
    this.empty = make("div.empty",
      make("p.face", { "aria-hidden": "true" }, initial(bot.title)),
      make("p", make("strong", bot.title)),
      make("p", "Nothing here yet. Press START and the first update goes over the wire."));
    this.foot = composer(user, () => this.view);
    this.over = make("div.over");
    this.toasts = make("div.toasts", { role: "status", "aria-live": "polite" });
    const head = make("header.bot-head",
      make("span.face", { "aria-hidden": "true" }, initial(bot.title)),
      make("span.title", make("strong", bot.title), this.status),
      this.menu());
    this.element.append(this.owner, make("div.screen", head, make("div.scroll", this.empty, this.log), this.toasts, this.foot.element, this.over));
    this.scroll = this.element.querySelector(".scroll");
    this.log.addEventListener("click", (event) => this.tapped(event));
    this.label(user);
  }

  menu() {
    this.block = make("button", { type: "button", role: "menuitem", onclick: () => this.toggleBlock() }, "Block the bot");
    const things = [["sticker", "Send a sticker"], ["photo", "Send a photo"], ["voice", "Send a voice message"]].map(([thing, words]) =>
      make("button", { type: "button", role: "menuitem", onclick: () => this.does("sends", { thing }) }, words));
    const list = make("div.pop", { role: "menu", hidden: true, "aria-label": "More" },
      this.block,
      things,
      make("button", { type: "button", role: "menuitem", onclick: () => this.does("group", { text: "Hello everybody!" }).then((said) => said && snack(`${this.user.first_name} wrote into a group with the bot: the server answers 200 and touches nothing.`)) }, "Write into a group"));
    const more = make("button.icon", { type: "button", "aria-label": `More for ${this.user.first_name}`, "aria-haspopup": "menu", "aria-expanded": "false" }, drawing(DOTS));
    const close = () => {
      list.hidden = true;
      more.setAttribute("aria-expanded", "false");
    };
    more.addEventListener("click", () => {
      list.hidden = !list.hidden;
      more.setAttribute("aria-expanded", String(!list.hidden));
      if (!list.hidden) list.querySelector("button").focus();
    });
    list.addEventListener("click", close);
    const wrap = make("div.more", more, list);
    wrap.addEventListener("focusout", (event) => wrap.contains(event.relatedTarget) || close());
    wrap.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { close(); more.focus(); }
      const all = [...list.querySelectorAll("button")];
      const at = all.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (at < 0 || !step) return;
      event.preventDefault();
      all[(at + step + all.length) % all.length].focus();
    });
    return wrap;
  }

  /** Who the telephone belongs to. */
  label(user) {
    this.user = user;
    const chosen = user.language ?? "";
    const known = LANGUAGES.some(([tag]) => tag === chosen) ? LANGUAGES : [[chosen, chosen], ...LANGUAGES];
    const language = make("select", { "aria-label": `Language of ${user.first_name}'s Telegram`, title: "The language of the user's Telegram. The bot looks at it at first contact; after that the bot's own settings hold.", onchange: () => this.does("speaks", { language: language.value || null }) },
      known.map(([tag, name]) => make("option", { value: tag, selected: tag === chosen }, name)));
    this.owner.replaceChildren(
      make("span.face", { "aria-hidden": "true" }, initial(user.first_name)),
      make("h2", user.first_name),
      make("span.id", { title: "Chat id" }, String(user.id)),
      language);
  }

  does(what, body) {
    return ask(`users/${this.user.id}/${what}`, body);
  }

  toggleBlock() {
    this.does(this.view?.blocked ? "unblocks" : "blocks");
  }

  tapped(event) {
    const button = event.target.closest("button[data-row]");
    if (!button) return;
    const message = Number(button.closest("li").dataset.message);
    const of = this.view?.messages.find((one) => one.id === message);
    const action = of?.keyboard[button.dataset.row]?.[button.dataset.column];
    if (!of || !action) return;
    if (action.does === "pay") this.sheet = message;
    else this.does("presses", { message, row: Number(button.dataset.row), column: Number(button.dataset.column) }).then((pressed) => {
      if (pressed?.opens) snack(`${this.user.first_name} opens ${pressed.opens}`);
    });
    this.draw();
  }

  /** Shows the chat as it is now. */
  update(view) {
    this.view = view;
    this.draw();
  }

  draw() {
    const view = this.view;
    if (!view) return;
    this.element.dataset.blocked = view.blocked;
    this.block.textContent = view.blocked ? "Unblock the bot" : "Block the bot";
    this.status.textContent = view.action ? { typing: "typing…", upload_photo: "sending a photo…" }[view.action] ?? `${view.action}…` : "bot";
    this.status.classList.toggle("acting", Boolean(view.action));
    this.empty.hidden = view.messages.length > 0;
    this.drawMessages(view);
    this.drawNotices(view.notices);
    this.foot.update(view);
    this.drawSheet(view);
  }

  drawMessages(view) {
    const near = this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight < NEAR_PIXELS;
    const waiting = new Map();
    for (const press of view.waiting) waiting.set(`${press.message}/${press.data}`, true);
    const there = new Set();
    let before = null;
    for (const message of view.messages) {
      there.add(message.id);
      const key = JSON.stringify([message, message.keyboard.flat().map((button) => waiting.has(`${message.id}/${button.data}`))]);
      const known = this.shown.get(message.id);
      if (known?.key !== key) {
        const made = bubble(message, (data) => waiting.has(`${message.id}/${data}`));
        if (known) {
          const focused = focusIn(known.element);
          known.element.replaceWith(made);
          if (message.edited !== known.edited) flash(made, "edited-now");
          if (focused) focusLike(focused, made);
        } else {
          made.classList.add("new");
          insertAfter(this.log, before, made);
        }
        this.shown.set(message.id, { key, element: made, edited: message.edited });
      }
      before = this.shown.get(message.id).element;
    }
    for (const [id, known] of this.shown) {
      if (there.has(id)) continue;
      known.element.remove();
      this.shown.delete(id);
    }
    if (near) this.scroll.scrollTo({ top: this.scroll.scrollHeight, behavior: still() ? "auto" : "smooth" });
  }

  drawNotices(notices) {
    const last = notices.at(-1)?.number ?? 0;
    // What was said before the page was opened is over.
    const fresh = this.notices === null ? [] : notices.filter((notice) => notice.number > this.notices);
    this.notices = Math.max(last, this.notices ?? 0);
    for (const notice of fresh) {
      if (!notice.text) continue;
      if (notice.alert) alertOver(this.over, notice.text);
      else {
        const toast = make("p.toast", notice.text);
        this.toasts.append(toast);
        setTimeout(() => toast.remove(), 3200);
      }
    }
  }

  drawSheet(view) {
    if (!this.sheet) return;
    const message = view.messages.find((one) => one.id === this.sheet);
    if (message?.content.kind !== "invoice") this.sheet = null;
    sheetOver(this.over, this.sheet && message, {
      pay: () => this.does("pays", { message: message.id }),
      close: () => { this.sheet = null; },
    });
    if (message?.content.payment?.state === "paid") this.sheet = null;
  }
}

function insertAfter(list, before, made) {
  if (before) before.after(made);
  else list.prepend(made);
}

function flash(element, name) {
  element.classList.add(name);
  setTimeout(() => element.classList.remove(name), 1600);
}

/** The button of `element` that has the focus, if one has. */
function focusIn(element) {
  return element.contains(document.activeElement) && document.activeElement.dataset.row ? document.activeElement : null;
}

/** A pressed button whose message is edited keeps the focus at its place: the keyboard's user goes on from there. */
function focusLike(focused, made) {
  const { row, column } = focused.dataset;
  const same = made.querySelector(`button[data-row="${row}"][data-column="${column}"]`) ?? made.querySelector("button[data-row]");
  same?.focus({ preventScroll: true });
}

function initial(name) {
  return [...name][0]?.toUpperCase() ?? "?";
}
