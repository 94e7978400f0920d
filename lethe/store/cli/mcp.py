"""The command `lethe mcp`: a store in a file as a server for agents (docs/agents.md)."""

from typing import Annotated, Literal

import typer

from lethe.store.cli.opening import FOR_A_NEW_FILE, KeyFile, StoreFile, in_utf8, opened
from lethe.store.cli.streams import check_open
from lethe.store.embedders import DEFAULT
from lethe.store.errors import LetheError


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
    host: Annotated[str, typer.Option(help="where to listen; other machines reach what is not loopback")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="which port to listen on", min=1, max=65535)] = 8765,
    key: KeyFile = None,
    embedder: Annotated[str | None, typer.Option(help=FOR_A_NEW_FILE)] = None,
) -> None:
    """Serve FILE, which is made if it is missing, to agents by the Model Context Protocol."""
    try:
        from lethe.store.mcp import server
    except ImportError as error:
        raise LetheError(f"lethe mcp needs the package mcp ({error}); pip install 'lethe-store[mcp]'") from error
    tools: Literal["memory", "graph"] = "graph" if graph else "memory"
    new = None if file.exists() else DEFAULT
    with opened(file, key=key, embedder=embedder or new, owner=owner, actor=actor) as store:
        served = server(store, tools=tools)
        if http:
            served.run("streamable-http", host=host, port=port)
        else:
            check_open()
            served.run("stdio")
