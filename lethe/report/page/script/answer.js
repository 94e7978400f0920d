import { element, percent, probability, scrolling, several, signed } from "./dom.js";
import { FACT_RATES, isBound, labelOf, standing } from "./overview.js";
import { passes } from "./packs.js";
import { countCells, rateHeads, rowClass, tracedCells } from "./standing.js";

const LEVEL = 0.05;

// What is said of A and B: which passes more, whether that can be shown, and how both stand in every rate.
export function answer(suite, pair, names, number, byCase) {
  const rows = names.map((name) => standing(suite, name));
  const developed = rows.filter((row) => row.developedOn).map((row) => labelOf(row.system));
  const worth = worthOf(suite, byCase);
  const said = `${direction(pair ? pair.difference : rows[0].pass[0] - rows[1].pass[0], ...names.map(labelOf))} ${!pair
    ? "The analysis has no test of these two: it leaves out controls, and what is N/A on every case." : worth.little ? "That says little, since controls pass most of these cases." : showing(pair, number)}`;
  return [
    developed.length ? [element("p", { class: "answer" }, `Not a measure: ${developed.join(" and ")} ${developed.length > 1 ? "were" : "was"} developed on these cases.`),
      element("p", { class: "said" }, said)] : element("p", { class: "answer" }, said),
    worth.passed.length ? element("p", { class: "warning" }, beyondControls(worth, names)) : null,
    element("p", { class: "facts" }, apart(rows)),
    pair ? element("p", { class: "tests" }, tests(pair, ...names.map(labelOf), number)) : null,
    scrolling("Rates of both", element("table", { class: "rates" },
      element("caption", {}, `${suite.label}: rates of both, in percent with 95 % intervals. Two that pass equally many can differ in what they leak, lose or leave stale.`),
      element("thead", {}, rateHeads("System")),
      element("tbody", {}, rows.map((row) => element("tr", { class: rowClass(row) },
        element("th", { scope: "row" }, labelOf(row.system)), tracedCells(row, { suite: suite.name, system: row.system }), countCells(row.total)))))),
  ];
}

const DOES = { leak: "leaks", collateral: "loses", stale: "leaves stale" };

// The rates of facts in which the intervals of two are apart, which says more than what both pass.
function apart([one, other]) {
  const found = FACT_RATES.filter((rate) => one[rate] && other[rate] && (one[rate][1] > other[rate][2] || other[rate][1] > one[rate][2]));
  if (!found.length) return "";
  const said = found.map((rate) => `${DOES[rate]} ${one[rate][0] < other[rate][0] ? "less" : "more"} (${percent(one[rate][0])} and ${percent(other[rate][0])} %)`);
  return `In what becomes of facts they differ: ${labelOf(one.system)} ${said.join(", and ")} than ${labelOf(other.system)}; these intervals do not overlap.`;
}

// Of the cases, those that a control passes, which forgets everything or nothing, and the others.
function worthOf(suite, byCase) {
  const bounds = suite.rows.map((row) => row.system).filter(isBound);
  const passed = [];
  const others = [];
  for (const trials of byCase.values()) {
    (bounds.some((name) => passesOf(trials, name)) ? passed : others).push(trials);
  }
  return { passed, others, little: passed.length > others.length };
}

const passesOf = (trials, name) => passes(trials.filter((trial) => trial.system.name === name));

function beyondControls({ passed, others }, names) {
  const number = (name) => others.filter((trials) => passesOf(trials, name)).length;
  const known = `${passed.length} of the ${several(passed.length + others.length, "case")} are passed by a control, which forgets everything or nothing.`;
  return others.length ? `${known} Of the other ${others.length}, ${names.map((name) => `${labelOf(name)} passes ${number(name)}`).join(" and ")}.` : known;
}

function direction(difference, one, other) {
  if (!difference) return `${one} and ${other} pass equally many.`;
  return `${one} passes ${Math.abs(100 * difference).toFixed(1)} points ${difference > 0 ? "more" : "fewer"} than ${other}.`;
}

function showing(pair, number) {
  if (pair.p_exact >= LEVEL) return "No difference in passes can be shown.";
  if (pair.p_exact_holm >= LEVEL) return `That can be shown only if you chose these two before you looked: among the ${several(number, "pair")} of the suite, some differ as much by chance.`;
  return `That can be shown, even among all ${several(number, "pair")} of the suite.`;
}

function tests(pair, one, other, number) {
  return `${one} less ${other}: ${signed(100 * pair.difference)} percentage points [${signed(100 * pair.low)}, ${signed(100 * pair.high)}]. `
    + `McNemar's exact test: p ${probability(pair.p_exact)} for these two alone, p ${probability(pair.p_exact_holm)} among all ${several(number, "pair")} of the suite (Holm).`;
}
