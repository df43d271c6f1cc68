// The foot of a chat: START, the field to write in, the commands menu, or the way back from a block.

import { drawing, make } from "./dom.js";
import { ask } from "./server.js";

const SEND = "M4 12 20 4l-5 16-3.5-6.5z";
const MENU = "M4 7h16M4 12h16M4 17h10";

/** A foot for `user`; `view` gives the chat as it is. */
export function composer(user, view) {
  const does = (what, body) => ask(`users/${user.id}/${what}`, body);
  const field = make("input", { type: "text", "aria-label": `Message of ${user.first_name}`, placeholder: "Message", autocomplete: "off", maxlength: "4096", enterkeyhint: "send" });
  const commands = make("div.commands", { role: "menu", "aria-label": "Commands", hidden: true });
  const menu = make("button.icon.menu", { type: "button", "aria-label": "Commands of the bot", "aria-haspopup": "menu", "aria-expanded": "false", hidden: true }, drawing(MENU));
  const form = make("form", menu, field, make("button.icon.send", { type: "submit", "aria-label": "Send" }, drawing(SEND)));
  const start = make("button.wide", { type: "button", onclick: () => does(view()?.blocked ? "unblocks" : "starts") }, "START");
  const element = make("footer.foot-line", commands, form, start);

  const close = () => {
    commands.hidden = true;
    menu.setAttribute("aria-expanded", "false");
  };
  const open = (matching) => {
    const all = (view()?.commands ?? []).filter((one) => one.command.startsWith(matching));
    commands.replaceChildren(...all.map((one) => make("button", { type: "button", role: "menuitem", onclick: () => { close(); field.value = ""; does("says", { text: `/${one.command}` }); } },
      make("strong", `/${one.command}`), make("span", one.description))));
    commands.hidden = all.length === 0;
    menu.setAttribute("aria-expanded", String(!commands.hidden));
  };

  menu.addEventListener("click", () => (commands.hidden ? (open(""), commands.querySelector("button")?.focus()) : close()));
  field.addEventListener("input", () => (/^\/\w*$/.test(field.value) ? open(field.value.slice(1)) : close()));
  element.addEventListener("keydown", (event) => {
    const all = [...commands.querySelectorAll("button")];
    if (event.key === "Escape" && !commands.hidden) { close(); field.focus(); }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || commands.hidden || !all.length) return;
    event.preventDefault();
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length].focus();
  });
  element.addEventListener("focusout", (event) => element.contains(event.relatedTarget) || close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    close();
    if (!text) return;
    field.value = "";
    if ((await does("says", { text })) === null) field.value ||= text;
  });

  return {
    element,
    update(chat) {
      const away = chat.blocked || !chat.started;
      form.hidden = away;
      start.hidden = !away;
      start.textContent = chat.blocked ? "UNBLOCK AND RESTART" : "START";
      menu.hidden = chat.commands.length === 0;
      if (away) close();
    },
  };
}
