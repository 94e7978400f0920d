"""What a real system cannot do, test by test of `test_contract.py`, and why.

Keys are system, then the test's name without `test_`, with the case in brackets where there is one. A declared
exception must fail: one that is no longer needed is an error.
"""

_CACHED = "a repeated query is answered from a cache that deletions do not reach"
_ALL_HITS = "the paper's purge deletes all of the ten best memories"
_FLOOR = "Graphiti's search shows a fact that shares no word with the query only where its cosine is above 0.6"
_CLEANED = "Graphiti takes zero-width and control characters out of every prompt, so that the model never sees them"
_UNDERSCORE = "a lone underscore is a syntax error in the full-text query that Graphiti builds for FalkorDB"
_THRESHOLD = "Mem0's own threshold of 0.1 leaves out memories as distant from the query as these bystanders"
_WORDS = "below 300 memories Inspeximus searches by words alone, those with three or more of a-z, 0-9, - and '"
_GRAPHITI = {
    "cases_are_isolated[after_mutations]": _FLOOR,
    "unicode_comes_back_as_it_went_in[emoji]": _CLEANED,
    "unicode_comes_back_as_it_went_in[controls]": _CLEANED,
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "openmemory_cached": {
        "a_mutation_takes_effect_at_once_or_is_not_offered[purge]": _ALL_HITS,
        "a_mutation_takes_effect_at_once_or_is_not_offered[mutated_twice]": _ALL_HITS,
        "a_mutation_takes_effect_at_once_or_is_not_offered[emptied]": _CACHED,
        "a_mutation_takes_effect_at_once_or_is_not_offered[emptied_and_filled]": _CACHED,
    },
    "mem0_paper": {
        "cases_are_isolated[after_mutations]": _THRESHOLD,
        "a_mutation_takes_effect_at_once_or_is_not_offered[supersede]": _THRESHOLD,
        "a_mutation_takes_effect_at_once_or_is_not_offered[release]": _THRESHOLD,
        "a_mutation_takes_effect_at_once_or_is_not_offered[purge]": _THRESHOLD,
        "a_mutation_takes_effect_at_once_or_is_not_offered[mutated_twice]": _THRESHOLD,
    },
    "inspeximus+uniform": {
        "cases_are_isolated[after_mutations]": _WORDS,
        "unicode_comes_back_as_it_went_in[wide]": _WORDS,
        "unicode_comes_back_as_it_went_in[astral]": _WORDS,
    },
    "graphiti+uniform": _GRAPHITI,
    "graphiti_falkordb+uniform": {
        **_GRAPHITI,
        "no_case_is_an_error": _UNDERSCORE,
        "unicode_comes_back_as_it_went_in[syntax]": _UNDERSCORE,
    },
    "cognee+uniform": {
        "unicode_comes_back_as_it_went_in[controls]": "texts are text files: a carriage return comes back as a newline",
    },
}
