"""Unigram tokenizers, as SentencePiece trains them, for the library tokenizers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARK = "▁"


def unigram_tokenizer(
    pieces: Sequence[tuple[str, float]],
    bos: int,
    eos: int,
    pad: int,
    unknown: int,
    charsmap: bytes | None = None,
    prefix: str = "",
) -> "Tokenizer":
    """A tokenizer with SentencePiece's rule `nmt_nfkc` that opens each text with `bos` and closes it with `eos`.

    Args:
        pieces: each with its score; the others are positions among them.
        charsmap: the rule as SentencePiece's file has it, compiled; without it, the library's own.
        prefix: stands before each text.
    """
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    rule: list[Any] = (
        [normalizers.Nmt(), normalizers.NFKC()] if charsmap is None else [normalizers.Precompiled(charsmap)]
    )
    spaces = [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    before = [normalizers.Prepend(prefix)] if prefix else []
    names = {position: pieces[position][0] for position in (bos, eos, pad)}
    tokenizer = Tokenizer(Unigram(list(pieces), unk_id=unknown))
    tokenizer.normalizer = normalizers.Sequence([*rule, *spaces, *before])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_MARK, prepend_scheme="always", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{names[bos]} $A {names[eos]}", special_tokens=[(names[bos], bos), (names[eos], eos)]
    )
    tokenizer.enable_padding(pad_id=pad, pad_token=names[pad])
    return tokenizer
