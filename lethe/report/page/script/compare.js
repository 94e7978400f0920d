import { answer } from "./answer.js";
import { choice, element, link, percent, replaceChildren, scrolling, several, words } from "./dom.js";
import { caveatOf, isBound, isControl, labelOf, standing, suiteEntries, suiteOr, suites, systems } from "./overview.js";
import { pairOf, passes, suiteTrials } from "./packs.js";
import { reasonLines, recalledList, verdictMark } from "./recalled.js";
import { address, choose } from "./route.js";
import { cautions, rateCell } from "./standing.js";

const SHOWN = 20;

export async function showCompare(view, { query }, current) {
  const suite = suiteOr(query.get("suite"));
  if (!suite) return;
  const names = systems.map((system) => system.name).filter((name) => standing(suite, name));
  const asked = ["a", "b"].map((end) => query.get(end) ?? "");
  const data = await suiteTrials(suite.name);
  if (!current()) return;
  const chosen = asked.map((name, end) => (names.includes(name) && !(end && name === asked[0]) ? name : ""));
  const exemplary = asked.some(Boolean) ? [] : example(suite, data.pairs);
  const [first, second] = exemplary.length ? exemplary : chosen;
  const entries = [["", "choose …"], ...names.map((name) => [name, labelOf(name)])];
  const turn = element("button", { type: "button", "data-focus": "turn", disabled: !(first && second) }, "Swap A and B");
  turn.addEventListener("click", () => choose({ suite: suite.name, a: second, b: first, all: "" }));
  replaceChildren(view,
    element("div", { class: "filters" },
      choice("A", entries, first, (name) => choose({ a: name, b: second, all: "" })),
      choice("B", entries, second, (name) => choose({ a: first, b: name, all: "" })),
      choice("Suite", suiteEntries(suites.filter((each) => each.rows.length)), suite.name, (name) => choose({ suite: name, a: first, b: second, all: "" })), turn),
    exemplary.length ? element("p", { class: "note" }, "An example, two that pass much. Choose others above.") : null,
    first && second ? comparison(suite, first, second, data, query.get("all") === "yes") : invitation(suite, asked));
}

// What to do where there are no two yet.
function invitation(suite, asked) {
  const absent = asked.filter((name) => name && !standing(suite, name));
  return [
    absent.map((name) => element("p", { class: "warning" }, `${labelOf(name)} did not run on the suite ${suite.label}.`)),
    element("p", { class: "answer" }, asked.some((name) => standing(suite, name)) ? "Choose another one to compare with." : "Choose two, A and B."),
  ];
}

// The one that passes most and the next that does not pass the very same cases, of those that are a measure.
function example(suite, pairs) {
  const fitting = suite.rows.filter((row) => !row.developedOn && !isControl(row.system) && !caveatOf(row.system));
  const [best, ...others] = fitting.sort((one, other) => other.pass[0] - one.pass[0]).map((row) => row.system);
  const differs = (pair) => pair && pair.first_only + pair.second_only > 0;
  const next = others.find((name) => differs(pairOf(pairs, best, name)));
  return next ? [best, next] : [];
}

function comparison(suite, first, second, { byCase, pairs }, all) {
  const pair = pairOf(pairs, first, second);
  const differing = [...byCase.values()].map((trials) => [first, second].map((name) => trials.filter((trial) => trial.system.name === name)))
    .filter(([one, other]) => one.length && other.length && passes(one) !== passes(other));
  const shown = all ? differing : differing.slice(0, SHOWN);
  const warnings = [first, second].map((name) => standing(suite, name)).filter((row) => cautions(row).some(Boolean));
  const more = element("button", { type: "button", "data-focus": "more" }, `Show all ${differing.length}`);
  more.addEventListener("click", () => choose({ all: "yes" }));
  return [
    answer(suite, pair, [first, second], pairs.length, byCase),
    warnings.map((row) => element("p", { class: row.developedOn ? "hatched warning" : "warning" }, element("b", {}, `${labelOf(row.system)}: `), cautions(row))),
    pair ? counts(suite, pair, first, second) : null,
    everySuite(suite, first, second),
    element("h2", {}, `${several(differing.length, "case")} on which they differ`),
    shown.map(([one, other]) => sideBySide(one, other)),
    shown.length < differing.length ? more : null,
  ];
}

function counts(suite, pair, first, second) {
  const [one, other] = [labelOf(first), labelOf(second)];
  const cell = (number) => element("td", { class: "number" }, String(number));
  return scrolling("Counts", element("table", { class: "counts" },
    element("caption", {}, `${suite.label}: cases by what both did. Interval by paired bootstrap; N/A and errors count as not passed.`),
    element("thead", {}, element("tr", {}, element("td"), element("th", { scope: "col" }, `${other} passes`), element("th", { scope: "col" }, `${other} does not`))),
    element("tbody", {},
      element("tr", {}, element("th", { scope: "row" }, `${one} passes`), cell(pair.both), cell(pair.first_only)),
      element("tr", {}, element("th", { scope: "row" }, `${one} does not`), cell(pair.second_only), cell(pair.neither)))));
}

function everySuite(current, first, second) {
  const shared = suites.filter((suite) => [first, second].every((name) => standing(suite, name)));
  const best = (suite) => suite.rows.filter((row) => isBound(row.system)).reduce((one, other) => (one && one.pass[0] >= other.pass[0] ? one : other), null);
  return scrolling("Passes on every suite", element("table", {},
    element("caption", {}, "Passes of both on every suite that both ran on, in percent with 95 % intervals, beside the control that passes most there. A suite leads to its comparison."),
    element("thead", {}, element("tr", {}, ["Suite", labelOf(first), labelOf(second), "Best control"].map((name, place) => element("th", { scope: "col", class: place ? "number" : null }, name)))),
    element("tbody", {}, shared.map((suite) => element("tr", {},
      element("th", { scope: "row", "aria-current": suite === current ? "true" : null }, link(address("compare", [], { suite: suite.name, a: first, b: second }), `${suite.label} (${suite.cases})`)),
      [first, second].map((name) => passCell(standing(suite, name))), boundCell(best(suite)))))));
}

function passCell(row) {
  const made = rateCell(row.pass);
  made.prepend(...cautions(row).filter(Boolean));
  if (row.developedOn) made.classList.add("hatched");
  return made;
}

const boundCell = (row) => element("td", { class: "number" }, row ? `${labelOf(row.system)} ${percent(row.pass[0])}` : "–");

function sideBySide(one, other) {
  const { found, suite } = one[0];
  return element("article", { class: "beside" },
    element("h3", {}, link(address("case", [suite, found.id]), found.id), ` (${words(found.category)})`),
    element("p", {}, found.mutations.map(([op, query, text]) => `${op} “${query}”${text === null ? "" : ` → “${text}”`}`).join("; "), ` · asked: “${found.query}”`),
    element("div", { class: "sides" }, [one[0], other[0]].map((trial) => element("div", {},
      element("h4", {}, trial.system.label, " ", verdictMark(trial.verdict)),
      recalledList(trial), reasonLines(trial)))));
}
