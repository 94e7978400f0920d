from lethe.findings import lines
from lethe.findings.lines import TOPICS
from lethe.report.findings import findings
from lethe.schemas import LONG_SCORES
from lethe.study.setup import Release
from tests.support.findings import invented_rows, numbers

EVERY_TABLE = [name for each in lines.findings(numbers()) for name in each.tables]


def test_the_page_says_what_the_documentation_says() -> None:
    told = [(each.claim, *each.details) for each in findings(numbers(), EVERY_TABLE)]
    assert [tuple(text.replace("\N{NO-BREAK SPACE}", " ") for text in each) for each in told] == [
        (each.claim, *each.details) for each in lines.findings(numbers())
    ]


def test_each_finding_leads_to_the_tables_of_the_page_that_show_its_numbers() -> None:
    assert [each.tables for each in findings(numbers(), EVERY_TABLE)] == [
        list(each.tables) for each in lines.findings(numbers())
    ]
    others = [name for name in EVERY_TABLE if name != "model_size"]
    assert findings(numbers(), others)[3].tables == ["states", "suites_by_category", "twins"]


def test_what_a_run_lacks_is_said_in_place_of_the_finding() -> None:
    rows = {**invented_rows(), LONG_SCORES.path: []}
    release = Release("not run: no data", {"external": "published_external"})
    claims = [each.claim for each in findings(numbers(rows, release=release), EVERY_TABLE)]
    assert claims[4] == "not run: no data"
    assert claims[5].startswith(f"This run does not say: {TOPICS[5]}: long histories: no system")
    assert claims[:4] == [each.claim for each in findings(numbers(), EVERY_TABLE)][:4]
