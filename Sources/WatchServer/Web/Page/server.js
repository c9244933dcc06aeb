// What is asked of the server, under its own address.

const byId = (id) => document.getElementById(id);
let token = null;
try { token = sessionStorage.getItem("historywatch-token"); } catch { /* Storage may be forbidden; the tab remembers. */ }

export class Denied extends Error {}

/** Asks for a path; refused for want of a token it throws Denied. */
export async function ask(path, parameters = [], headers = {}, signal = undefined) {
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(`${path}?${new URLSearchParams(parameters)}`, { headers, signal, cache: "no-store" });
  if (response.status === 401) throw new Denied("a token is needed");
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({})), fault = answer.error ?? answer;
  throw Object.assign(new Error([fault.message ?? `the server answered ${response.status}`, fault.hint].filter(Boolean).join("; ")),
    { status: response.status });
}

/** The events of a stream, read by `fetch`, since EventSource cannot send a token. */
export async function* events(response, alive) {
  let parts = [], event = { data: [] };
  for await (const chunk of chunks(response.body.pipeThrough(new TextDecoderStream()))) {
    alive();
    parts.push(chunk);
    if (!chunk.includes("\n")) continue;
    const lines = parts.join("").split("\n");
    parts = [lines.pop()];
    for (const line of lines) {
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line.replace(/\r$/, ""));
      if (line === "" || line === "\r") {
        if (event.data.length) yield event;
        event = { data: [] };
      } else if (field === "data") event.data.push(value);
      else if (field === "id") event.id = value;
    }
  }
}

async function* chunks(stream) {
  const reader = stream.getReader();
  for (let part; !(part = await reader.read()).done;) yield part.value;
}

/** Asks the person for the token; it never goes into an address or a cookie. */
export async function enter() {
  byId("token").value = "";
  byId("entrance").showModal();
  await new Promise((done) => byId("entrance").addEventListener("close", done, { once: true }));
  token = byId("token").value.trim() || token;
  try { sessionStorage.setItem("historywatch-token", token); } catch { /* As above. */ }
}
