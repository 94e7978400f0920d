import { element, link, replaceChildren } from "./dom.js";
import { suiteByName, systemByName } from "./overview.js";
import { EVERY } from "./trials.js";

const NO_PARTS = new Set(["compare", "trials"]);
const NAMED = { suite: suiteByName, system: systemByName, a: systemByName, b: systemByName };

// Why an address leads nowhere; empty where it leads somewhere.
export function whyUnknown({ view, parts, query }) {
  const wrong = [...query].find(([name, value]) => name in NAMED && value && value !== EVERY && !NAMED[name].has(value));
  if (wrong) return `This run has no ${wrong[0] === "suite" ? "suite" : "configuration"} “${wrong[1]}”.`;
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
