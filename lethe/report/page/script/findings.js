import { element, replaceChildren } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { leaderboard } from "./leaderboard.js";
import { suiteOr } from "./overview.js";

export function showFindings(view, { query }) {
  const suite = suiteOr(query.get("suite"));
  replaceChildren(view, suite ? [...leaderboard(suite, query), ...heatmap(suite)] : element("p", {}, "No suite was run."));
}
