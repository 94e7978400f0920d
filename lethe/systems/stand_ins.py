"""Modules in place of packages that an environment leaves out because its system never calls them here."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def stand_in(name: str, **members: Any) -> None:
    """Make `import NAME` find a module with these members; any other name in it is a class that cannot be instantiated.

    Args:
        name: full name of the module; its parent package, if any, must already be a stand-in.
    """
    module = _StandIn(name)
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(members)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    sys.modules[name] = module


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_LeftOut,), {"__module__": self.__name__})


class _LeftOut:
    def __init__(self, *args: Any, **options: Any) -> None:
        raise RuntimeError(f"{type(self).__module__}.{type(self).__name__} is left out of this environment")
