"""pytest with the plugin of `forgeteval`, on a suite of four cases and a store that a text tells what to do."""

from importlib.metadata import entry_points

MODULE = "forgeteval.pytest_plugin"
_INSTALLED = any(point.value == MODULE for point in entry_points(group="pytest11"))
LOADED = ["-p", "no:langsmith_plugin", *([] if _INSTALLED else ["-p", MODULE])]
"""What makes pytest load the plugin where the installed distribution does not, and not one that is slow to import."""

STORE = '''
from forgeteval import Backend, Hit


class Store(Backend):
    """A list; it breaks, or cannot do what is asked, where a text says so."""

    def reset(self):
        self.memories = []

    def add(self, texts):
        for text in texts:
            if "explode" in text:
                raise RuntimeError("the \\x1b[31mstore\\n::error::broke")
        self.memories += texts

    def search(self, query, k):
        if query == "unsayable":
            raise NotImplementedError("it has no words for this")
        asked = set(query.lower().split())
        found = [Hit(text, text, len(asked & set(text.lower().split()))) for text in self.memories]
        return sorted(found, key=lambda hit: -hit.score)[:k]

    def delete(self, id):
        self.memories.remove(id)
'''
"""Module `toy`."""

SUITE = """
{"id": "keeps-1", "category": "keeps", "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."], \
"mutations": [["purge", "Ada Ghent."]], "final_query": "Who lives where?", "must_contain": ["Tartu"], \
"must_not_contain": ["Ghent"]}
{"id": "keeps-2", "category": "keeps", "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."], \
"mutations": [["purge", "Bo Tartu."]], "final_query": "Who lives where?", "must_contain": ["Tartu"], \
"must_not_contain": ["Ghent"]}
{"id": "case 3", "category": "breaks", "setup_facts": ["explode"], "mutations": [["purge", "x"]], \
"final_query": "What?", "must_not_contain": ["explode"]}
{"id": "case 4", "category": "not offered", "setup_facts": ["Ada lives in Ghent."], \
"mutations": [["release", "unsayable"]], "final_query": "What?", "must_not_contain": ["Ghent"]}
""".lstrip()
"""File `cases.jsonl`: a case of each verdict."""
VERDICTS = {"keeps-1": "pass", "keeps-2": "fail", "case 3": "error", "case 4": "na"}
