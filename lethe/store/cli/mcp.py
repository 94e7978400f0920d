"""The command `lethe mcp`: a store in a file as a server for agents (docs/agents.md)."""

import os
import socket
import sys
from typing import Annotated, Literal

import typer

from lethe.store.cli.opening import FOR_A_NEW_FILE, KeyFile, StoreFile, in_utf8, known_embedder, opened
from lethe.store.cli.streams import check_open
from lethe.store.embedders import DEFAULT
from lethe.store.errors import LetheError

_HOST, _PORT = "127.0.0.1", 8765


def mcp(
    file: StoreFile,
    owner: Annotated[
        str | None, typer.Option(help="whose memories these are; clients cannot change it", callback=in_utf8)
    ] = None,
    actor: Annotated[
        str | None, typer.Option(help="who does what clients ask for, for the log", callback=in_utf8)
    ] = None,
    graph: Annotated[bool, typer.Option("--graph", help="the tools of the reference memory server instead")] = False,
    http: Annotated[bool, typer.Option("--http", help="streamable HTTP in place of standard input and output")] = False,
    host: Annotated[
        str | None,
        typer.Option(help="where to listen; other machines reach what is not loopback", show_default=_HOST),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="which port to listen on", min=1, max=65535, show_default=str(_PORT))
    ] = None,
    key: KeyFile = None,
    embedder: Annotated[str | None, typer.Option(help=FOR_A_NEW_FILE)] = None,
) -> None:
    """Serve FILE, which is made if it is missing, to agents by the Model Context Protocol."""
    if not http and (host is not None or port is not None):
        raise LetheError("--host and --port go with --http")
    host, port = host or _HOST, port or _PORT
    try:
        import anyio

        from lethe.store.mcp import server
    except ImportError as error:
        raise LetheError(f"lethe mcp needs the package mcp ({error}); pip install 'lethe-store[mcp]'") from error
    if http:
        _check_free(host, port)
    tools: Literal["memory", "graph"] = "graph" if graph else "memory"
    new = None if file.exists() else DEFAULT
    if new is None and embedder is None:
        known_embedder(file)
    try:
        with opened(file, key=key, embedder=embedder or new, owner=owner, actor=actor) as store:
            served = server(store, tools=tools)
            if http:
                print(f"listening at http://{_in_address(host)}:{port}/mcp", file=sys.stderr, flush=True)
                served.run("streamable-http", host=host, port=port)
            else:
                check_open()
                served.run("stdio")
    except BaseExceptionGroup as group:
        # Answers that were still to be sent then fail too.
        gone = (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError)
        if group.subgroup(BrokenPipeError) is None or group.split(gone)[1] is not None:
            raise
        print("error: the client closed its end before it was answered", file=sys.stderr, flush=True)
        # An ordinary exit would wait for the thread that still reads standard input.
        os._exit(1)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _check_free(host: str, port: int) -> None:
    """Tell before the server starts that it cannot listen there; its own line would name no remedy."""
    try:
        for family, kind, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as probe:
                if os.name == "posix":
                    # As the server does, over connections that have ended but are still remembered.
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        told = f"cannot listen on port {port} of {host}: {error.strerror}"
        raise LetheError(f"{told}; choose another with --port or --host") from error
