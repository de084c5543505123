"""The command `matrix`: one file a command, put together here.

Commands are clients of a running Matrix, or run its parts. What the parts are made of takes two seconds to import, so
the commands that run them import it themselves, when they are called.
"""

from __future__ import annotations

from typing import Annotated

import typer

from matrix import __version__
from matrix.cli.agents import agents_app
from matrix.cli.ask import ask
from matrix.cli.console import out
from matrix.cli.demo_corpus import make_demo
from matrix.cli.doctor import doctor
from matrix.cli.documents import documents_app
from matrix.cli.down import down
from matrix.cli.extract import extract
from matrix.cli.ingest import ingest
from matrix.cli.knowledge import knowledge_app
from matrix.cli.migrate import migrate
from matrix.cli.prepare_models import prepare_models
from matrix.cli.search import search
from matrix.cli.serve import serve
from matrix.cli.status import status
from matrix.cli.up import up
from matrix.cli.worker import worker


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"Matrix {__version__}", markup=False)
        raise typer.Exit


def about(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    """Documents in, cited answers out, on one Neo4j graph."""


app = typer.Typer(
    name="matrix",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.callback()(about)
for command in (up, down, status, doctor, migrate, serve, worker, extract, ingest, search, ask):
    app.command()(command)
for step_of_up in (prepare_models, make_demo):
    app.command(hidden=True)(step_of_up)
app.add_typer(knowledge_app, name="knowledge")
app.add_typer(documents_app, name="documents")
app.add_typer(agents_app, name="agents")

if __name__ == "__main__":
    app()
