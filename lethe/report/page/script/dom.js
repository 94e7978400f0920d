// Elements whose texts are texts, and numbers in words.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const words = (name) => name.replaceAll("_", " ");
export const percent = (share, digits = 1) => rounded(100 * share, digits).toFixed(digits);
export const several = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
export const verdictWord = (verdict) => (verdict === "na" ? "N/A" : verdict);
export const signed = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
export const probability = (p) => (p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`);

// As the tables round: a half to the even neighbour.
function rounded(number, digits) {
  const scaled = number * 10 ** digits;
  const below = Math.floor(scaled);
  return (scaled - below === 0.5 ? below + (below % 2) : Math.round(scaled)) / 10 ** digits;
}

export function scrolling(label, table) {
  return element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, table);
}

export function link(href, text, attributes = {}) {
  return element("a", { href, ...attributes }, text);
}

// A labelled select; entries are [value, text] or text.
export function choice(label, entries, value, changed) {
  const options = entries.map((entry) => (Array.isArray(entry) ? new Option(entry[1], entry[0]) : new Option(entry)));
  const select = element("select", { "data-focus": label }, options);
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return element("label", {}, label, select);
}

// Puts children in place of others, and the focus back on what had it.
export function replaceChildren(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  if (focused !== undefined) parent.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

export function announce(text) {
  document.getElementById("status").textContent = text;
}
