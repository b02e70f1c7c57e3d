"""A card for each claim: what it says, what to hand in, an example, code to paste, a counterexample."""

from rbnotes.coursework.cards.claim_card import Card, card
from rbnotes.coursework.cards.code_extraction import standalone_code

__all__ = ["Card", "card", "standalone_code"]
