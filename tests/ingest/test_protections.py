from __future__ import annotations

import sys

from matrix.ingest.confinement.protections import protections


def test_every_protection_that_is_missing_comes_with_a_remedy() -> None:
    found = protections()
    assert len({protection.name for protection in found}) == len(found) == 4
    assert all(protection.in_force or protection.remedy for protection in found)


def test_resource_limits_are_in_force_wherever_the_suite_runs() -> None:
    limited = {protection.name: protection.in_force for protection in protections()}
    assert limited["memory is limited"] is (sys.platform == "linux")
    assert limited["time, CPU, file size and open files are limited"] is (sys.platform != "win32")
