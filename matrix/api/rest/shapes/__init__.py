"""The shapes of what REST sends, for /openapi.json alone: nothing is checked against them while Matrix runs. What makes
the answers is in the `*_json` modules beside; tests/support/documented.py holds every answer of the tests against them.
"""
