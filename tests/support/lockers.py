"""A case that is admitted, and one that supersedes, for tests of admission to bend."""

from dataclasses import replace

from forgeteval.cases.case import Case, Mutation

TARGET = "Ada's locker code is 4417."
BYSTANDER = "Bo's locker code is 9920."
OTHERS = ("The gym opens at six.", "Towels cost two euros.")
GOOD = Case(
    case_id="good",
    suite="mine",
    category="substring_trap",
    setup_facts=(TARGET, BYSTANDER, *OTHERS),
    mutations=(Mutation("release", "Ada's locker code"),),
    final_query="What are the locker codes?",
    must_contain=("9920",),
    must_not_contain=("4417",),
    gold_rows=(BYSTANDER, *OTHERS),
)
NEW = "Ada's locker code is 7755."
SUPERSEDED = replace(
    GOOD,
    mutations=(Mutation("supersede", "Ada's locker code", NEW),),
    gold_rows=(BYSTANDER, *OTHERS, NEW),
    must_contain=("7755", "9920"),
)
