// The page's one conversation with the sandbox: what it is told, and what it asks for.

import { snack } from "./dom.js";

/** Listens to everything that changes. `hear` has a function for each name of an event; `stands` hears how the line is. */
export function listen(hear, stands) {
  const source = new EventSource("/events");
  source.onopen = () => stands("open");
  source.onerror = () => stands("lost");
  for (const [name, heard] of Object.entries(hear)) {
    source.addEventListener(name, (event) => heard(JSON.parse(event.data)));
  }
}

/** Asks for something to be done. Gives what it led to, or nothing after a failure, which the reader is told. */
export async function ask(path, body = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    snack("The sandbox does not answer: has it been stopped?", "error");
    return null;
  }
  return answered(response);
}

/** Reads something. */
export async function look(path) {
  try {
    return await answered(await fetch(`/api/${path}`));
  } catch {
    return null;
  }
}

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  snack(answer.error ?? `The sandbox answered ${response.status}.`, "error");
  return null;
}
