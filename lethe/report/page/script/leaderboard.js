import { announce, choice, element, link, scrolling, several } from "./dom.js";
import { isControl, labelOf, meaning, suiteEntries, suites, systemByName } from "./overview.js";
import { address, choose } from "./route.js";
import { MEASURES, cautions, countCells, rateCell, rowClass } from "./standing.js";

const ASCENDING = new Set(["system", "regime", "leak", "collateral", "stale", "N/A", "errors"]);
export const ORDERS = ["ascending", "descending"];
export const KEYS = {
  system: (row) => labelOf(row.system).toLowerCase(),
  regime: (row) => systemByName.get(row.system).regime,
  ...Object.fromEntries(MEASURES.map((measure) => [measure, (row) => row[measure]?.[0]])),
  "N/A": (row) => row.total[2],
  errors: (row) => row.total[3],
};

export function leaderboard(suite, query) {
  const sort = Object.hasOwn(KEYS, query.get("sort")) ? query.get("sort") : "pass";
  const usual = ASCENDING.has(sort) ? "ascending" : "descending";
  const direction = ORDERS.includes(query.get("order")) ? query.get("order") : usual;
  const sorted = inOrder(suite.rows, KEYS[sort], direction);
  const kind = (row) => (isControl(row.system) ? 2 : row.developedOn ? 1 : 0);
  const parts = [0, 1, 2].map((wanted) => sorted.filter((row) => kind(row) === wanted)).filter((rows) => rows.length);
  const table = element("table", { class: "leaderboard" },
    element("caption", {}, `${suite.label}: ${several(suite.cases, "case")}. Percent with 95 % intervals. Apart from the others stand hatched rows, developed on these very cases, and controls, whose verdicts are known beforehand.`),
    element("thead", {}, element("tr", {}, Object.keys(KEYS).map((name) => head(name, sort, direction)))),
    parts.map((rows) => element("tbody", { class: isControl(rows[0].system) ? "controls" : null }, folded(suite, rows))));
  return [
    element("h2", { id: "leaderboard" }, "Leaderboard"),
    element("div", { class: "filters" }, choice("Suite", suiteEntries(suites.filter((each) => each.rows.length)), suite.name, (name) => choose({ suite: name }))),
    scrolling("Leaderboard", table),
    notRun(suite),
  ];
}

function inOrder(rows, key, direction) {
  const factor = direction === "ascending" ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return a < b ? -factor : a > b ? factor : 0;
  });
}

function head(name, sort, direction) {
  const sorted = name === sort;
  const mark = sorted ? (direction === "ascending" ? " ▲" : " ▼") : "";
  const button = element("button", { type: "button", "data-focus": `sort ${name}`, title: meaning[name] ?? null }, name, element("span", { "aria-hidden": "true" }, mark));
  button.addEventListener("click", () => {
    const order = sorted ? { ascending: "descending", descending: "ascending" }[direction] : "";
    choose({ sort: name, order });
    announce(`Sorted by ${name}`);
  });
  return element("th", { scope: "col", "aria-sort": sorted ? direction : "none", class: name === "system" || name === "regime" ? null : "number" }, button);
}

// Rows that do alike in everything stand under the first of them, until they are unfolded.
function folded(suite, rows) {
  const groups = new Map();
  for (const row of rows) groups.set(doing(row), [...(groups.get(doing(row)) ?? []), row]);
  return [...groups.values()].flatMap(([first, ...others]) => {
    const lines = others.map((row) => line(suite, row));
    return [line(suite, first, others.length ? unfold(first, lines) : null), ...lines];
  });
}

// Everything that is counted of a row; what stands beside its name keeps it apart.
const doing = (row) => JSON.stringify([row.total, MEASURES.map((measure) => row[measure]), row.categories, cautions(row).map((each) => each?.textContent)]);

function unfold(row, lines) {
  const button = element("button", { type: "button", class: "unfold", "aria-expanded": "false", "data-focus": `alike ${row.system}` }, `and ${lines.length} alike`);
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    for (const each of lines) each.hidden = !open;
  };
  button.addEventListener("click", () => show(button.getAttribute("aria-expanded") === "false"));
  show(false);
  return button;
}

function line(suite, row, more = null) {
  const cells = [element("td", {}, systemByName.get(row.system).regime), ...MEASURES.map((measure) => rateCell(row[measure])), ...countCells(row.total)];
  // Where a window is narrow, the cells stand below one another.
  cells.forEach((cell, place) => { cell.dataset.name = Object.keys(KEYS)[place + 1]; });
  return element("tr", { class: rowClass(row) },
    element("th", { scope: "row" }, link(address("system", [row.system], { suite: suite.name }), labelOf(row.system)), more ? [" ", more] : null, cautions(row)), cells);
}

export function notRun(suite) {
  const reasons = new Map();
  for (const [name, reason] of Object.entries(suite.notRun)) reasons.set(reason, [...(reasons.get(reason) ?? []), labelOf(name)]);
  if (!reasons.size) return null;
  return element("details", {}, element("summary", {}, `${several(Object.keys(suite.notRun).length, "configuration")} did not run on this suite`),
    element("ul", {}, [...reasons].map(([reason, labels]) => element("li", {}, `${labels.join(", ")}: ${reason}`))));
}
