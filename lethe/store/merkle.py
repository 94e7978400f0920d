"""The Merkle tree over a log: appending to it, its root at any size, and proofs that grow with the log's logarithm.

The tree is that of RFC 9162, section 2.1: a root vouches for every entry and for their order. Whoever checks a proof
needs nothing of this module (`lethe.store.verifier`).
"""

import functools
import hashlib
from collections.abc import Callable, Sequence

Node = Callable[[int, int], bytes]
"""Gives the digest of the complete subtree (level, number), which covers 2^level leaves from number * 2^level."""


def leaf(entry: bytes) -> bytes:
    """The digest of an entry."""
    return hashlib.sha256(b"\0" + entry).digest()


def parent(left: bytes, right: bytes) -> bytes:
    """The digest of two neighbouring subtrees together."""
    return hashlib.sha256(b"\1" + left + right).digest()


def grown(node: Node, size: int, leaves: Sequence[bytes]) -> list[tuple[int, int, bytes]]:
    """The nodes (level from 1, number, digest) that are complete once leaves are appended to `size` entries."""
    new: dict[tuple[int, int], bytes] = {}
    for number, digest in enumerate(leaves, start=size):
        level = 0
        new[level, number] = digest
        while number % 2:
            left = new.get((level, number - 1)) or node(level, number - 1)
            digest = parent(left, digest)
            level, number = level + 1, number // 2
            new[level, number] = digest
    return [(level, number, digest) for (level, number), digest in new.items() if level]


def root(node: Node, size: int) -> bytes:
    """The root over the first `size` entries; SHA-256 of nothing for none."""
    if not size:
        return hashlib.sha256().digest()
    return functools.reduce(lambda right, left: parent(left, right), left_edge(node, size))


def left_edge(node: Node, size: int) -> list[bytes]:
    """The complete subtrees that the first `size` entries consist of, the smallest first.

    They are the audit path of the entry that is appended next, in the tree that it makes (RFC 9162, section 2.1.3).
    """
    levels = [level for level in range(size.bit_length()) if size >> level & 1]
    return [node(level, (size >> level) - 1) for level in levels]


def consistency(node: Node, older: int, newer: int) -> list[bytes]:
    """The proof that the log of `newer` entries begins with that of `older` ones (RFC 9162, section 2.1.4)."""
    if older in (0, newer):
        return []
    start, end, found, whole = 0, newer, [], True
    while start + older != end:
        middle = start + _split(end - start)
        if older <= middle - start:
            found.append(_subtree(node, middle, end))
            end = middle
        else:
            found.append(_subtree(node, start, middle))
            start, older, whole = middle, older - (middle - start), False
    if not whole:
        found.append(_subtree(node, start, end))
    return found[::-1]


def _subtree(node: Node, start: int, end: int) -> bytes:
    """The digest over the entries from `start` to before `end`, where a subtree of the tree begins at `start`."""
    size = end - start
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(size)
    return parent(_subtree(node, start, middle), _subtree(node, middle, end))


def _split(size: int) -> int:
    """The largest power of two below `size`, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
