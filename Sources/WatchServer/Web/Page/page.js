// The page of `historywatch serve --http`: the newest transactions, and each one as it is committed.
// Memory is bounded: KEPT transactions, each with LARGEST changes.

import { Denied, ask, enter, events } from "./server.js";
import { authorName, colour, noticeView, relative, transactionView } from "./transactions.js";
import { make, parse, plural, visible } from "./values.js";

const KEPT = 500, PAGE = 100, LARGEST = 1000, SILENCE = 45_000, STATUS_EVERY = 5000;
const byId = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let database = null;

// The list, and what waits to be put on it

const list = byId("history");
const state = { paused: false, waiting: [], waited: 0, unspoken: 0, oldest: null, scheduled: false };
const isHeld = () => state.paused || window.scrollY > 120;

/** Takes a line; it is shown with the next frame, or when nothing holds the list any more. */
function receive(line) {
  state.waiting.push(line);
  if (line.kind === "transaction") state.waited += 1;
  if (state.waiting.length > KEPT) state.waiting.shift();
  schedule();
}

function schedule() {
  if (state.scheduled) return;
  state.scheduled = true;
  requestAnimationFrame(() => { state.scheduled = false; if (isHeld()) showWaiting(); else flush(); });
}

function flush() {
  const views = state.waiting.map(view);
  for (const item of views) if (item.transaction) item.classList.add("arrived");
  list.prepend(...views.reverse());
  while (list.children.length > KEPT) list.lastChild.remove();
  state.unspoken += state.waited;
  state.waiting = [];
  state.waited = 0;
  showWaiting();
  settle();
}

function view(line) {
  if (line.kind !== "transaction") return noticeView(line);
  facets.author.add(line.author ?? "");
  for (const change of line.changes) facets.table.add(change.table);
  const made = transactionView({ ...line, count: line.changes.length, changes: line.changes.slice(0, LARGEST) });
  made.hidden = !matches(made);
  return made;
}

function showWaiting() {
  const count = state.waited, button = byId("waiting");
  button.hidden = count === 0;
  button.textContent = `${plural(count, "new transaction")}${state.paused ? " waiting" : ""}`;
  byId("pause").textContent = state.paused ? `Resume${count ? ` (${count})` : ""}` : "Pause";
  byId("pause").setAttribute("aria-pressed", state.paused);
  document.title = `${count ? `(${count}) ` : ""}${database ? database.split("/").pop() + " · " : ""}historywatch`;
}

function setPaused(paused) {
  state.paused = paused;
  byId("spoken").textContent = paused ? "Paused" : "Resumed";
  if (isHeld()) showWaiting(); else flush();
}

/** What belongs below the list, after it changed. */
function settle() {
  const any = list.children.length > 0, shown = [...list.children].some((item) => !item.hidden);
  const filtered = location.hash.length > 1 && Object.values(facets).some((facet) => facet.chosen.size);
  byId("empty").hidden = shown;
  byId("empty").textContent = any ? "Nothing that is loaded has this text." :
    filtered ? "Nothing yet that matches the filters." : "Nothing has been recorded yet. What is committed shows here at once.";
  byId("earlier").hidden = !state.oldest || list.children.length >= KEPT;
}

const matches = ({ transaction, textContent }, text = byId("search").value.trim().toLowerCase()) => !text || !transaction ||
  (textContent + JSON.stringify(transaction)).toLowerCase().includes(text);

// Following

const wanted = () => [["database", database], ...Object.entries(facets).flatMap(([name, facet]) => [...facet.chosen].map((value) => [name, value]))];

/** What was committed before a position, newest first; whether there is more is in `state.oldest`. */
async function log(before, signal) {
  const parameters = [...wanted(), ["limit", PAGE], ...(before ? [["before", before]] : [])];
  const text = await (await ask("log", parameters, {}, signal)).text();
  const lines = text.split("\n").filter(Boolean).map(parse);
  // An answer that is large may have fewer lines than were asked for.
  state.oldest = lines.length === PAGE || text.length > 1_000_000 ? lines.at(-1).token : null;
  return lines;
}

async function showEarlier() {
  const { signal } = current, found = await log(state.oldest, signal).catch(() => null);
  if (signal.aborted) return;
  if (!found) state.oldest = null;
  list.append(...(found ?? []).map(view).slice(0, KEPT - list.children.length));
  settle();
}

let current = new AbortController();

/** Begins anew with the database and the filters that are chosen now. */
function begin() {
  current.abort();
  current = new AbortController();
  list.replaceChildren();
  Object.assign(state, { waiting: [], waited: 0, oldest: null });
  follow(current.signal);
}

