"""The latency table: how long a case takes, and how often it asks a chat model (paper, section "Latency")."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.published import Published
from lethe.config.configurations import configuration_name
from lethe.tables.cells import PaperTable

Row = Mapping[str, Any]

_HEADER = (
    "Suite", "System", "trials", "inscribe", "mutate", "recall", "wall", "95 %", "median", "LLM calls", "published",
)  # fmt: skip


def latency_table(
    latencies: Sequence[Row],
    systems: Mapping[str, Mapping[str, Any]],
    suites: Mapping[str, str],
    adversarial_suite: str,
    published: Published,
) -> PaperTable:
    """Mean milliseconds a case by system and suite, beside the paper's wall time on its adversarial suite.

    Args:
        latencies: rows of `lethe.schemas.LATENCY`.
        systems: the rows of the tables by name, with label, regime and system; controls are left out.
        suites: label of each suite by name, in the order to show.
    """
    by_place = {(row["suite"], configuration_name(row)): row for row in latencies}
    measured = [name for name, entry in systems.items() if entry["regime"] != "control"]

    def cells(suite: str, name: str) -> list[str]:
        row = by_place[suite, name]
        spread = "–" if row["wall_low"] is None else f"[{row['wall_low']:.1f}, {row['wall_high']:.1f}]"
        return [
            suites[suite],
            str(systems[name]["label"]),
            str(row["trials"]),
            *(f"{row[f'{phase}_ms']:.1f}" for phase in ("inscribe", "mutate", "recall", "wall")),
            spread,
            f"{row['wall_median_ms']:.1f}",
            f"{row['llm_calls']:.2f}",
            _published(published, systems[name]["system"]) if suite == adversarial_suite else "",
        ]

    sections = [[cells(suite, name) for name in measured if (suite, name) in by_place] for suite in suites]
    return PaperTable(
        "latency",
        "Wall time of a case, measured here: mean milliseconds of inscribing, mutations and final recall over the "
        "evaluated trials, without reset and without embedding the suite's texts, which is done once; what a hook "
        "embeds besides counts. A row that asks no chat model runs alone. 95 % t interval of the mean of their sum; "
        "chat calls a case. The last column is what the paper published for its own cases and machine; it says that "
        "Mem0's construction is included, and that Lethe+LLM is the mutations alone.",
        _HEADER,
        [section for section in sections if section] or [[["not run", *[""] * (len(_HEADER) - 1)]]],
        wide=True,
    )


def _published(published: Published, system: str) -> str:
    for column in ("wall_per_case", "mutations_per_case"):
        number = published.find("text_latency", system, column)
        if number is not None:
            return f"{number.value} {number.unit}"
    return ""
