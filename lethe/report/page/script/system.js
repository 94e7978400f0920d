import { choice, element, link, replaceChildren, scrolling, several, words } from "./dom.js";
import { labelOf, mainSuite, standing, suiteEntries, suiteOr, suites, systemByName, systems } from "./overview.js";
import { suiteTrials } from "./packs.js";
import { reasonLines } from "./recalled.js";
import { address, choose } from "./route.js";
import { MEASURES, cautions, countCells, rateHeads, rowClass, tracedCells } from "./standing.js";
import { summary } from "./summary.js";

const EXAMPLES = 3;

export async function showSystem(view, { parts, query }, current) {
  const system = systemByName.get(parts[0]) ?? systems[0];
  const ran = suites.filter((suite) => standing(suite, system.name));
  const chosen = suiteOr(query.get("suite"));
  const suite = ran.includes(chosen) ? chosen : ran.find((each) => each.name === mainSuite) ?? ran[0];
  const data = suite ? await suiteTrials(suite.name) : null;
  if (!current()) return;
  replaceChildren(view,
    element("div", { class: "filters" },
      choice("System", systems.map((each) => [each.name, each.label]), system.name, (name) => { location.hash = address("system", [name], { suite: suite?.name }); }),
      ran.length ? choice("Failures on", suiteEntries(ran), suite.name, (name) => choose({ suite: name })) : null,
      link(address("compare", [], { a: system.name, suite: suite?.name }), "Compare with another")),
    system.caveat ? element("p", { class: "warning" }, system.caveat) : null,
    suite ? whatGoesWrong(system, suite, data.trials) : null,
    summary(system, ran),
    element("h2", {}, `${system.label}: what it is`),
    element("ul", {}, system.what.filter(Boolean).map((line) => element("li", {}, line)),
      system.model ? element("li", {}, `Chat model: ${system.model}${system.recorded ? "; its answers are recorded ones, read again" : ""}.`) : null),
    element("h2", {}, "How it stands"),
    standings(system, ran),
    element("h2", {}, "What it keeps after a purge"),
    purged(system, ran),
    suite ? failuresOf(system, suite, data) : element("p", {}, "It was not run on any suite."));
}

// A sentence with an example, of the category in which it passes least.
function whatGoesWrong(system, suite, trials) {
  const row = standing(suite, system.name);
  const [passed, cases] = row.total;
  if (passed === cases) return element("p", { class: "answer" }, `It passes all ${several(cases, "case")} of ${suite.label}.`);
  const [category, [least, many]] = worstFirst(row.categories)[0];
  const trial = trials.find((each) => each.system === system && each.found.category === category && each.verdict === "fail");
  return element("div", { class: "answer" },
    element("p", {}, `On ${suite.label} it does not pass ${cases - passed} of ${several(cases, "case")}, most often in ${words(category)} (${many - least} of ${many}).`),
    trial ? element("p", { class: "example" }, "For example, ", link(address("case", [suite.name, trial.found.id], { system: system.name }), trial.found.id),
      `: told to ${trial.found.mutations.map(([op, query]) => `${op} “${query}”`).join(", then to ")}, it ${wrong(trial)}.`) : null);
}

function wrong(trial) {
  const [kept, lost] = [[...trial.leak, ...trial.stale][0], trial.collateral[0]];
  if (kept) return `still recalls “${kept}”`;
  if (lost) return `no longer recalls “${lost}”, which had to stay`;
  return trial.leaked.length ? `recalls “${trial.leaked[0]}”, which was to go` : `does not recall “${trial.missing[0]}”`;
}

const worstFirst = (categories) => Object.entries(categories).sort(([, one], [, other]) => one[0] / one[1] - other[0] / other[1]);

function standings(system, ran) {
  const absent = suites.filter((suite) => suite.notRun[system.name]);
  const table = element("table", {},
    element("caption", {}, "Percent with 95 % intervals, by suite. ", link("#/glossary", "What the words mean"), "."),
    element("thead", {}, rateHeads("Suite")),
    element("tbody", {}, ran.map((suite) => suiteLine(suite, standing(suite, system.name)))));
  return [
    ran.length ? scrolling(`${system.label} by suite`, table) : null,
    absent.length ? element("ul", { class: "note" }, absent.map((suite) => element("li", {}, `${suite.label}: ${suite.notRun[system.name]}`))) : null,
  ].flat().filter(Boolean).reduce((box, child) => { box.append(child); return box; }, element("div"));
}

