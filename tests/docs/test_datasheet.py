import re

from lethe.findings.sheet import Sheet
from lethe.tables.table import Table
from tests.support.paths import ROOT

CONTROLS = ("null", "nuke", "verbatim", "frozen")
LABELS = {
    "Held-out": "held_out",
    "Published, repaired": "published_repaired",
    "Published, external": "published_external",
}


def test_the_datasheet_says_what_the_controls_passed_in_the_kept_run() -> None:
    kept = (ROOT / "docs/findings/controls.json").read_text(encoding="utf-8")
    sheet = Sheet(Table.from_json(kept))
    passed = {}
    for line in sheet.table.rows():
        if sheet.cell(line, "scorer").text == "substring":
            label = line[0].text.partition(" (")[0]
            suite = LABELS.get(label, label.casefold().replace(" ", "_"))
            passed[suite] = [sheet.count(line, "null"), *(int(sheet.value(line, name)) for name in CONTROLS)]
    datasheet = (ROOT / "docs/datasheet.md").read_text(encoding="utf-8")
    written = re.findall(r"^\| (`.*`) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", datasheet, re.MULTILINE)

    assert len(written) == 6
    for suites, *numbers in written:
        found = [passed.pop(suite) for suite in re.findall("`(.*?)`", suites)]
        assert list(map(int, numbers)) == [sum(cells) for cells in zip(*found, strict=True)], suites
    assert passed.keys() == {"adversarial_sample"}
