"""Program that runs llama.cpp's HTTP server on loopback, in the environment `llama_cpp`.

    PYTHON llama_server.py        (an order as JSON on the first line of standard input)

The order gives `weights` (a GGUF file), `alias` (the model's name in answers), `context` (tokens of a slot), `slots`,
`threads` and `token`, the bearer token that clients must send. The only line of output is JSON with the server's `url`,
or with an `error`. The server ends when its standard input does, so that whoever started it cannot leave it behind.
Nothing but the standard library and xllamacpp is imported here.
"""

import json
import os
import sys

BEGINNINGS_MIB = 1024
"""Memory for beginnings of prompts that no slot holds any more, MiB."""


def main() -> None:
    """Entry point."""
    order = json.loads(sys.stdin.readline())
    answers = os.dup(sys.stdout.fileno())
    # llama.cpp itself writes to standard output.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    import xllamacpp

    options = xllamacpp.CommonParams()
    options.model.path = order["weights"]
    options.n_parallel = order["slots"]
    options.n_ctx = order["context"] * order["slots"]
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = order["threads"]
    options.n_gpu_layers = 0
    options.hostnames = ["127.0.0.1"]
    options.port = 0
    options.api_keys = [order["token"]]
    # Flash attention and repacked weights add in an order that depends on the threads and on what was read before.
    options.flash_attn_type = 0
    options.no_extra_bufts = True
    options.model_alias = {order["alias"]}
    options.use_jinja = True
    options.cache_prompt = True
    options.cache_ram_mib = BEGINNINGS_MIB
    options.ui = False
    options.endpoint_slots = False
    try:
        server = xllamacpp.Server(options)
        said = {"url": server.listening_address}
    except Exception as error:  # noqa: BLE001 - whatever the library raises is told to whoever waits
        said = {"error": f"{order['weights']}: {error}"}
    os.write(answers, f"{json.dumps(said)}\n".encode())
    if "url" in said:
        sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
