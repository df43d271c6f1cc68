// What went over the wire: deliveries to the webhook, and calls of the Bot API beside them. A press shows all of one.

import { exactTime, make, milliseconds, tabs, choose } from "./dom.js";
import { look } from "./server.js";

/** How many rows of a kind are kept on the page. */
const ROWS_MAX = 150;
const KINDS = { message: "💬", callback_query: "👆", my_chat_member: "🚪", pre_checkout_query: "⭐", edited_message: "✏️" };

const METHODS = ["answerCallbackQuery", "answerPreCheckoutQuery", "sendMessage", "sendPhoto", "sendInvoice", "sendChatAction", "editMessageText", "editMessageCaption", "editMessageMedia", "editMessageReplyMarkup", "deleteMessage", "setWebhook", "deleteWebhook", "setMyCommands"];

export class Wire {
  constructor(panel, detail, nameOf) {
    this.detail = detail;
    this.nameOf = nameOf;
    this.elements = new Map();
    this.lists = { delivery: list("Deliveries to the webhook"), call: list("Calls of the Bot API") };
    this.crowd = make("input", { type: "checkbox", id: "with-crowd", onchange: () => panel.querySelectorAll('[data-crowd="true"]').forEach((row) => this.remove(row)) });
    const narrow = make("div.tabs.small", { role: "tablist", "aria-label": "Side of the wire" },
      make("button", { type: "button", role: "tab", "aria-selected": "true", data: { side: "delivery" } }, "Deliveries"),
      make("button", { type: "button", role: "tab", "aria-selected": "false", tabindex: "-1", data: { side: "call" } }, "Bot API"));
    panel.dataset.side = "delivery";
    tabs(narrow, (tab) => {
      choose(tab);
      panel.dataset.side = tab.dataset.side;
    });
    panel.append(
      make("header.panel-head", make("h2", "Wire"), narrow, make("label.check", this.crowd, "show the traffic"),
        make("button.quiet", { type: "button", onclick: () => this.clear() }, "Clear")),
      make("div.sides",
        side("delivery", "Telegram → webhook", this.lists.delivery, "Each attempt to deliver an update stands here."),
        side("call", "Tapgate → Bot API", this.lists.call, "What the server and its answers ask of the Bot API stands here.")));
  }

  /** New rows, and old ones that changed. */
  rows(rows) {
    for (const row of rows) {
      if (row.crowd && !this.crowd.checked) continue;
      const known = this.elements.get(row.id);
      const made = this.element(row);
      if (known) known.replaceWith(made);
      else this.lists[row.entry].prepend(made);
      if (known?.querySelector("button") === document.activeElement) made.querySelector("button").focus();
      this.elements.set(row.id, made);
    }
    for (const one of Object.values(this.lists)) this.trim(one);
  }

  trim(one) {
    while (one.children.length > ROWS_MAX) {
      this.remove([...one.children].findLast((row) => row.dataset.crowd === "true") ?? one.lastElementChild);
    }
  }

  remove(row) {
    this.elements.delete(Number(row.dataset.id));
    row.remove();
  }

  clear() {
    this.elements.clear();
    for (const one of Object.values(this.lists)) one.replaceChildren();
  }

  element(row) {
    const parts = row.entry === "delivery" ? this.delivery(row) : this.call(row);
    const button = make("button.wire-row", { type: "button", onclick: () => this.open(row.id) }, parts);
    return make("li", { data: { id: row.id, tone: tone(row), crowd: row.crowd } }, button);
  }

