"""ForgetEval: can a memory store be told to forget?

>>> from forgeteval import Backend, evaluate, load_suite
>>> len(load_suite("adversarial"))
385

These eight names are what there is to use; everything else may change.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forgeteval.cases.case import Case
    from forgeteval.cases.library import load_suite
    from forgeteval.planners.protocol import Planner
    from forgeteval.run.compare import compare
    from forgeteval.run.evaluate import evaluate
    from forgeteval.run.results import Results
    from forgeteval.stores.contract import Backend, Hit

__version__ = "0.1.0"
__all__ = ["Backend", "Case", "Hit", "Planner", "Results", "compare", "evaluate", "load_suite"]

_PLACES = {
    "Backend": "forgeteval.stores.contract",
    "Case": "forgeteval.cases.case",
    "Hit": "forgeteval.stores.contract",
    "Planner": "forgeteval.planners.protocol",
    "Results": "forgeteval.run.results",
    "compare": "forgeteval.run.compare",
    "evaluate": "forgeteval.run.evaluate",
    "load_suite": "forgeteval.cases.library",
}
"""Where each name is imported from when it is asked for: a system's own environment has not what all of them need."""
CHOSEN_MODULES = ("forgeteval.stores", "forgeteval.cases", "forgeteval.planners", "forgeteval.run")


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'forgeteval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
