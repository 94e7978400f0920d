"""What a real system cannot do, test by test of `test_contract.py`, and why.

Keys are system, then the test's name without `test_`, with the case in brackets where there is one. A declared
exception must fail: one that is no longer needed is an error.
"""

EXCEPTIONS: dict[str, dict[str, str]] = {}
