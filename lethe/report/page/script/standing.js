import { element, link, percent, several } from "./dom.js";
import { FACT_RATES, caveatOf, meaning, systemByName } from "./overview.js";
import { address } from "./route.js";

export const MEASURES = ["pass", ...FACT_RATES];

// A rate with its interval, and a drawing of both; and what it counts, which leads to the trials.
export function rateCell(share, trials) {
  if (!share) return element("td", { class: "number none" }, "–");
  const [rate, low, high, count] = share;
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span", { class: "span" }), element("span", { class: "point" }));
  bar.style.setProperty("--low", low);
  bar.style.setProperty("--high", high);
  bar.style.setProperty("--rate", rate);
  return element("td", { class: "number", title: `of ${count}` },
    element("span", { class: "value" }, element("b", {}, percent(rate)), element("span", { class: "interval" }, ` [${percent(low, 0)}, ${percent(high, 0)}]`),
      trials ? [" ", link(trials.address, trials.said(Math.round(rate * count), count), { class: "of" })] : null), bar);
}

// The rates of a system, each with the trials that are counted against it.
export function tracedCells(shares, where) {
  const to = (asked) => address("trials", [], { ...where, ...asked });
  const failed = { address: to({ verdict: "not passed" }), said: (passed, cases) => `${cases - passed} of ${cases} not passed` };
  const facts = (measure) => ({ address: to({ facts: measure }), said: (counted, all) => `${counted} of ${all} facts` });
  return MEASURES.map((measure) => rateCell(shares[measure], measure === "pass" ? failed : facts(measure)));
}

// N/A and errors of [passed, cases, N/A, errors].
export const countCells = ([, , ...counts]) => counts.map((count) => element("td", { class: "number" }, count ? String(count) : "–"));

// The head of a table of rates by something.
export const rateHeads = (first) => element("tr", {}, element("th", { scope: "col" }, first),
  [...MEASURES, "N/A", "errors"].map((name) => element("th", { scope: "col", class: "number", title: meaning[name] ?? null }, name)));

// What keeps a reader from taking a row for others: why it is hatched, how it was called, a caveat, errors.
export function cautions(row) {
  const [, cases, , errors] = row.total;
  return [
    row.developedOn ? element("span", { class: "caution" }, row.developedOn) : null,
    row.availableSince ? element("span", { class: "caution" }, row.availableSince) : null,
    systemByName.get(row.system).mark ? element("span", { class: "caution mark" }, systemByName.get(row.system).mark) : null,
    caveatOf(row.system) ? element("span", { class: "caution caveat" }, caveatOf(row.system)) : null,
    errors ? element("span", { class: "caution broke" }, `${several(errors, "trial")} of ${cases} broke (error)`) : null,
  ];
}

export const rowClass = (row) => (row.developedOn ? "hatched" : null);
