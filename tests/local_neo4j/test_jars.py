"""The committed lock: whole, checkable, and silent about where jars come from."""

import re

from matrix.local_neo4j.jars import LOCK_FILE, ROOTS, JarLock, load_lock


def test_every_row_can_be_checked():
    lock = load_lock()
    assert len(lock.jars) > 200
    for jar in lock.jars:
        assert re.fullmatch(r"[0-9a-f]{64}", jar.sha256), jar
        assert jar.size > 0, jar
        assert jar.packaging == "jar", jar


def test_names_what_was_asked_for_and_nothing_twice():
    jars = load_lock().jars
    assert set(ROOTS) <= {(jar.group, jar.artifact, jar.version) for jar in jars}
    assert len({jar.path for jar in jars}) == len(jars)


def test_holds_natives_of_both_platforms():
    classifiers = {jar.classifier for jar in load_lock().jars}
    assert {"linux-x86_64", "linux-aarch_64", "osx-x86_64", "osx-aarch_64"} <= classifiers


def test_names_no_host():
    text = LOCK_FILE.read_text(encoding="utf-8")
    assert "://" not in text
    assert "http" not in re.sub(r'"artifact": "[^"]*"|"group": "[^"]*"', "", text)


def test_file_is_what_the_script_would_write():
    lock = load_lock()
    assert JarLock(tuple(sorted(lock.jars))).as_json() == LOCK_FILE.read_text(encoding="utf-8")


def test_path_follows_the_registry_layout():
    native = next(jar for jar in load_lock().jars if jar.classifier == "linux-x86_64")
    assert native.path.parts[:2] == ("io", "netty")
    assert native.path.name == f"{native.artifact}-{native.version}-linux-x86_64.jar"
