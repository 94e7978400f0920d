import { element, link, percent, several } from "./dom.js";
import { isBound, isControl, labelOf, standing } from "./overview.js";
import { address } from "./route.js";

// One line a suite: what a system passes, its rank, and what the best control passes there.
export function summary(system, ran) {
  return element("ul", { class: "summary" }, ran.map((suite) => {
    const row = standing(suite, system.name);
    return element("li", {}, link(address("findings", [], { suite: suite.name }), suite.label),
      `: passes ${rate(row)}${rank(suite, row)}${control(suite, row)}`);
  }));
}

const rate = ({ pass: [share, low, high] }) => `${percent(share)} % [${percent(low)}, ${percent(high)}]`;

function rank(suite, row) {
  if (isControl(row.system)) return ", as a control, whose verdicts are known beforehand.";
  if (row.developedOn) return ", which is not a measure: developed on these cases.";
  if (!isAsked(row)) return ", since all of its cases are N/A or broke.";
  const others = suite.rows.filter((each) => !isControl(each.system) && !each.developedOn && isAsked(each));
  const [, low, high] = row.pass;
  const first = 1 + others.filter((each) => each.pass[1] > high).length;
  const last = others.length - others.filter((each) => each.pass[2] < low).length;
  return `, rank ${first === last ? first : `${first} to ${last}`} of ${several(others.length, "system")} not developed on it, by intervals that do not overlap.`;
}

const isAsked = ({ total: [, cases, na, errors] }) => cases > na + errors;

function control(suite, row) {
  const controls = suite.rows.filter((each) => isBound(each.system));
  if (!controls.length || isControl(row.system)) return "";
  const best = controls.reduce((one, other) => (other.pass[0] > one.pass[0] ? other : one));
  const most = suite.rows.every((each) => isControl(each.system) || each.pass[0] <= best.pass[0]);
  return ` Best control: ${labelOf(best.system)}, ${rate(best)}${most && best.pass[0] ? "; it passes more than, or as much as, every system here, so that a pass proves little" : ""}.`;
}