  delivery(row) {
    return [
      make("span.what", make("span.glyph", { "aria-hidden": "true" }, KINDS[row.kind] ?? "•"), row.kind),
      make("span.answer", status(row), make("span.ms", row.ms === null ? "…" : `${milliseconds(row.ms)} ms`)),
      make("span.more",
        make("span.badge", { data: { repeat: row.attempt > 1 || row.second } }, row.second ? "second copy" : row.attempt > 1 ? `repeat, attempt ${row.attempt}` : "first"),
        ` #${row.update} · ${this.nameOf(row.chat) ?? row.chat}`,
        row.inline ? [" · ", make("span.inline", `↩ ${spelled(row.inline)}`)] : null,
        row.reason ? make("span.reason", ` · ${row.reason}`) : null,
        row.faults.map((fault) => make("span.badge.struck", fault))),
    ];
  }

  call(row) {
    return [
      make("span.what", spelled(row.method)),
      make("span.answer", status(row), make("span.ms", row.ms === null ? "…" : `${milliseconds(row.ms)} ms`)),
      make("span.more",
        row.inline ? make("span.badge", "in the answer") : make("span.badge", { data: { own: true } }, "request"),
        row.chat === null ? null : ` · ${this.nameOf(row.chat) ?? row.chat}`,
        row.inline ? ` · of #${row.inline}` : null,
        row.note ? make("span.reason", ` · ${row.note}`) : null),
    ];
  }

  async open(id) {
    const all = await look(`wire/${id}`);
    if (!all) return;
    const { row } = all;
    const title = row.entry === "delivery" ? `${row.kind} #${row.update}, attempt ${row.attempt}` : spelled(row.method);
    this.detail.replaceChildren(
      make("header.panel-head", make("h2", { id: "detail-title" }, title),
        make("button.icon.close", { type: "button", "aria-label": "Close", onclick: () => this.detail.close() }, "✕")),
      make("p.facts", `${exactTime(row.at)} · ${row.ms === null ? "in flight" : `${milliseconds(row.ms)} ms`} · ${verdict(row)}`,
        row.entry === "delivery" ? ` · connection ${row.connection}` : null),
      half("Request", all.request, all.request_bytes), half("Response", all.response, all.response_bytes));
    this.detail.showModal();
  }
}

/** A method as the documentation spells it: one in an answer is known by its lower-case letters. */
function spelled(method) {
  return METHODS.find((one) => one.toLowerCase() === method.toLowerCase()) ?? method;
}

function list(name) {
  return make("ol.wire-list", { "aria-label": name });
}

function side(which, title, rows, hint) {
  return make("div.side", { data: { which } }, make("h3", title), rows, make("p.hint", hint));
}

function half(title, text, bytes) {
  return make("section", make("h3", title, make("small", ` ${bytes.toLocaleString("en")} bytes`)), make("pre", { tabindex: "0" }, text ? pretty(text) : "(nothing)"));
}

/** JSON spread over lines; the head of a message stays as it is. */
function pretty(text) {
  const at = text.indexOf("\r\n\r\n");
  const [head, body] = at < 0 ? ["", text] : [text.slice(0, at + 4).replaceAll("\r\n", "\n"), text.slice(at + 4)];
  try {
    return head + JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return head + body;
  }
}

function status(row) {
  if (row.ms === null) return make("span.code", "…");
  // What the server answered, and Telegram never saw.
  const lost = row.verdict === "retry" && row.status >= 200 && row.status < 300;
  return make("span.code", row.status === null ? "no answer" : lost ? `${row.status}, lost` : String(row.status));
}

function tone(row) {
  if (row.ms === null) return "open";
  if (row.entry === "call") return row.status >= 200 && row.status < 300 ? "good" : row.status === 429 ? "late" : "bad";
  return { delivered: "good", ignored: "good", retry: "late", in_flight: "open" }[row.verdict] ?? "bad";
}

function verdict(row) {
  if (row.entry === "call") return row.note ?? `status ${row.status ?? "none"}`;
  return {
    in_flight: "in flight", delivered: "delivered", ignored: "the answer of a second copy does not count",
    retry: `to be sent again: ${row.reason}`, expired: `expired: ${row.reason}`, cut: "the webhook was changed meanwhile",
  }[row.verdict];
}
