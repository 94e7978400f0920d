const data = JSON.parse(document.getElementById("data").textContent);
const [CASE, SYSTEM, REPETITION, VERDICT, PROBED, RECALLED, MISSING, LEAKED, RESIDUE, WALL, CALLS, DECISIONS, ERROR] =
  Array.from({ length: 13 }, (_, position) => position);
const COLUMNS = ["Suite", "Category", "Case", "System", "Regime", "Verdict", "Leaked", "Missing", "ms"];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function rowOf(trial, position) {
  const found = data.cases[trial[CASE]];
  const [label, regime] = data.systems[trial[SYSTEM]];
  return [found.suite, found.category, found.id, label, regime, trial[VERDICT], trial[LEAKED].join("; "),
    trial[MISSING].join("; "), trial[WALL], position];
}

function escaped(text) {
  const box = document.createElement("span");
  box.textContent = text;
  return box.innerHTML;
}

const shown = (text, kind) => (kind === "display" ? escaped(text) : text);
const table = new window.DataTable("#trials", {
  data: data.trials.map(rowOf),
  columns: COLUMNS.map((title, place) => ({
    title,
    render: (value, kind, row) => {
      if (kind !== "display") return value;
      if (place === 2) return `<button type="button" data-trial="${row[9]}">${escaped(value)}</button>`;
      if (place === 5) return `<span class="${value}">${value === "na" ? "N/A" : value}</span>`;
      if (place === 8) return value.toFixed(1);
      return shown(value, kind);
    },
  })),
  deferRender: true,
  pageLength: 25,
  order: [],
});

const selects = [...document.querySelectorAll(".filters select")];
for (const select of selects) {
  const values = [...new Set(table.column(Number(select.dataset.column)).data().toArray())].sort();
  select.append(new Option("all", ""), ...values.map((value) => new Option(value === "na" ? "N/A" : value, value)));
  select.addEventListener("change", () => {
    const exact = `^${select.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
    table.column(Number(select.dataset.column)).search(select.value ? exact : "", { regex: true }).draw();
  });
}
document.getElementById("clear").addEventListener("click", () => {
  for (const select of selects) select.value = "";
  table.search("").columns().search("").draw();
});

function contains(text, wanted) {
  return text.toLowerCase().includes(wanted.toLowerCase());
}

function recalledItem(found, text) {
  const leaks = found.mustNot.some((forbidden) => contains(text, forbidden));
  const kept = found.must.some((wanted) => contains(text, wanted));
  return element("li", leaks ? { class: "leak" } : kept ? { class: "kept" } : {}, text);
}

function list(texts) {
  return texts.length ? element("ol", {}, ...texts.map((text) => element("li", {}, text))) : element("p", {}, "none");
}

function mutationText([op, query, text]) {
  return text === null ? `${op}: ${query}` : `${op}: ${query} → ${text}`;
}

function trialRow(found, trial, open) {
  const [label, regime] = data.systems[trial[SYSTEM]];
  const recalled = trial[RECALLED].map((place) => recalledItem(found, found.texts[place]));
  const verdict = trial[VERDICT];
  const facts = [
    trial[PROBED] && trial[PROBED] !== verdict ? `probed: ${trial[PROBED]}` : "",
    trial[LEAKED].length ? `leaked: ${trial[LEAKED].join("; ")}` : "",
    trial[MISSING].length ? `missing: ${trial[MISSING].join("; ")}` : "",
    trial[RESIDUE] ? `left in storage: ${trial[RESIDUE]}` : "",
    trial[CALLS] ? `chat calls: ${trial[CALLS]}` : "",
    trial[ERROR] ?? "",
    ...trial[DECISIONS],
  ].filter(Boolean);
  return element("tr", open ? { class: "open" } : {},
    element("th", { scope: "row" }, trial[REPETITION] ? `${label} (${trial[REPETITION] + 1})` : label,
      element("div", { class: "note" }, regime)),
    element("td", { class: verdict }, verdict === "na" ? "N/A" : verdict),
    element("td", {}, recalled.length ? element("ol", {}, ...recalled) : "nothing"),
    element("td", {}, ...facts.map((fact) => element("div", {}, fact))));
}

const byCase = Map.groupBy
  ? Map.groupBy(data.trials, (trial) => trial[CASE])
  : data.trials.reduce((map, trial) => map.set(trial[CASE], [...(map.get(trial[CASE]) ?? []), trial]), new Map());
const dialog = document.getElementById("case");

function show(position) {
  const opened = data.trials[position];
  const found = data.cases[opened[CASE]];
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  document.getElementById("case-body").replaceChildren(element("div", { class: "detail" },
    element("header", {},
      element("h3", { id: "case-title" }, `${found.suite}: ${found.id} (${found.category}, ${found.provenance})`), close),
    element("h4", {}, "Facts"), list(found.facts),
    element("h4", {}, "Mutations"), list(found.mutations.map(mutationText)),
    element("h4", {}, "Question"), element("p", {}, found.query),
    element("p", {}, `Must be recalled: ${found.must.join("; ") || "nothing"}`),
    element("p", {}, `Must not be recalled: ${found.mustNot.join("; ") || "nothing"}`),
    found.gold ? element("h4", {}, "What a perfect memory holds at the end") : null,
    found.gold ? list(found.gold) : null,
    element("h4", {}, "What each system recalled"),
    element("table", {},
      element("thead", {}, element("tr", {}, ...["System", "Verdict", "Recalled", "Why"].map((name) =>
        element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...byCase.get(opened[CASE]).map((trial) => trialRow(found, trial, trial === opened))))));
  dialog.showModal();
  dialog.scrollTop = 0;
  history.replaceState(null, "", `#case=${encodeURIComponent(`${found.suite}/${found.id}`)}`);
}
dialog.addEventListener("close", () => history.replaceState(null, "", "#explorer"));

document.querySelector("#trials").addEventListener("click", (event) => {
  const button = event.target.closest("tr")?.querySelector("button[data-trial]");
  if (button) show(Number(button.dataset.trial));
});

// A link to a case opens it: #case=SUITE/CASE
const linked = location.hash.startsWith("#case=") ? decodeURIComponent(location.hash.slice("#case=".length)) : "";
const first = data.trials.findIndex((trial) => {
  const found = data.cases[trial[CASE]];
  return `${found.suite}/${found.id}` === linked;
});
if (first >= 0) show(first);
