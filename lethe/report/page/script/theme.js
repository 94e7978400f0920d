// Light or dark: as the system has it, or as chosen here, which the browser may keep.
const KEY = "forgeteval-theme";
const THEMES = new Set(["light", "dark"]);

export function startTheme() {
  const select = document.getElementById("theme");
  select.value = THEMES.has(kept()) ? kept() : "";
  apply(select.value);
  select.addEventListener("change", () => {
    apply(select.value);
    keep(select.value);
  });
}

function apply(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function kept() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing shows the choice until the page is closed.
  }
}
