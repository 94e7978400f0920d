"""The paper's numbers: well-formed, looked up rightly, in disagreement only where docs/published.md says."""

from decimal import Decimal
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.study.published import COLUMNS, UNITS, Published, read_published
from tests.support.paths import ROOT
from tests.support.published_checks import all_comparisons

FILE, PAGE = ROOT / "config" / "published.csv", ROOT / "docs" / "published.md"

DISAGREEMENTS = {
    "percent text_heatmap/all/hipporag": (8, 8.05),
    "wilson adversarial all/lethe low": (58.4, 58.45),
    "wilson adversarial all/lethe high": (68.1, 68.03),
    "wilson adversarial all/mem0 high": (72.9, 72.76),
    "wilson adversarial all/langgraph high": (67.7, 67.53),
    "wilson adversarial all/lethe+llm low": (88.4, 88.5),
    "wilson adversarial all/lethe+llm high": (94.2, 94.05),
    "wilson cross_architecture all/lethe+llm low": (88.4, 88.5),
    "wilson cross_architecture all/lethe+llm high": (94.2, 94.05),
    "wilson cross_architecture all/langgraph+llm low": (90.1, 90.29),
    "wilson text prefix_collision/lethe low": (67.4, 67.33),
    "wilson text prefix_collision/mem0 low": (18.8, 18.57),
    "wilson text prefix_collision/lethe high": (91.4, 91.02),
    "wilson text prefix_collision/mem0 high": (47.3, 46.42),
    "sum external/mempalace n": (77, 0),
    "sum external_ecosystem/letta passed": (32, 24),
    "sum external_ecosystem/letta n": (61, 48),
    "N/A external_ecosystem/letta by category": (16, 29),
    "sum external_ecosystem/a_mem n": (61, 48),
    "N/A external_ecosystem/a_mem by category": (16, 29),
    "sum external_ecosystem/letta+llm passed": (49, 33),
    "sum external_ecosystem/letta+llm n": (61, 48),
    "N/A external_ecosystem/letta+llm by category": (16, 29),
    "label_partition total against the suite": (365, 385),
    "label_partition/llm_lift/lethe+llm by definition": (49, 55),
    "label_partition/unsolvable/lethe+llm by definition": (4, 0),
    "label_partition/unsolvable/mem0 against the text": (2, 0),
    "provenance/lethe+llm expansion against label_partition": (225, 226),
    "sum provenance/mempalace n": (365, 385),
    "three judges unanimous": (55, 56),
    "claude well-formed": (88, 86),
    "qwen disagreements by mode": (20, 21),
    "qwen well-formed surplus by mode": (4, 5),
    "qwen accepted, humans and Claude rejected, compound_fact": (5, 10),
    "difference cross_llm/lethe/llama-3.1-70b falls through to the baseline": (0, 3.4),
    "difference trade-off forgetting": (0.6, 0.5),
    "repeated text_external/in_house_evaluable/letta+llm percent": (86.4, 76.1),
    "repeated text_hipporag/canonicalisation/openmemory percent": (100, 97),
    "repeated text_external/pass_band_table_caption/high percent": (33, 51),
    "repeated text_headline/wall_per_case/deterministic_highest ms": (191, 514),
    "Qwen's lift in the limitations": (8, 13.2),
    "deterministic highest identifier_obfuscation": (5, 47),
    "deterministic highest cross_lingual_identifier": (0, 55),
    "deterministic lowest lexical/temporal": (95, 89),
}
"""What the paper prints, and what follows from its other numbers."""


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(FILE)


def test_the_paper_agrees_with_itself_but_for_the_places_known(paper: Published) -> None:
    compared = list(all_comparisons(paper))
    assert len(compared) > 600
    assert len({comparison.name for comparison in compared}) == len(compared)
    found = {c.name: (round(c.printed, 2), round(c.follows, 2)) for c in compared if not c.agrees}
    assert found == DISAGREEMENTS


def test_the_page_lists_each_disagreement_with_both_numbers() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    listed = {
        cells[1]: (float(cells[2]), float(cells[3])) for line in lines if (cells := _cells(line))[1] in DISAGREEMENTS
    }
    assert listed == DISAGREEMENTS


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")] + ["", ""]


def test_every_unit_is_used_and_every_table_has_rows(paper: Published) -> None:
    assert {number.unit for number in paper} == set(UNITS)
    for table in paper.tables():
        assert paper.rows(table) and paper.columns(table)


def test_numbers_are_looked_up_as_printed(paper: Published) -> None:
    percent = paper.find("template", "lethe", "pass", "percent")
    assert percent is not None and str(percent.value) == "99.30"
    assert percent.half_step == pytest.approx(0.005)
    assert paper.value("adversarial", "prefix_collision", "mem0", "cases") == Decimal(12)
    first = paper.find("adversarial", "prefix_collision", "mem0")
    assert first is not None and (first.unit, first.n) == ("cases", 39)
    missing = paper.find("a_mem", "shared_attribute", "a_mem")
    assert missing is not None and (missing.unit, missing.value, missing.half_step) == ("na", None, 0.0)
    assert paper.find("a_mem", "shared_attribute", "zep") is None
    with pytest.raises(KeyError):
        paper.value("a_mem", "shared_attribute", "a_mem", "cases")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("t,r,c,1,2", "5 fields; give 6"),
        ("t,,c,1,2,cases", "row ''"),
        ("t,r, c,1,2,cases", "column ' c'"),
        ("t,r,c,1,2,dollars", "unit 'dollars': use one of"),
        ("t,r,c,,2,cases", "leave the value empty where the unit is na alone"),
        ("t,r,c,5,,na", "leave the value empty where the unit is na alone"),
        ("t,r,c,many,2,cases", "value 'many': write a number"),
        ("t,r,c,nan,2,percent", "write a number with its digits"),
        ("t,r,c,1e2,2,percent", "write a number with its digits"),
        ("t,r,c,1_0,,count", "write a number with its digits"),
        ("t,r,c,٣,,count", "write a number with its digits"),
        ("t,r,c,1," + "9" * 5000 + ",percent", "write a whole number from 1"),
        ("t,r,c,1.5,2,cases", "cases are whole numbers"),
        ("t,r,c,3,2,cases", "need an n that is not smaller"),
        ("t,r,c,3,,cases", "need an n that is not smaller"),
        ("t,r,c,3,0,percent", "n '0': write a whole number from 1"),
        ("t,r,c,3,2.5,percent", "n '2.5': write a whole number from 1"),
        ("a,b,c,1,2,cases", "a, b, c has a second value in cases"),
        ("a,b,c,,,na", "a, b, c is both na and a number"),
    ],
)
def test_a_wrong_line_is_named_with_its_mend(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "published.csv"
    path.write_text(f"{','.join(COLUMNS)}\na,b,c,1,2,cases\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_published(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:3: ") and says in message and "\n" not in message


def test_a_missing_file_and_a_wrong_header_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_published(tmp_path / "absent.csv")
    (tmp_path / "quoted.csv").write_text(f'{",".join(COLUMNS)}\n"{"x" * 140_000}', encoding="utf-8")
    with pytest.raises(UserError, match=r"quoted\.csv: not CSV .*; restore the file"):
        read_published(tmp_path / "quoted.csv")
    (tmp_path / "other.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"other\.csv:1: the header must be table,row,column"):
        read_published(tmp_path / "other.csv")
