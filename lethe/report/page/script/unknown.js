import { element, link, replaceChildren } from "./dom.js";
import { KEYS, ORDERS } from "./leaderboard.js";
import { FACT_RATES, suiteOr, suites, systemByName, systems } from "./overview.js";
import { EVERY, VERDICTS } from "./trials.js";

const NO_PARTS = new Set(["compare", "trials"]);
const ANYTHING = null;
const configuration = () => ["configuration", systems.map((system) => system.name)];
const suite = () => ["suite", suites.map((each) => each.name)];

// What an address may ask of each view: the kind of thing, and which there are.
const ASKED = {
  findings: { suite, sort: () => ["column", Object.keys(KEYS)], order: () => ["order", ORDERS] },
  system: { suite },
  compare: { suite, a: configuration, b: configuration, all: () => ["choice", ["yes"]] },
  trials: {
    suite: () => ["suite", [...suites.map((each) => each.name), EVERY]],
    system: configuration,
    category: (query) => ["category", categoriesOf(query.get("suite"))],
    regime: () => ["regime", systems.map((system) => system.regime)],
    verdict: () => ["verdict", VERDICTS],
    facts: () => ["rate of facts", FACT_RATES],
    text: () => ["text", ANYTHING],
    page: () => ["page", ANYTHING],
  },
  case: { system: configuration },
};

const categoriesOf = (name) => (name === EVERY ? suites : [suiteOr(name)]).flatMap((each) => Object.keys(each?.categories ?? {}));

// Why an address leads nowhere; empty where it leads somewhere.
export function whyUnknown({ view, parts, query }) {
  return whyNoView({ view, parts }) || [...query].map(([name, value]) => whyNotAsked(view, name, value, query)).find(Boolean) || "";
}

function whyNotAsked(view, name, value, query) {
  const asked = ASKED[view] ?? {};
  if (!Object.hasOwn(asked, name)) return `This part of the page has nothing called “${name}” to choose.`;
  const [kind, known] = asked[name](query);
  return !value || known === ANYTHING || known.includes(value) ? "" : `This run has no ${kind} “${value}”.`;
}

function whyNoView({ view, parts }) {
  if (view === "case" || (!parts.length && document.querySelector(`section[data-view="${CSS.escape(view)}"]:not([data-view=unknown])`))) return "";
  if (view === "system" && parts.length === 1) return systemByName.has(parts[0]) ? "" : `This run has no configuration “${parts[0]}”.`;
  return !NO_PARTS.has(view) && namedPart({ view, parts }) ? "" : "The page has no such part.";
}

// The element of a view that an address names.
export const namedPart = ({ view, parts }) => (parts.length ? document.getElementById(`/${[view, ...parts].join("/")}`) : null);

export function showUnknown(view, route) {
  replaceChildren(view,
    element("p", { class: "warning" }, element("code", {}, location.hash), ` leads nowhere. ${whyUnknown(route)}`),
    element("p", {}, link("#/findings", "Go to the overview"), ", which has every suite and system, or to the ", link("#/tables", "list of tables"), "."));
}
