"""Card of each claim: statement, task, example, code, counterexample."""

from rbnotes.coursework.cards.claim_card import Card, card
from rbnotes.coursework.cards.code_extraction import standalone_code

__all__ = ["Card", "card", "standalone_code"]