/** Shows the newest transactions, then each one as it comes, however often the connection is lost. */
async function follow(signal) {
  const position = { since: null, failures: 0 };
  while (!signal.aborted) {
    try {
      connection("opening");
      position.since ??= await newest(signal);
      await stream(position, signal);
    } catch (failure) {
      if (signal.aborted) return;
      if (failure instanceof Denied) { connection("denied", "needs a token"); await enter(); continue; }
      trouble(failure.status ? failure.message : null);
      // The position is of no use any more: another store is there now, or an older state of this one.
      if ([400, 410].includes(failure.status)) Object.assign(position, { since: null, last: null });
    }
    if (signal.aborted) return;
    connection("lost", "connection lost, trying again");
    await pause(Math.min(10_000, 500 * 2 ** position.failures++));
  }
}

/** Fills the list; returns where to go on. */
async function newest(signal) {
  const served = await showStatus();
  const found = await log(null, signal);
  list.replaceChildren(...found.map(view));
  // One large transaction can fill an answer; by itself it does not say what went on.
  if (found.length < 20 && state.oldest) await showEarlier();
  settle();
  return found[0]?.token ?? served?.head ?? "oldest";
}

async function stream(position, signal) {
  const attempt = new AbortController();
  let watchdog;
  const alive = () => { clearTimeout(watchdog); watchdog = setTimeout(() => attempt.abort(), SILENCE); };
  alive();
  try {
    const parameters = [...wanted(), ["since", position.since], ["group", "transaction"], ["on-expired", "oldest"]];
    const response = await ask("events", parameters, position.last ? { "Last-Event-ID": position.last } : {},
      AbortSignal.any([signal, attempt.signal]));
    for await (const event of events(response, alive)) {
      const line = parse(event.data.join("\n"));
      if (line.kind === "hello") { connection("live"); trouble(null); position.failures = 0; settle(); }
      else if (["transaction", "schema", "gap", "expired"].includes(line.kind) || line.kind === "bye" && line.reason === "error") receive(line);
      if (event.id) position.last = event.id;
    }
  } finally {
    clearTimeout(watchdog);
    attempt.abort();
  }
}

function connection(name, text = name) {
  byId("connection").dataset.state = name;
  byId("connection").textContent = text;
}

function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble").textContent = text ?? "";
}

// The panel: filters, consumers, the store

/** A list of values that can be chosen; none chosen means all. */
class Facet {
  chosen = new Set();
  seen = new Set();
  constructor(name, values = []) {
    this.name = name;
    values.forEach((value) => this.add(value));
  }
  add(value) {
    if (this.seen.has(value)) return;
    this.seen.add(value);
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value, checked: this.chosen.has(value) });
    box.onchange = () => { this.chosen[box.checked ? "add" : "delete"](value); remember(); begin(); };
    const name = this.name !== "author" ? make("span", "", value) :
      colour(make("span", "author transaction", authorName(value || null)), value || null);
    const rows = [...byId(this.name).children], row = Object.assign(make("label", "choice", box, name), { value });
    const next = this.name === "op" ? null : rows.find((other) => !other.value || value && other.value > value);
    byId(this.name).insertBefore(row, next ?? null);
  }
  choose(values) {
    this.chosen = new Set(values);
    values.forEach((value) => this.add(value));
    for (const row of byId(this.name).children) row.querySelector("input").checked = this.chosen.has(row.value);
  }
}

const facets = { table: new Facet("table"), author: new Facet("author"), op: new Facet("op", ["insert", "update", "delete"]) };

/** Keeps what is chosen in the address, so that a page can be loaded again or sent to someone. */
function remember() {
  const parameters = wanted().filter(([name]) => name !== "database" || byId("database").options.length > 1);
  history.replaceState(null, "", `#${new URLSearchParams(parameters)}`);
  byId("clear").hidden = !Object.values(facets).some((facet) => facet.chosen.size);
}

function recall() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  database = parameters.get("database") ?? database;
  for (const [name, facet] of Object.entries(facets)) facet.choose(parameters.getAll(name));
  byId("clear").hidden = !Object.values(facets).some((facet) => facet.chosen.size);
}

