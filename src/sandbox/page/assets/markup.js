// Telegram's HTML as nodes: the tags that it knows, and everything else as the text it is.

import { make } from "./dom.js";

const TAGS = {
  b: "strong", strong: "strong", i: "em", em: "em", u: "u", ins: "u", s: "s", strike: "s", del: "s",
  code: "code", pre: "pre", blockquote: "blockquote", a: "a", span: "span", "tg-spoiler": "span",
  "tg-emoji": "span",
};
const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"' };
const TOKEN = /<(\/?)([a-z][a-z0-9-]*)((?:\s+[^<>]*)?)>|([^<]+|<)/gi;

/** The nodes of `html`. */
export function rich(html) {
  const root = document.createDocumentFragment();
  const open = [{ tag: null, node: root }];
  for (const [, closing, name, attributes, text] of html.matchAll(TOKEN)) {
    const top = open[open.length - 1];
    if (text !== undefined) {
      top.node.append(unescape(text));
    } else if (closing) {
      const at = open.findLastIndex((one) => one.tag === name.toLowerCase());
      if (at > 0) open.length = at;
    } else {
      const node = element(name.toLowerCase(), attributes);
      if (!node) continue;
      top.node.append(node);
      open.push({ tag: name.toLowerCase(), node });
    }
  }
  return root;
}

function element(name, attributes) {
  const tag = TAGS[name];
  if (!tag) return null;
  const value = (key) => {
    const found = attributes.match(new RegExp(`\\b${key}\\s*=\\s*"([^"]*)"`, "i"));
    return found ? unescape(found[1]) : null;
  };
  if (name === "a") return link(value("href"));
  if (name === "tg-spoiler" || (name === "span" && value("class") === "tg-spoiler")) return spoiler();
  return make(tag);
}

function link(address) {
  const safe = address !== null && /^https?:\/\//i.test(address);
  return safe ? make("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }) : make("span.link", { title: address ?? "" });
}

function spoiler() {
  const hidden = make("span.spoiler", { role: "button", tabindex: "0", "aria-label": "Hidden text, press to show" });
  const show = () => {
    hidden.classList.add("shown");
    hidden.removeAttribute("aria-label");
  };
  hidden.addEventListener("click", show);
  hidden.addEventListener("keydown", (event) => event.key === "Enter" && show());
  return hidden;
}

function unescape(text) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
