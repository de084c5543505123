"""A parser gone bad, to be run in the sandbox: does the deed named by its first argument and answers what came of it.
Not a test module: the sandbox's tests run it by name."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def connect() -> str:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1].partition(":")[2])), timeout=2):
        return "connected"


def open_unix_socket() -> str:
    socket.socketpair()
    return "opened"


def fork() -> str:
    if os.fork() == 0:
        os._exit(0)
    return "forked"


def start_program() -> str:
    subprocess.run(["/bin/true"], check=True)
    return "started"


def replace_itself() -> str:
    os.execv("/bin/true", ["true"])
    return "replaced"


def read_secret() -> str:
    return Path(sys.argv[1].partition(":")[2]).read_text("utf-8")


def read_parents_environment() -> str:
    return Path(f"/proc/{os.getppid()}/environ").read_bytes().decode("utf-8", "replace")


def read_environment() -> str:
    return json.dumps(dict(os.environ))


def list_folder() -> str:
    return ",".join(path.name for path in Path(sys.argv[1].partition(":")[2]).iterdir())


def write_file() -> str:
    Path(sys.argv[1].partition(":")[2]).write_text("written", "utf-8")
    return "written"


def signal_parent() -> str:
    os.kill(os.getppid(), signal.SIGCONT)
    return "signalled"


def raise_limits() -> str:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    return "raised"


def take_memory() -> str:
    return str(len(bytearray(3 << 30)))


def spin() -> str:
    while True:
        pass


def sleep() -> str:
    time.sleep(600)
    return "slept"


def crash() -> str:
    return ctypes.string_at(0).decode()


def talk_nonsense() -> str:
    os.write(1, b"[[[[ not an answer")
    os._exit(0)


def fill_disk() -> str:
    while True:
        os.write(1, bytes(1 << 20))


def answer(text: str) -> None:
    document: dict[str, object] = {
        "text": text, "media_type": "text/plain", "title": None, "language": None, "encoding": None,
        "canonical_url": None, "warnings": [], "kinds": [], "blocks": [], "pages": [], "lines": [],
    }  # fmt: skip
    os.write(1, json.dumps({"all_pages": 1}).encode() + b"\n" + json.dumps(document).encode())


if __name__ == "__main__":
    deed = sys.argv[1].partition(":")[0]
    try:
        answer(str(globals()[deed]()))
    except OSError as refusal:
        answer(f"refused: {type(refusal).__name__}")
