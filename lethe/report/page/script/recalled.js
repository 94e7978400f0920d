import { element, verdictWord } from "./dom.js";
import { FACT_RATES } from "./overview.js";

// What the facts are that each rate counts, asked for by the question or by their own text.
const FACTS = { leak: "facts to be forgotten that are there (leak)", collateral: "facts to be kept that are not (collateral)", stale: "old values that are there (stale)" };
const contains = (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase());

// What a trial recalled, with what leaked and what was required marked in words and colour.
export function recalledList(trial) {
  if (!trial.recalled.length) return element("p", { class: "none" }, trial.verdict === "na" ? "not asked" : "nothing");
  return element("ol", { class: "recalled" }, trial.recalled.map((text) => {
    const leaks = trial.found.mustNot.some((forbidden) => contains(text, forbidden));
    const kept = trial.found.must.some((wanted) => contains(text, wanted));
    const sign = leaks ? element("span", { class: "sign" }, "leaked: ") : kept ? element("span", { class: "sign" }, "required: ") : null;
    return element("li", { class: leaks ? "leak" : kept ? "kept" : null }, sign, text);
  }));
}

export function verdictMark(verdict) {
  return element("span", { class: `verdict ${verdict}` }, verdictWord(verdict));
}

// Why a trial has its verdict, one line each.
export function reasonsOf(trial) {
  return [
    trial.leaked.length ? `leaked: ${trial.leaked.join("; ")}` : "",
    trial.missing.length ? `missing: ${trial.missing.join("; ")}` : "",
    ...FACT_RATES.filter((rate) => trial[rate].length).map((rate) => `${FACTS[rate]}: ${trial[rate].join("; ")}`),
    trial.probed && trial.probed !== trial.verdict ? `asked for directly: ${verdictWord(trial.probed)}` : "",
    trial.residue ? `forbidden strings left in storage: ${trial.residue}` : "",
    trial.calls ? `chat calls: ${trial.calls}` : "",
    trial.error,
    ...trial.decisions,
  ].filter(Boolean);
}

export const reasonLines = (trial) => reasonsOf(trial).map((reason) => element("div", { class: "reason" }, reason));
