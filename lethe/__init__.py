"""The ForgetEval study, and beside it the store, `lethe.store`, which a distribution of its own brings.

That distribution alone has no such file, and `lethe` is a namespace package. This file lets the study stand beside it
wherever either is installed, and keeps other projects' modules of this name out where the study runs.
"""

import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)
