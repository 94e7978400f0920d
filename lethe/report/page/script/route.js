// The address: #/VIEW/PART/PART?NAME=VALUE, in which every view keeps what is chosen.
export function readRoute() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const [view = "findings", ...parts] = path.split("/").filter(Boolean).map(decoded);
  return { view, parts, query: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function address(view, parts = [], query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const asked = new URLSearchParams(kept).toString();
  return `#/${[view, ...parts].map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

// Goes to the same view with other choices, without an entry in the history for each.
export function choose(changes) {
  const { view, parts, query } = readRoute();
  location.replace(address(view, parts, { ...Object.fromEntries(query), ...changes }));
}
