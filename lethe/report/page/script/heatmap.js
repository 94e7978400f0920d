import { element, link, percent, scrolling, words } from "./dom.js";
import { isControl, labelOf } from "./overview.js";
import { address } from "./route.js";
import { cautions, rowClass } from "./standing.js";

export function heatmap(suite) {
  const categories = Object.keys(suite.categories);
  const table = element("table", { class: "heatmap" },
    element("caption", {}, "Percent passed of the cases of each category that are neither N/A nor broke, as in the paper's figure; * where some are: in all other rates they count as not passed. A cell leads to its trials; arrow keys go from cell to cell."),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "System"),
      categories.map((name) => element("th", { scope: "col", class: "turned" }, element("span", {}, `${words(name)} (${suite.categories[name]})`))))),
    [false, true].map((controls) => element("tbody", { class: controls ? "controls" : null },
      suite.rows.filter((row) => isControl(row.system) === controls).map((row) => line(suite, row, categories)))));
  const cells = [...table.querySelectorAll("td a")];
  cells.forEach((cell, place) => cell.setAttribute("tabindex", place ? "-1" : "0"));
  table.addEventListener("keydown", (event) => move(event, cells));
  return [element("h2", {}, "By category"), scrolling("Heatmap by system and category", table)];
}

function line(suite, row, categories) {
  return element("tr", { class: rowClass(row) },
    element("th", { scope: "row" }, link(address("system", [row.system], { suite: suite.name }), labelOf(row.system)), cautions(row)),
    categories.map((name) => cell(suite, row, name)));
}

function cell(suite, row, category) {
  const counts = row.categories[category];
  if (!counts) return element("td", { class: "none" }, "–");
  const [passed, cases, na, errors] = counts;
  const evaluable = cases - na - errors;
  const share = evaluable ? passed / evaluable : 0;
  const shown = evaluable ? `${percent(share, 0)}${na || errors ? "*" : ""}` : na ? "N/A" : "error";
  const said = `${labelOf(row.system)}, ${words(category)}: ${passed} of ${cases} passed${na ? `, ${na} N/A` : ""}${errors ? `, ${errors} errors` : ""}`;
  const made = element("td", { class: evaluable ? depth(share) : "empty" },
    link(address("trials", [], { suite: suite.name, system: row.system, category }), shown, { "aria-label": said, title: said }));
  made.style.setProperty("--share", `${Math.round(100 * share)}%`);
  return made;
}

// The colour of a share: figures on it are light above 0.74 on a light page, and below 0.58 on a dark one.
function depth(share) {
  return share > 0.74 ? "strong" : share > 0.58 ? "middle" : "weak";
}

function move(event, cells) {
  const here = event.target.closest("td");
  if (!here || !event.key.startsWith("Arrow")) return;
  const rows = [...event.currentTarget.querySelectorAll("tbody tr")];
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const next = rows[rows.indexOf(here.parentElement) + down]?.children[here.cellIndex + across]?.querySelector("td a, :scope > a");
  if (!next || next.closest("th")) return;
  event.preventDefault();
  for (const each of cells) each.setAttribute("tabindex", each === next ? "0" : "-1");
  next.focus();
}
