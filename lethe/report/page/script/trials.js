import { announce, choice, element, link, replaceChildren, scrolling, several, verdictWord, words } from "./dom.js";
import { FACT_RATES, mainSuite, scorer, suiteByName, suiteEntries, suites, systems } from "./overview.js";
import { suiteTrials } from "./packs.js";
import { verdictMark } from "./recalled.js";
import { address, choose } from "./route.js";

const PAGE = 50;
export const VERDICTS = ["pass", "fail", "na", "error", "not passed"];
export const EVERY = "every";

export async function showTrials(view, { query }, current) {
  const suite = suiteByName.has(query.get("suite")) || query.get("suite") === EVERY ? query.get("suite") : mainSuite;
  const wanted = suite === EVERY ? suites.map((each) => each.name) : [suite];
  const trials = (await Promise.all(wanted.map(suiteTrials))).flatMap((each) => each.trials);
  if (!current()) return;
  const found = trials.filter((trial) => fits(trial, query));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(pages, Math.max(1, Number.parseInt(query.get("page"), 10) || 1));
  replaceChildren(view, filters(suite, trials, query),
    element("p", { id: "count" }, `${several(found.length, "trial")} of ${trials.length.toLocaleString("en")}, scorer ${scorer}. Open a case to see what each system recalled.`),
    scrolling("Trials", table(found.slice((page - 1) * PAGE, page * PAGE))), pager(page, pages));
  announce(`${several(found.length, "trial")}, page ${page} of ${pages}`);
}

function fits(trial, query) {
  const asked = (name) => query.get(name) ?? "";
  const text = asked("text").toLowerCase();
  const verdict = asked("verdict");
  return (!asked("system") || trial.system.name === asked("system"))
    && (!asked("category") || trial.found.category === asked("category"))
    && (!asked("regime") || trial.system.regime === asked("regime"))
    && (!verdict || (verdict === "not passed" ? trial.verdict !== "pass" : trial.verdict === verdict))
    && (!asked("facts") || trial[asked("facts")].length)
    && (!text || searched(trial).toLowerCase().includes(text));
}

const searched = ({ found, leaked, missing, error }) =>
  [found.id, found.query, ...found.facts, ...found.mutations.flat(), ...leaked, ...missing, error].join("\n");

function filters(suite, trials, query) {
  const every = [["", "all"]];
  const choosing = (name) => (value) => choose({ [name]: value, page: "" });
  const categories = [...new Set(trials.map((trial) => trial.found.category))].sort();
  const regimes = [...new Set(systems.map((system) => system.regime))].sort();
  const text = element("input", { type: "search", value: query.get("text") ?? "", "data-focus": "text" });
  text.addEventListener("change", () => choosing("text")(text.value));
  const clear = element("button", { type: "button", "data-focus": "clear" }, "Clear");
  clear.addEventListener("click", () => location.replace(address("trials")));
  return element("form", { class: "filters", role: "search", "aria-label": "Trials" },
    choice("Suite", [...suiteEntries(), [EVERY, "every suite"]], suite, (value) => choose({ suite: value, category: "", page: "" })),
    choice("Category", [...every, ...categories.map((name) => [name, words(name)])], query.get("category") ?? "", choosing("category")),
    choice("System", [...every, ...systems.map((system) => [system.name, system.label])], query.get("system") ?? "", choosing("system")),
    choice("Regime", [...every, ...regimes], query.get("regime") ?? "", choosing("regime")),
    choice("Verdict", [...every, ...VERDICTS.map((name) => [name, verdictWord(name)])], query.get("verdict") ?? "", choosing("verdict")),
    choice("Facts", [...every, ...FACT_RATES], query.get("facts") ?? "", choosing("facts")),
    element("label", {}, "Text", text), clear);
}

function table(trials) {
  const heads = ["Case", "Verdict", "System", "Category", "Leaked", "Missing"];
  return element("table", { class: "trials" },
    element("caption", {}, "Trials: one configuration on one case, once."),
    element("thead", {}, element("tr", {}, heads.map((name) => element("th", { scope: "col" }, name)), element("th", { scope: "col", class: "number" }, "ms"))),
    element("tbody", {}, trials.map(line)));
}

function line(trial) {
  const { found, system, repetition } = trial;
  return element("tr", {},
    element("th", { scope: "row" }, link(address("case", [trial.suite, found.id], { system: system.name }), found.id)),
    element("td", {}, verdictMark(trial.verdict)),
    element("td", {}, link(address("system", [system.name], { suite: trial.suite }), system.label), repetition ? ` (repetition ${repetition + 1})` : ""),
    element("td", {}, words(found.category)),
    element("td", {}, trial.leaked.join("; ")),
    element("td", {}, trial.missing.join("; ")),
    element("td", { class: "number" }, String(trial.ms)));
}

function pager(page, pages) {
  if (pages === 1) return null;
  const button = (name, to, possible) => {
    const made = element("button", { type: "button", disabled: !possible, "data-focus": name }, name);
    made.addEventListener("click", () => choose({ page: to }));
    return made;
  };
  return element("nav", { class: "pager", "aria-label": "Pages" },
    button("Previous", page - 1, page > 1), element("span", {}, `page ${page} of ${pages}`), button("Next", page + 1, page < pages));
}
