"""Checks that a record can fail: its oracle, its inputs, its branches and its texts.

Each module checks for one kind of defect and returns its findings as lines of text that begin with the kind.
:func:`rbnotes.ledger.runner.verify` runs all checks.
"""
