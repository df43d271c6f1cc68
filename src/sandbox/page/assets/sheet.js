// What slides over a chat: an alert, the payment sheet.

import { make } from "./dom.js";

/** An alert that has to be closed. */
export function alertOver(over, text) {
  const before = document.activeElement;
  const close = () => {
    box.remove();
    before?.isConnected && before.focus({ preventScroll: true });
  };
  const ok = make("button", { type: "button", onclick: close }, "OK");
  const box = make("div.veil", { role: "alertdialog", "aria-modal": "true", "aria-label": "Alert of the bot" },
    make("div.alert", make("p", text), ok));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "Tab") event.preventDefault();
  });
  over.append(box);
  ok.focus();
}

/** The payment sheet of the invoice `message`, or none. */
export function sheetOver(over, message, { pay, close }) {
  const old = over.querySelector(".sheet-veil");
  const invoice = message?.content;
  const state = JSON.stringify(invoice ?? null);
  if (old?.dataset.state === state) return;
  old?.remove();
  if (!invoice || invoice.payment.state === "refunded") return;
  const shut = () => {
    over.querySelector(".sheet-veil")?.remove();
    close();
  };
  const waiting = invoice.payment.state === "waiting";
  const done = invoice.payment.state === "paid";
  const confirm = make("button.wide", { type: "button", disabled: waiting, "aria-busy": waiting ? "true" : null, onclick: done ? shut : pay },
    done ? "Done" : waiting ? "Waiting for the bot…" : `Confirm and pay ⭐ ${invoice.stars}`);
  const veil = make("div.veil.sheet-veil", { role: "dialog", "aria-modal": "true", "aria-label": "Payment", data: { state } },
    make("div.sheet",
      make("button.icon.close", { type: "button", "aria-label": "Close", onclick: shut }, "✕"),
      make("p.star", { "aria-hidden": "true" }, "⭐"),
      make("h3", done ? "Payment successful" : "Confirm your purchase"),
      make("p", done ? `You paid for ${invoice.title}.` : `Do you want to buy ${invoice.title} for ${invoice.stars} Stars?`),
      invoice.payment.state === "failed" ? make("p.failed", { role: "alert" }, invoice.payment.reason) : null,
      confirm,
      make("p.hint", "The bot is asked (pre_checkout_query) and has 10 s to agree. No money moves here.")));
  veil.addEventListener("keydown", (event) => event.key === "Escape" && shut());
  over.append(veil);
  confirm.focus();
}
