"""What keeps a record honest: checks of its oracle, its inputs, its branches and its words.

Each module finds one kind of dishonesty and returns its findings as lines of text that begin with the kind;
no finding is no line. :func:`rbnotes.ledger.runner.verify` runs them all.
"""