function suiteLine(suite, row) {
  return element("tr", { class: rowClass(row) },
    element("th", { scope: "row" }, link(address("findings", [], { suite: suite.name }), suite.label), cautions(row)),
    tracedCells(row, { suite: suite.name, system: row.system }), countCells(row.total));
}

function purged(system, ran) {
  const lines = ran.flatMap((suite) => {
    const counts = standing(suite, system.name).residue;
    return counts ? [element("li", {}, `${suite.label}: a forbidden string was left in storage in ${counts[0]} of ${several(counts[1], "trial")} with purges alone, erased in part or never met by the purge.`)] : [];
  });
  return element("div", {},
    lines.length ? element("ul", {}, lines) : element("p", {}, "Storage was not examined: it lives in memory only, or has no way to be read."),
    system.erasure ? erasureTable(system) : element("p", { class: "note" }, "Erasure audit: not run."));
}

function erasureTable(system) {
  const heads = system.erasure[0].map(([name]) => name);
  return scrolling("Erasure audit", element("table", {},
    element("caption", {}, "Erasure audit: the worst verdict at each level, and in how many cases. ", link("#/glossary/levels", "What A0 to A6 and the verdicts mean"), "."),
    element("thead", {}, element("tr", {}, heads.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, system.erasure.map((row) => element("tr", {}, row.map(([, cell], place) => element(place ? "td" : "th", place ? {} : { scope: "row" }, cell)))))));
}

function failuresOf(system, suite, { trials, rates }) {
  const row = standing(suite, system.name);
  const lost = trials.filter((trial) => trial.system === system && trial.verdict !== "pass");
  const parts = worstFirst(row.categories).filter(([, [passed, cases]]) => passed < cases);
  return [
    element("h2", {}, `Where it fails: ${suite.label}`),
    categoryTable(system, suite, rates.filter((rate) => rate.system === system)),
    parts.length ? null : element("p", {}, "It passes every case."),
    parts.map(([category, counts]) => categoryPart(system, suite, category, counts, lost.filter((trial) => trial.found.category === category))),
  ];
}

function categoryTable(system, suite, rates) {
  const row = standing(suite, system.name);
  const rate = (category, measure) => rates.find((each) => each.category === category && each.measure === measure);
  return scrolling(`${system.label} by category`, element("table", {},
    element("caption", {}, `${suite.label} by category, worst first. Percent with 95 % intervals; a category leads to its trials. `, link("#/glossary", "What the words mean"), "."),
    element("thead", {}, rateHeads("Category")),
    element("tbody", {}, worstFirst(row.categories).map(([category]) => element("tr", { class: rowClass(row) },
      element("th", { scope: "row" }, link(address("trials", [], { suite: suite.name, system: system.name, category }), `${words(category)} (${row.categories[category][1]})`)),
      tracedCells(Object.fromEntries(MEASURES.map((measure) => [measure, shareOf(rate(category, measure))])), { suite: suite.name, system: system.name, category }), countCells(row.categories[category]))))));
}

const shareOf = (found) => found && [found.rate, found.low, found.high, found.count];

function categoryPart(system, suite, category, [passed, cases, na, errors], lost) {
  const beside = [na ? `${na} N/A` : "", errors ? `${errors} errors` : ""].filter(Boolean).join(", ");
  return element("section", { class: "category", "aria-label": words(category) },
    element("h3", {}, `${words(category)}: ${cases - passed} of ${cases} not passed${beside ? ` (${beside})` : ""}`),
    element("ul", { class: "examples" }, lost.slice(0, EXAMPLES).map(example)),
    element("p", {}, link(address("trials", [], { suite: suite.name, system: system.name, category, verdict: "not passed" }), `All ${lost.length} of ${words(category)}`)));
}

function example(trial) {
  return element("li", {},
    link(address("case", [trial.suite, trial.found.id], { system: trial.system.name }), trial.found.id),
    element("span", {}, `: ${trial.found.mutations.map(([op, query]) => `${op} “${query}”`).join(", ")}`),
    reasonLines(trial));
}

export const titleOfSystem = ({ parts }) => labelOf(parts[0] ?? systems[0].name);
