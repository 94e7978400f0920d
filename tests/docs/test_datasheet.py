import re

from lethe.findings.numbers import Measured
from lethe.findings.release import kept_numbers
from tests.support.paths import ROOT


def test_the_datasheet_says_what_the_controls_passed_in_the_kept_run() -> None:
    measured = kept_numbers(ROOT).measured
    assert isinstance(measured, Measured)
    passed = {
        suite: [controls[0].cases, *(each.passed for each in controls if each.name != "oracle")]
        for suite, controls in measured.controls.items()
    }
    datasheet = (ROOT / "docs/datasheet.md").read_text(encoding="utf-8")
    written = re.findall(r"^\| (`.*`) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", datasheet, re.MULTILINE)

    assert len(written) == 6
    for suites, *numbers in written:
        found = [passed.pop(suite) for suite in re.findall("`(.*?)`", suites)]
        assert list(map(int, numbers)) == [sum(cells) for cells in zip(*found, strict=True)], suites
    assert passed.keys() == {"adversarial_sample"}
