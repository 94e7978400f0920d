"""A BERT model that a package has as an ONNX graph, with the uncased vocabulary that all-MiniLM-L6-v2 also has."""

from typing import TYPE_CHECKING

from forgeteval.errors import UserError
from lethe.embedding.minilm import package_model_dir

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def read_model(content: bytes) -> tuple[bytes, "Tokenizer"]:
    """The graph with its vectors of texts as the only output, and the tokenizer.

    Raises:
        UserError: if the graph has not exactly one output of shape (batch, dim).
    """
    import onnx
    from tokenizers import Tokenizer

    model = onnx.load_from_string(content)
    vectors = [
        output
        for output in model.graph.output
        if output.type.tensor_type.elem_type == onnx.TensorProto.FLOAT and len(output.type.tensor_type.shape.dim) == 2
    ]
    if len(vectors) != 1:
        raise UserError(f"not an encoder of texts: {len(vectors)} outputs are one vector for each text")
    del model.graph.output[:]
    model.graph.output.extend(vectors)
    tokenizer = Tokenizer.from_file(str(package_model_dir() / "tokenizer.json"))
    tokenizer.enable_padding()
    serialised: bytes = model.SerializeToString()
    return serialised, tokenizer
