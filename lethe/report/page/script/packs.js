import { FACT_RATES, suites, systems } from "./overview.js";

// The trials of a suite, unpacked when they are first asked for.
const unpacked = new Map();

export function suiteTrials(name) {
  if (!unpacked.has(name)) unpacked.set(name, unpackSuite(name));
  return unpacked.get(name);
}

async function unpackSuite(name) {
  const place = suites.findIndex((suite) => suite.name === name);
  const data = await inflated(document.getElementById(`suite-${place}`).textContent);
  const trials = rowsOf(data.trials).map((row) => readTrial(name, row, data));
  const byCase = new Map(data.cases.map((found) => [found.id, []]));
  for (const trial of trials) byCase.get(trial.found.id).push(trial);
  const rates = rowsOf(data.rates).map((row) => ({ ...row, system: systems[row.system] }));
  return { cases: data.cases, trials, byCase, rates, pairs: rowsOf(data.pairs) };
}

async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

function rowsOf(columns) {
  const names = Object.keys(columns);
  const length = names.length ? columns[names[0]].length : 0;
  return Array.from({ length }, (_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
}

function readTrial(suite, row, { cases, strings }) {
  const found = cases[row.case];
  const texts = (places) => places.map((place) => strings[place]);
  return {
    ...row,
    suite,
    found,
    system: systems[row.system],
    verdict: strings[row.verdict],
    probed: strings[row.probed],
    recalled: row.recalled.map((place) => found.texts[place]),
    ...Object.fromEntries(FACT_RATES.map((rate) => [rate, row[rate].map((place) => found.texts[place])])),
    missing: texts(row.missing),
    leaked: texts(row.leaked),
    decisions: texts(row.decisions),
    error: strings[row.error],
  };
}

// Whether a configuration passes a case: more than half of its repetitions, as the paired tests count.
export function passes(trials) {
  return trials.filter((trial) => trial.verdict === "pass").length > trials.length / 2;
}

// The paired test of two configurations, turned so that it speaks of the first; undefined where there is none.
export function pairOf(pairs, first, second) {
  const [one, other] = [first, second].map((name) => systems.findIndex((system) => system.name === name));
  const straight = pairs.find((pair) => pair.first === one && pair.second === other);
  if (straight) return straight;
  const turned = pairs.find((pair) => pair.first === other && pair.second === one);
  return turned && {
    ...turned,
    first_only: turned.second_only,
    second_only: turned.first_only,
    difference: -turned.difference,
    low: -turned.high,
    high: -turned.low,
  };
}
