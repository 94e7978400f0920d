from lethe.findings.lines import TOPICS, five_lines
from lethe.report.findings import findings
from lethe.schemas import LONG_SCORES
from lethe.study.setup import Release
from tests.support.findings import invented_rows, numbers

EVERY_TABLE = [name for names in TOPICS.values() for name in names]


def test_the_page_says_what_the_readme_says() -> None:
    told = [f"**{each.topic}.** {each.text}" for each in findings(numbers(), EVERY_TABLE)]
    assert [line.replace("\N{NO-BREAK SPACE}", " ") for line in told] == five_lines(numbers())


def test_each_finding_leads_to_the_tables_that_show_its_numbers() -> None:
    assert {each.topic: list(each.tables) for each in findings(numbers(), EVERY_TABLE)} == {
        topic: list(names) for topic, names in TOPICS.items()
    }
    others = [name for name in EVERY_TABLE if name != "model_size"]
    assert findings(numbers(), others)[2].tables == ["states", "suites_by_category", "twins"]


def test_what_a_run_lacks_is_said_in_place_of_the_finding() -> None:
    rows = {**invented_rows(), LONG_SCORES.path: []}
    release = Release("not run: no data", {"external": "published_external"})
    texts = [each.text for each in findings(numbers(rows, release=release), EVERY_TABLE)]
    assert texts[3] == "not run: no data"
    assert texts[4].startswith("This run does not say: What lasts: long histories: no system")
    assert texts[:3] == [each.text for each in findings(numbers(), EVERY_TABLE)][:3]
