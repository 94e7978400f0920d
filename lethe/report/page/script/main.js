import { showCase, titleOfCase } from "./case.js";
import { showCompare } from "./compare.js";
import { element, replaceChildren } from "./dom.js";
import { showFindings } from "./findings.js";
import { readRoute } from "./route.js";
import { showSystem, titleOfSystem } from "./system.js";
import { startTheme } from "./theme.js";
import { showTrials } from "./trials.js";
import { namedPart, showUnknown, whyUnknown } from "./unknown.js";

const SHOW = { findings: showFindings, system: showSystem, compare: showCompare, trials: showTrials, case: showCase, unknown: showUnknown };
const TITLE = { system: titleOfSystem, case: titleOfCase };
let shown = "";
let asked = 0;

async function show() {
  const route = readRoute();
  const view = whyUnknown(route) ? "unknown" : route.view;
  const section = document.querySelector(`section[data-view="${CSS.escape(view)}"]`);
  const own = ++asked;
  for (const each of document.querySelectorAll("section[data-view]")) each.classList.toggle("shown", each === section);
  for (const each of document.querySelectorAll("header nav a")) {
    if (each.getAttribute("href") === `#/${view}`) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  const heading = section.querySelector("h1");
  for (const table of section.querySelectorAll("article.table")) table.classList.toggle("shown", table === namedPart(route));
  if (view in TITLE) heading.textContent = TITLE[view](route);
  document.title = `${heading.textContent} · ForgetEval`;
  await fill(section, view, route, () => own === asked);
  const place = [view, ...route.parts].join("/");
  if (own === asked && place !== shown) turnTo(section, heading, route);
  shown = place;
}

async function fill(section, view, route, current) {
  if (!(view in SHOW)) return;
  const box = section.querySelector(".view");
  try {
    await SHOW[view](box, route, current);
  } catch (error) {
    replaceChildren(box, element("p", { class: "warning" }, `This part of the page cannot be read: ${error.message}`));
  }
}

// A new view is read from its heading, or from the part that its address names; the first is where a page begins.
function turnTo(section, heading, route) {
  const named = namedPart(route);
  const part = section.contains(named) ? named : null;
  if (part) part.scrollIntoView();
  else if (!section.querySelector("tr[aria-current]")) scrollTo(0, 0);
  if (shown || part) (part?.querySelector("[tabindex]") ?? part ?? heading).focus({ preventScroll: true });
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector("section.shown h1").focus();
});
document.documentElement.classList.add("scripting");
startTheme();
addEventListener("hashchange", show);
show();
