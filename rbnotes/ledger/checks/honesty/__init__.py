"""Checks that a record could fail if it were wrong: its oracle, inputs, branches and texts.

Each module checks for one kind of defect and returns its findings as lines of text that begin with the kind.
:func:`rbnotes.ledger.runner.verify` runs all checks.
"""
