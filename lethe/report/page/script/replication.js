import { startTheme } from "./theme.js";

const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("tr[data-verdict]")];
function filter() {
  const wanted = new Set([...form.querySelectorAll("[name=verdict]:checked")].map((box) => box.value));
  const text = form.elements.text.value.trim().toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const fits = wanted.has(row.dataset.verdict)
      && (!text || (row.closest("details").querySelector("summary").textContent + row.textContent)
        .toLowerCase().includes(text));
    row.hidden = !fits;
    shown += fits;
  }
  for (const part of document.querySelectorAll("details")) {
    part.hidden = !part.querySelector("tbody tr:not([hidden])");
  }
  document.getElementById("shown").textContent = `${shown} of ${rows.length} shown`;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
filter();
startTheme();
