"""Tables of an invented run that holds all that the finding needs."""

from pathlib import Path

from lethe.findings.lines import NEEDED
from lethe.tables.table import Cell, Table

Shown = str | tuple[float, int] | float


def invented_tables() -> dict[str, Table]:
    """The tables by name, with heads as they are written, units and groups included."""
    pass_rates = ("System", "Pass (%)", "Facts (%), Leak", "Facts (%), Collateral", "Facts (%), Stale")
    controls = [("null", (0, 50), 0, 100, 0), ("oracle", (50, 50), 0, 0, 0)]
    tables = [
        _table(
            "controls",
            ("Suite", "Scorer", "null", "oracle"),
            [("Template (n=0)", "substring", "not run", "not run")],
            [("A", "substring", (0, 50), (50, 50)), ("A", "probed", (0, 50), (50, 50))],
            [("B", "substring", (0, 30), (30, 30))],
        ),
        _table(
            "states",
            pass_rates,
            [
                ("Keeper", (20, 50), (46, 90), (9, 200), 1),
                ("Loser", (15, 50), (25, 90), (18, 200), 1),
                ("Half", (30, 50), (1, 40), (2, 200), 1),
                ("Vector", (17, 50), (50, 90), (2, 200), 1),
                ("Hooked", (40, 50), (5, 90), (2, 200), 1),
                ("Partial", (49, 50), (1, 90), (1, 150), 1),
                ("Silent", "N/A", "–", "–", "–"),
            ],
            controls,
        ),
        _table(
            "states_held_out",
            pass_rates,
            [("Keeper", (9, 30), 4, 3, 2), ("Keeper+matcher", (25, 30), 1, 2, 3), ("Loser", (12, 30), 1, 2, 3)],
            controls,
        ),
        _table(
            "suite_published_external",
            ("System", "Regime", "Overall, all (n=7)"),
            [("Keeper", "Deterministic", (3, 7)), ("Keeper+matcher", "Matcher", (4, 7))],
            [("null", "Control", (0, 7)), ("nuke", "Control", (5, 7)), ("oracle", "Control", (7, 7))],
        ),
        _table(
            "twins",
            ("System", "Twin"),
            [("Keeper", (6, 9)), ("Keeper+matcher", (5, 9))],
            [("verbatim", (9, 9)), ("oracle", (9, 9))],
        ),
        _table(
            "adversarial",
            ("System", "Regime", "Trap (n=25)", "Chain (n=25)", "Wall (ms/case)"),
            [("Keeper", "Deterministic", (12, 25), (8, 25), 1.5), ("Loser", "Deterministic", (8, 25), (7, 25), 2.5)],
        ),
        _table(
            "adversarial_extended",
            ("System", "Regime", "Trap (n=25)", "Chain (n=25)"),
            [
                ("Half", "Deterministic", (30, 25), (0, 25)),
                ("Partial", "Deterministic", (25, 25), (24, 25)),
                ("Vector", "Vec-only", (8, 25), (7, 25)),
                ("Hooked", "Matcher", (20, 25), (20, 25)),
            ],
        ),
        _table(
            "model_size",
            ("Configuration", "Parameters", "Passed (%)", "Trials, leak", "Trials, collateral"),
            [
                ("A: Keeper", "–", (20, 50), 12, 5),
                ("A: Keeper+matcher", "0", (21, 50), 11, 4),
                ("A: Keeper+LLM (S)", "135M", (14, 50), 9, 7),
                ("A: Keeper+LLM (L)", "1.5B", (6, 50), 3, 15),
                ("A: Keeper+LLM (L, plain)", "1.5B", (7, 50), 2, 16),
            ],
            [("A: Loser", "–", (15, 50), 12, 5), ("A: Loser+LLM (L)", "1.5B", (18, 50), 3, 15)],
            [("B: Loser", "–", (1, 50), 12, 5), ("B: Loser+LLM (L)", "1.5B", (0, 50), 3, 15)],
        ),
        _table(
            "pass_worth",
            ("Suite", "Run", "All cases", "No control passes", "Δ (pt)"),
            [("P", "one", (40, 50), (2, 20), "−70"), ("P", "two", (30, 50), (6, 20), "−30")],
            published=True,
        ),
        _table(
            "long",
            ("System", "Leak (%), own text", "At k = 10 (%), Collateral"),
            [("Keeper", (61, 129), (3, 192)), ("Loser", (12, 129), (40, 192))],
            [("null", 0, 100)],
        ),
        _table(
            "erasure",
            ("System", "Memories", "A3"),
            [("Keeper", 10, "gone 2/2"), ("Loser", 10, "present 2/2"), ("null", 10, "gone 2/2")],
        ),
    ]
    return {table.name: table for table in tables}


def write_run(folder: Path) -> Path:
    """The invented run's files below a folder."""
    for part in ("results/tables", "figures"):
        (folder / part).mkdir(parents=True)
    for name in NEEDED:
        (folder / f"results/tables/{name}.json").write_text(invented_tables()[name].to_json(), encoding="utf-8")
    (folder / "figures/heatmap.png").write_bytes(b"a picture")
    (folder / "results/manifest.parquet").write_bytes(b"a manifest")
    return folder


def _table(name: str, header: tuple[str, ...], *sections: list[tuple[Shown, ...]], published: bool = False) -> Table:
    cells = [[[_cell(shown, published) for shown in line] for line in section] for section in sections]
    return Table(name, "", header, cells)


def _cell(shown: Shown, published: bool) -> Cell:
    if isinstance(shown, str):
        state = "not run" if shown == "not run" else "measured" if shown.endswith("/2") else "label"
        return Cell(shown, state, count=2 if state == "measured" else None)
    value, count = shown if isinstance(shown, tuple) else (shown, None)
    return Cell(str(value), "published" if published else "measured", value, count)
