// One message: its bubble, or its line, and the keyboard under it.

import { clockTime, make } from "./dom.js";
import { rich } from "./markup.js";

/** The element of `message`; `waits` says whether the button of a payload still shows that it waits. */
export function bubble(message, waits) {
  const { content } = message;
  if (content.kind === "service") {
    return make("li.service", { data: { message: message.id } }, make("span", content.text));
  }
  const own = message.author !== "bot";
  return make(`li.message.${own ? "own" : "theirs"}`, { data: { message: message.id, kind: content.kind } },
    make("div.bubble", { title: `Message ${message.id}` },
      make("span.unseen", own ? "You: " : "Bot: "),
      body(content),
      make("span.meta",
        message.edited ? make("span.was-edited", "edited ") : null,
        make("time", { datetime: new Date(message.sent).toISOString() }, clockTime(message.edited ?? message.sent)),
        own ? make("span.ticks", { "aria-hidden": "true" }, "✓✓") : null)),
    keyboard(message.keyboard, waits));
}

function body(content) {
  switch (content.kind) {
    case "text": return make("div.text", rich(content.html));
    case "photo": return [
      make("div.photo", { role: "img", "aria-label": "Photo" },
        make("span", "🖼"), make("small", content.photo.url ?? "uploaded photo")),
      content.caption.html ? make("div.text", rich(content.caption.html)) : null];
    case "invoice": return make("div.invoice",
      make("strong", content.title),
      make("p", content.description),
      make("p.price", `⭐ ${content.stars}`, paid(content.payment)));
    default: return make("div.text.other", { }, { sticker: "🙂", voice: "🎤 0:03", location: "📍 Location" }[content.what] ?? content.what);
  }
}

function paid(payment) {
  const words = { waiting: "being paid…", paid: "paid", refunded: "refunded", failed: "not paid" }[payment.state];
  return words ? make("span.paid", { data: { state: payment.state } }, words) : null;
}

function keyboard(rows, waits) {
  if (!rows.length) return null;
  return make("div.keyboard", rows.map((row, at) => make("div.keys", row.map((button, column) => {
    const waiting = button.does === "callback" && waits(button.data);
    return make("button", {
      type: "button",
      title: button.data ?? button.url ?? null,
      "aria-busy": waiting ? "true" : null,
      data: { row: at, column, does: button.does },
    }, button.text);
  }))));
}
