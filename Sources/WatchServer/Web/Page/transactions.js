// How transactions and what else is in a history are shown.

import { cell, make, plural, valueView, visible } from "./values.js";

const GLANCE = 3, OPENED = 100;
const SIGNS = { insert: "+", update: "~", delete: "−" };

/** A hue that is always the same for a name: FNV-1a, mixed, from a start that sets the usual names (app, widget) far apart. */
function hue(name) {
  let hash = 0x811c9e12;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return ((hash ^ (hash >>> 16)) >>> 0) % 16 * 22.5;
}

export function colour(element, author) {
  element.classList.toggle("untagged", author == null);
  if (author != null) element.style.setProperty("--hue", hue(author));
  return element;
}

export const authorName = (author) => author == null ? "untagged" : visible(author);

function title(change) {
  const columns = Object.entries(change.key ?? {});
  const key = columns.map(([name, value]) => [columns.length > 1 && make("span", "column", `${name}=`), " ", valueView(value, 40)]);
  const op = make("span", "op", SIGNS[change.op] ?? "?");
  return [op, make("span", "unseen", `${change.op} `), make("span", "name", change.table), key.flat()];
}

/** A change in one line. */
function glance(change) {
  const line = make("span", `line ${change.op}`, ...title(change));
  const image = change.after ?? change.before ?? {};
  // Of a row that came or went, what is in the key already or is NULL says little.
  const names = change.changed ?? Object.keys(image).filter((name) => !(name in change.key) && image[name] !== null);
  for (const name of names.slice(0, 12)) {
    line.append(make("span", "column", name), " ");
    if (change.op === "update") line.append(valueView(change.before?.[name], 60), make("span", "arrow", " → "));
    line.append(valueView(image[name], 60));
  }
  return line;
}

/** A change with everything that is known of it, before and after. */
function fullView(change) {
  const names = [...new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})])];
  const table = make("table", "", make("caption", change.op, ...title(change)));
  if (!names.length) return make("div", "", table, make("p", "facts", "Only the key was captured."));
  const sides = ["before", "after"].filter((side) => change[side]);
  const heads = ["column", ...sides].map((head) => Object.assign(make("th", "", head), { scope: "col" }));
  table.append(make("thead", "", make("tr", "", heads)), make("tbody", "", names.map((name) => {
    const head = Object.assign(make("th", "", name), { scope: "row" });
    return make("tr", change.changed?.includes(name) ? "changed" : "", head, sides.map((side) => cell(change[side], name)));
  })));
  return table;
}

function detail(transaction) {
  const { changes } = transaction, view = make("div", "detail"), more = make("button", "");
  let shown = 0;
  const facts = make("p", "facts", `${transaction.at ? exact(transaction.at) : "no time"} · transaction `,
    `${transaction.transaction} · `, plural(transaction.count, "change"), transaction.origin && ` · from store ${transaction.origin}`,
    " · token ", make("code", "", transaction.token));
  more.onclick = () => {
    more.before(...changes.slice(shown, shown += OPENED).map(fullView));
    const rest = transaction.count - shown;
    more.hidden = rest <= 0 || shown >= changes.length;
    more.textContent = `Show more of ${plural(rest, "change")}`;
    if (rest > 0 && more.hidden) more.before(make("p", "facts", `The other ${plural(rest, "change")} were too many to keep here.`));
  };
  view.append(facts, more);
  more.click();
  return view;
}

export function transactionView(transaction) {
  const { changes, count } = transaction;
  const tables = [...new Set(changes.map((change) => change.table))].join(", ");
  const body = make("span", "body", transaction.context != null && make("span", "context", visible(transaction.context)),
    changes.slice(0, GLANCE).map(glance),
    count > GLANCE && make("span", "more-changes", `and ${plural(count - GLANCE, "more change")}`),
    make("span", "summary", `${plural(count, "change")} in ${tables}`));
  const head = make("button", "head", time(transaction.at), make("span", "author", authorName(transaction.author)), body, ago(transaction.at));
  head.type = "button";
  head.setAttribute("aria-expanded", "false");
  const item = colour(make("li", "transaction", head), transaction.author);
  head.onclick = () => {
    const opened = item.classList.toggle("open");
    head.setAttribute("aria-expanded", opened);
    if (opened) item.append(detail(transaction)); else item.lastChild.remove();
  };
  return Object.assign(item, { transaction });
}

/** A date and a time to the millisecond, in the reader's zone; Swedish writes them as ISO 8601 does. */
const exact = (at) => new Date(at).toLocaleString("sv", { year: "numeric", month: "2-digit", day: "2-digit",
  hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 }).replace(",", ".");

function time(at) {
  const date = new Date(at ?? NaN), made = make("time", "time", at ? date.toLocaleTimeString("en-GB") : "—");
  if (at && Date.now() - date > 43_200_000) made.textContent = date.toLocaleDateString("sv");
  if (at) Object.assign(made, { dateTime: at, title: exact(at) });
  return made;
}

export const relative = (at) => {
  const seconds = Math.max(0, (Date.now() - new Date(at)) / 1000);
  const [size, unit] = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]].find(([size]) => seconds >= size) ?? [1, "s"];
  return seconds < 2 ? "now" : `${Math.floor(seconds / size)} ${unit} ago`;
};

const ago = (at) => Object.assign(make("span", "ago", at ? relative(at) : ""), { at });

/** A line of the history that is no transaction, as a sentence. */
export function noticeView(line) {
  const { kind, table, columns = [], to, reason } = line;
  const names = columns.join(", ");
  const sentence = {
    "columns-added": `${table} has new columns: ${names}`, "columns-removed": `${table} lost columns: ${names}`,
    "columns-renamed": `${table} has columns with new names: ${names}`, "table-renamed": `${table} is called ${to} now`,
    "table-dropped": `${table} was dropped`,
  }[line.action] ?? {
    gap: `Changes of ${table} may be missing here: ${reason?.replaceAll("-", " ")}`,
    expired: `What came before is no longer kept (${reason?.replaceAll("-", " ")}); this goes on from the oldest that is`,
    bye: `The server ended the stream: ${line.message ?? reason}`,
  }[kind] ?? kind;
  return make("li", `notice ${kind}`, make("b", "", kind), sentence);
}
