// What the page knows before any trial is unpacked.
const overview = JSON.parse(document.getElementById("overview").textContent);

export const mainSuite = overview.main;
export const scorer = overview.scorer;
export const meaning = overview.meaning;
export const systems = overview.systems;
export const suites = overview.suites;
export const FACT_RATES = ["leak", "collateral", "stale"];
export const systemByName = new Map(systems.map((system) => [system.name, system]));
export const suiteByName = new Map(suites.map((suite) => [suite.name, suite]));
export const labelOf = (name) => systemByName.get(name)?.label ?? name;
export const caveatOf = (name) => systemByName.get(name)?.caveat ?? "";
export const isControl = (name) => systemByName.get(name)?.regime === "control";
// The controls that are not told what is right: what they pass shows what a pass is worth.
export const isBound = (name) => isControl(name) && !systemByName.get(name).told;
export const standing = (suite, system) => suite.rows.find((row) => row.system === system);

// The suite that is asked for, else the main one, else any.
export const suiteOr = (name) => suiteByName.get(name) ?? suiteByName.get(mainSuite) ?? suites[0];

export const suiteEntries = (fitting = suites) => fitting.map((suite) => [suite.name, `${suite.label} (${suite.cases})`]);