/** Shows the state of the store that is looked at, and returns it. */
async function showStatus() {
  const { databases, server } = await (await ask("status")).json();
  const paths = databases.map((served) => served.database), select = byId("database");
  if (!paths.includes(database)) database = paths[0];
  if (select.options.length !== paths.length) select.replaceChildren(...paths.map((path) => new Option(path.split("/").pop(), path)));
  select.value = database;
  select.hidden = paths.length < 2;
  byId("path").textContent = select.hidden ? database.split("/").pop() : "";
  byId("path").title = database;
  const served = databases.find(({ database: path }) => path === database);
  if (served.error) trouble([served.error.message, served.error.hint].filter(Boolean).join("; "));
  for (const { table } of served.tables ?? []) facets.table.add(table);
  showConsumers(served.consumers ?? []);
  showStore(served, server);
  showWaiting();
  return served;
}

function showConsumers(consumers) {
  byId("consumers").replaceChildren(...consumers.map(({ name, lag }) => {
    const bar = make("span", "");
    // Powers of ten, so that 10 can be told from 0 and 100,000 from 10,000; a million fills it.
    bar.style.width = `${Math.min(100, 100 * Math.log10(1 + lag) / 6)}%`;
    const text = make("span", "quiet", lag ? `${plural(lag, "change")} behind` : "up to date");
    return make("li", lag ? "behind" : "", make("span", "", visible(name)), text, make("span", "bar", bar));
  }));
  if (!consumers.length) byId("consumers").append(make("li", "quiet", "none"));
}

function showStore(served, server) {
  const kilobytes = (served.size ?? 0) / 1000;
  const drift = (served.tables ?? []).filter((table) => table.drift.length).map(({ table, drift }) => `${table}: ${drift.join(", ")}`);
  const facts = { file: served.database, history: kilobytes < 1000 ? `${Math.ceil(kilobytes)} kB` : `${(kilobytes / 1000).toFixed(1)} MB`,
    tables: served.tables && `${served.tables.length} tracked`, drift: drift.join("; "), clients: server && server.connections + (server.streams ?? 0) };
  byId("store").replaceChildren(...Object.entries(facts).filter(([, value]) => value != null && value !== "")
    .flatMap(([name, value]) => [make("dt", "", name), make("dd", name === "drift" ? "warning" : "", String(value))]));
}

// The keyboard, the clock, and what the buttons do

function move(step) {
  const heads = [...list.querySelectorAll("li:not([hidden]) > .head")];
  const at = heads.indexOf(document.activeElement?.closest("li")?.querySelector(".head"));
  const next = heads[at < 0 ? 0 : Math.min(heads.length - 1, Math.max(0, at + step))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

const toTop = () => { window.scrollTo(0, 0); list.querySelector(".head")?.focus({ preventScroll: true }); };
const find = () => { byId("search").focus(); byId("search").select(); };
const keys = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), g: toTop, "/": find,
  p: () => setPaused(!state.paused), " ": () => setPaused(!state.paused), "?": () => byId("help").showModal(),
  Escape: () => document.activeElement?.blur(),
};

addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !keys[key]) return;
  const typing = target.matches("input[type=search], select"), control = target.matches("button:not(.head), input");
  if (typing && key !== "Escape" || key === " " && control) return;
  event.preventDefault();
  keys[key]();
});
// A button is pressed when the space bar comes up; over a transaction that key pauses.
addEventListener("keyup", (event) => { if (event.key === " " && event.target.matches(".head")) event.preventDefault(); });

addEventListener("scroll", () => { if (state.waiting.length && !isHeld()) flush(); }, { passive: true });
addEventListener("hashchange", () => { recall(); begin(); });
byId("pause").onclick = () => setPaused(!state.paused);
byId("waiting").onclick = () => { window.scrollTo(0, 0); setPaused(false); };
byId("earlier").onclick = showEarlier;
byId("help-button").onclick = () => byId("help").showModal();
byId("clear").onclick = () => { Object.values(facets).forEach((facet) => facet.choose([])); remember(); begin(); };
byId("database").onchange = () => { database = byId("database").value; remember(); begin(); };
byId("panel-button").onclick = () => byId("panel-button").setAttribute("aria-expanded", byId("panel").classList.toggle("shown"));
byId("search").oninput = () => { for (const item of list.children) item.hidden = !matches(item); settle(); };

setInterval(() => {
  for (const element of list.querySelectorAll(".ago")) {
    const text = element.at ? relative(element.at) : "";
    if (element.textContent !== text) element.textContent = text;
  }
  if (state.unspoken) byId("spoken").textContent = plural(state.unspoken, "new transaction");
  state.unspoken = 0;
  if (document.visibilityState === "visible" && byId("connection").dataset.state === "live") showStatus().catch(() => {});
}, STATUS_EVERY);

recall();
begin();
