import { element, link, replaceChildren, scrolling, words } from "./dom.js";
import { standing, suiteByName } from "./overview.js";
import { suiteTrials } from "./packs.js";
import { reasonLines, recalledList, verdictMark } from "./recalled.js";
import { address } from "./route.js";
import { rowClass } from "./standing.js";

export async function showCase(view, { parts: [suite, id], query }, current) {
  if (!suiteByName.has(suite)) return replaceChildren(view, element("p", {}, "There is no such suite on this page."));
  const { cases, byCase } = await suiteTrials(suite);
  if (!current()) return undefined;
  const place = cases.findIndex((each) => each.id === id);
  if (place < 0) return replaceChildren(view, element("p", {}, `There is no such case in the suite ${suiteByName.get(suite).label}.`));
  const kept = { system: query.get("system") };
  const beside = (to, text) => (cases[to] ? link(address("case", [suite, cases[to].id], kept), text, { "data-focus": text }) : null);
  replaceChildren(view,
    element("nav", { class: "pager", "aria-label": "Cases" }, beside(place - 1, "Previous case"),
      link(address("trials", [], { suite, category: cases[place].category }), "All of its category"), beside(place + 1, "Next case")),
    told(cases[place], suite),
    element("h2", {}, "What each system recalled"),
    recalls(byCase.get(id), suite, query.get("system")));
  return undefined;
}

function told(found, suite) {
  const list = (texts) => element("ol", {}, texts.map((text) => element("li", {}, text)));
  const part = (name, ...content) => [element("dt", {}, name), element("dd", {}, content)];
  return element("dl", { class: "case" },
    part("Suite", `${suiteByName.get(suite).label}; category ${words(found.category)}; ${words(found.provenance)}`),
    part("Facts", list(found.facts)),
    part("Mutations", list(found.mutations.map(([op, query, text]) => `${op}: ${query}${text === null ? "" : ` → ${text}`}`))),
    part("Question", found.query),
    part("Must be recalled", found.must.join("; ") || "nothing"),
    part("Must not be recalled", found.mustNot.join("; ") || "nothing"),
    found.gold ? part("What a perfect memory holds at the end", list(found.gold)) : []);
}

function recalls(trials, suite, opened) {
  const heads = ["System", "Verdict", "Recalled", "Why"];
  return scrolling("What each system recalled", element("table", { class: "recalls" },
    element("caption", {}, "Memories in the order of recall; what leaked and what was required is marked. A fact that is not among them may still come where it is asked for by its own text: leak, collateral and stale count both."),
    element("thead", {}, element("tr", {}, heads.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, openedFirst(trials, opened).map((trial) => {
      const { system, repetition } = trial;
      const row = standing(suiteByName.get(suite), system.name);
      return element("tr", { class: row ? rowClass(row) : null, "aria-current": system.name === opened ? "true" : null },
        element("th", { scope: "row" }, link(address("system", [system.name], { suite }), system.label),
          repetition ? ` (repetition ${repetition + 1})` : "", element("div", { class: "note" }, system.regime),
          row?.developedOn ? element("div", { class: "caution" }, row.developedOn) : null),
        element("td", {}, verdictMark(trial.verdict)),
        element("td", {}, recalledList(trial)),
        element("td", {}, reasonLines(trial)));
    }))));
}

// The system from which the case was opened stands right below the question.
const openedFirst = (trials, opened) => [...trials].sort((one, other) => (other.system.name === opened) - (one.system.name === opened));

export const titleOfCase = ({ parts: [suite, id] }) => `${id ?? "case"} (${suiteByName.get(suite)?.label ?? suite ?? "no suite"})`;
