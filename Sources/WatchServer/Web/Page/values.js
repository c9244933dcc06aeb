// How values are shown. Whatever was stored becomes text nodes and never markup.

const LONG = 200;

export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Makes an element; children that are strings become text nodes, and what is empty or false becomes nothing. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.flat().filter((child) => child != null && child !== "" && child !== false));
  return element;
}

/** A number as it was written, where JavaScript would write it otherwise: 1.0, -0.0, 1e+300. */
class Written { constructor(source) { this.source = source; } }

export const parse = (json) => JSON.parse(json, (_, value, context) =>
  typeof value === "number" && context && context.source !== String(value) ? new Written(context.source) : value);

/** Text with pictures for the control characters that would show as nothing. */
export const visible = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, (character) =>
  character === "\x7f" ? "␡" : String.fromCharCode(0x2400 + character.charCodeAt(0)));

const hex = (base64) => Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/** What a value is, and its text, of which no more is made than `limit` characters. */
function describe(value, limit = Infinity) {
  const bytes = value?.$blob ?? value?.$text;
  if (value == null) return { kind: "null", text: "NULL", length: 4 };
  if (bytes !== undefined) {
    const size = bytes.length / 4 * 3 - (bytes.match(/=*$/)[0].length);
    const shown = limit === Infinity ? bytes : bytes.slice(0, Math.max(4, Math.ceil(limit / 8) * 4));
    const what = value.$text === undefined ? "" : " text that is not UTF-8,";
    return { kind: "blob", text: `x'${hex(shown)}${shown.length < bytes.length ? "…" : ""}'${what} ${plural(size, "byte")}`, length: size * 2 };
  }
  if (typeof value === "string") {
    const text = value.length > limit ? value.slice(0, limit) + "…" : value;
    return { kind: "text", text: `"${visible(text)}"`, length: value.length };
  }
  const number = value.$integer ?? value.$real?.replace("Infinity", "∞") ?? value.source ?? String(value);
  return { kind: "number", text: number, length: 0 };
}

export function valueView(value, limit) {
  const { kind, text } = describe(value, limit);
  return make("span", `value ${kind}`, text);
}

/** A value in a table: a long one is cut, with a button for the rest. */
export function cell(image, column) {
  if (!image || !(column in image)) return make("td");
  const view = valueView(image[column], LONG), { length } = describe(image[column], 0);
  const made = make("td", "", view);
  if (length > LONG) {
    const button = make("button", "", `all ${plural(length, "character")}`);
    button.onclick = () => { view.textContent = describe(image[column]).text; button.remove(); };
    made.append(button);
  }
  return made;
}
