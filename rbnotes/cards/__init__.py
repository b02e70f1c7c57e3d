"""A card for each claim: what it says, what to hand in, an example, code to paste, a counterexample."""

from rbnotes.cards.cards import Card, card
from rbnotes.cards.standalone import standalone_code

__all__ = ["Card", "card", "standalone_code"]
