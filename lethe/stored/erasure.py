"""Cases of the erasure audit as Parquet."""

from pathlib import Path

from forgeteval.cases.erasure.generate import case_rows, cases_from_rows, generate_cases, read_material
from forgeteval.cases.haystack import draw_haystack
from lethe.parquet import Rows, read_rows
from lethe.schemas import ERASURE_CASES


def erasure_rows(folder: str, seed: int, cases: int) -> Rows:
    """The cases that are generated from the written sentences of a folder."""
    return {"cases": (ERASURE_CASES, case_rows(generate_cases(read_material(Path(folder)), seed, cases)))}


def erasure_texts(cases: Path, rows: int, seed: int) -> dict[str, list[str]]:
    """The texts of the cases, and as many unrelated ones as `rows` says."""
    found = cases_from_rows(read_rows(cases, ERASURE_CASES))
    texts = [text for case in found for text in case.to_history().texts()]
    return {"vectors": texts, "haystack": draw_haystack(rows, seed, [])}
