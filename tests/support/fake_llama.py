"""A stand-in for `lethe/serving/llama_server.py` without a model; `weights` in its order are FOLDER/BEHAVIOUR.

It notes its process id in FOLDER/started. Behaviours: `answers`, `fails` (says why it cannot start), `dies` (ends
without a word), `leaves` (answers, and has started a process in a session of its own, noted in FOLDER/left), `refuses`
(answers 401), `closes` (closes its output and stays), `silent` (takes connections and never answers), `drips`
(sends headers for ever), `trickles` (sends its body byte by byte, for ever), those of `LINES` (says that, and stays),
and a number (says that it answers at that port, and stays).
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

LINES = {
    "words": b"loading the weights\n",
    "bytes": b"\xff\xfe\n",
    "number": b"5\n",
    "null": b"null\n",
    "numbered": b'{"url": 5}\n',
    "afar": b'{"url": "http://192.0.2.1:80"}\n',
    "beyond": b'{"url": "http://127.0.0.1:99999"}\n',
    "disguised": b'{"url": "http://127.0.0.1:80@192.0.2.1:80"}\n',
    "floods": b"x" * 1_000_000,
    "escapes": b'{"error": "no\\u001b[31m \\ud800 weights"}\n',
}
SLOW = {
    "silent": b"",
    "drips": b"HTTP/1.1 200 OK\r\n",
    "trickles": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{",
}


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

    if behaviour == "closes":
        os.close(sys.stdout.fileno())
        time.sleep(600)
    if behaviour in LINES or behaviour.isdigit():
        said = LINES.get(behaviour) or json.dumps({"url": f"http://127.0.0.1:{behaviour}"}).encode() + b"\n"
        os.write(sys.stdout.fileno(), said)
        time.sleep(600)
    if behaviour == "leaves":
        left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        (folder / "left").write_text(str(left.pid))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if behaviour in SLOW:
                self.wfile.write(SLOW[behaviour])
                while True:
                    time.sleep(0.05)
                    self.wfile.write(b"X-Still: reading\r\n" if behaviour == "drips" else SLOW[behaviour][-1:])
            known = self.headers["Authorization"] == f"Bearer {order['token']}" and behaviour != "refuses"
            self.send_response(200 if known else 401)
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
