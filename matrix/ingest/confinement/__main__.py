"""The first code of a parser child: `python -I confinement <parent> <limits> <readable> <module> [arguments]`.

It takes the limits upon itself, then runs the module in their grip. The document comes on standard input and the result
leaves on standard output, both opened by the parent, so the child needs no path of its own.
"""

from __future__ import annotations

import os
import runpy
import site
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120  # pathlib costs start time


def readable_folders() -> list[str]:
    """Where Python, its packages and the shared libraries live; of this project its package only, never its root,
    which may hold a `.env`."""
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    system = [
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/etc/ld.so.cache",
        "/dev/null",
        "/dev/urandom",
    ]
    package = os.path.join(ROOT, "matrix")  # noqa: PTH118  # pathlib costs start time
    return sorted({*folders, *site.getsitepackages(), os.path.join(sys.base_prefix, "lib"), package, *system})  # noqa: PTH118  # the same


def confine(parent: int, limits: list[int], readable: list[str]) -> None:
    from matrix.ingest.confinement.landlock import restrict_files  # noqa: PLC0415  # needs ROOT on the path first
    from matrix.ingest.confinement.limits import (  # noqa: PLC0415  # the same
        apply_limits,
        die_with_parent,
        drop_capabilities,
        forbid_processes,
    )
    from matrix.ingest.confinement.seccomp import restrict_calls  # noqa: PLC0415  # the same

    die_with_parent(parent)
    apply_limits(*limits)
    restrict_files([*readable_folders(), *readable])
    drop_capabilities()
    if not restrict_calls():
        forbid_processes()


def main() -> None:
    parent, limits, readable, module, *arguments = sys.argv[1:]
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(__file__)]  # noqa: PTH120  # the same
    if ROOT not in sys.path:
        sys.path.append(ROOT)
    confine(
        int(parent), [int(limit) for limit in limits.split(",")], [path for path in readable.split(os.pathsep) if path]
    )
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
