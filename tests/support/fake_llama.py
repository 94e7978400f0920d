"""A stand-in for `lethe/serving/llama_server.py` without a model; `weights` in its order are FOLDER/BEHAVIOUR.

It notes its process id in FOLDER/started. Behaviours: `answers`, `fails` (says why it cannot start), `dies` (ends
without a word).
"""

import http.server
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any


def main() -> None:
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    folder, behaviour = Path(order["weights"]).parent, Path(order["weights"]).name
    with (folder / "started").open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    if behaviour == "dies":
        os._exit(3)
    if behaviour == "fails":
        print(json.dumps({"error": "the tensors are missing"}), flush=True)
        return

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.headers["Authorization"] == f"Bearer {order['token']}" else 401)
            self.end_headers()

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            choice = {"message": {"role": "assistant", "content": asked["messages"][-1]["content"]}}
            body = json.dumps({"choices": [{**choice, "finish_reason": "length"}], "key": order["token"]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
