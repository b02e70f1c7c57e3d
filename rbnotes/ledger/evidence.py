"""Evidence for the verdicts, stored with the ledger so that showing it needs no new proof.

Kinds of evidence, from the strongest to the weakest:

``symbolic``
    Both sides are the same rational function of symbols, for all inputs; a wrong print fails on exact inputs.
``exact``
    Both sides are fractions and are equal on every draw, or differ. The chance that a false identity passes
    is below the bound.
``enclosed``
    Both sides lie in narrow balls, which overlap or exclude each other.
``reproduced``
    Printed numbers are those of the exact value, to their last digit.
``sampled``
    The tolerance of the record holds in float64 on random inputs; no proof was found.
``undecided``
    The exact comparison contradicts the verdict, or the claim was never proved.

:mod:`rbnotes.ledger.exact.evidence` finds them and needs python-flint; ``tools/prove_records.py`` writes the
file. Each entry has the digest of the sources that it rests on; if they change, the evidence is stale until
the claim is proved again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from rbnotes.ledger.checks.digests import files_digest, record_digest
from rbnotes.ledger.record import Record
from rbnotes.ledger.sources import active_ledger

FILE_NAME = "evidence.json"
KINDS = ("symbolic", "exact", "enclosed", "reproduced", "sampled", "undecided")
"""Kinds of evidence, from the strongest to the weakest."""
PROOFS = KINDS[:4]


@dataclass(frozen=True)
class Evidence:
    """Evidence for the verdict of a claim.

    Attributes
    ----------
    kind
        One of :data:`KINDS`.
    degree
        Bound on the degree of the difference that was shown to vanish.
    set_bits
        Each number was drawn from a set of ``2**set_bits``.
    bound
        Bound on the probability that a false identity passes one draw.
    digits
        Decimal digits to which enclosures agree, at least.
    num_draws
        Exact inputs on which the forms were compared.
    num_wrong
        Exact inputs on which the printed form was proved wrong.
    num_branches
        Comparisons of numbers that depend on the inputs: the proof is about the branches taken.
    num_inputs
        Inputs in double precision, for a claim that is sampled or wrong as printed.
    num_effective
        Inputs among these on which the rarest branch was taken; see :mod:`rbnotes.ledger.input_counts`.
    num_failing
        Inputs among these on which the printed form is wrong.
    reason
        Why there is no proof.
    digest
        Digest of the sources when the claim was proved.
    """

    kind: str
    degree: int = 0
    set_bits: int = 0
    bound: float = 0.0
    digits: int = 0
    num_draws: int = 0
    num_wrong: int = 0
    num_branches: int = 0
    num_inputs: int = 0
    num_effective: int = 0
    num_failing: int = 0
    reason: str = ""
    digest: str = ""

    @property
    def is_proof(self) -> bool:
        """Return True if the evidence is a proof."""
        return self.kind in PROOFS

    def to_json(self) -> dict[str, Any]:
        """Return the kind, and the other fields that differ from their defaults."""
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def summary(self) -> str:
        """Return the evidence in a few words, for lists and pages."""
        match self.kind:
            case "symbolic":
                text = "proved for all inputs"
            case "exact":
                text = f"proved exactly (bound {self.bound:.0e})" if self.bound else "proved exactly"
            case "enclosed":
                text = f"enclosed{self._digits}"
            case "reproduced":
                text = "reproduced to the last printed digit"
            case "sampled":
                text = f"sampled on {self._inputs}" if self.num_inputs else self.reason
            case _:
                text = self.kind
        failing = f"{self.num_failing} of {_number(self.num_inputs, 'input')}"
        return f"{text}; the print fails on {failing}" if self.num_failing else text

    def __str__(self) -> str:
        """Return the evidence in a sentence whose first word is the kind."""
        match self.kind:
            case "symbolic":
                text = f"symbolic for all inputs, and {self._exact if self.set_bits else 'enclosed'}"
            case "exact":
                text = self._exact
            case "enclosed":
                text = f"enclosed{self._digits}"
            case "sampled":
                text = f"sampled on {self._inputs}"
            case _:
                text = self.kind
        if self.num_draws and self.kind != "sampled":
            text += f" on {_number(self.num_draws, 'draw')}"
        if self.reason:
            text += f" ({self.reason})"
        failing = [
            f"{count} of {_number(total, noun)}"
            for count, total, noun in (
                (self.num_wrong, self.num_draws, "draw"),
                (self.num_failing, self.num_inputs, "input"),
            )
            if count
        ]
        return f"{text}; the print fails on {' and on '.join(failing)}" if failing else text

    @property
    def _exact(self) -> str:
        text = f"exact of degree {self.degree} on a set of 2^{self.set_bits}"
        return f"{text} with error probability below {self.bound:.0e}"

    @property
    def _digits(self) -> str:
        return f" to {self.digits} digits" if self.digits else ""

    @property
    def _inputs(self) -> str:
        count = _number(self.num_inputs, "input")
        return f"{count}, {self.num_effective} effective" if self.num_effective < self.num_inputs else count


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


NOT_PROVED = Evidence("undecided", reason="the claim has not been proved so far")
"""Evidence for a claim without an entry."""


def find_evidence(record: Record) -> Evidence:
    """Return the stored evidence of a record; undecided if there is none."""
    return read_evidence(active_ledger().folder).get(record.id, NOT_PROVED)


@cache
def read_evidence(folder: Path) -> Mapping[str, Evidence]:
    """Return the evidence stored in the folder of a ledger, by claim."""
    path = folder / FILE_NAME
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Evidence(**entry) for name, entry in entries.items()}


def write_evidence(folder: Path, evidence: Mapping[str, Evidence]) -> None:
    """Write the evidence into the folder of a ledger, a line for each claim."""
    lines = (f"{json.dumps(name)}: {json.dumps(evidence[name].to_json())}" for name in sorted(evidence))
    path = folder / FILE_NAME
    partial = path.with_suffix(".partial")
    partial.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    partial.replace(path)
    read_evidence.cache_clear()


def proof_digest(record: Record) -> str:
    """Return the digest of the sources of a record and of the exact arithmetic."""
    return sha256(f"{_arithmetic_digest()}\0{record_digest(record)}".encode()).hexdigest()[:16]


@cache
def _arithmetic_digest() -> str:
    return files_digest(sorted((Path(__file__).parent / "exact").glob("*.py")))


def is_stale(record: Record) -> bool:
    """Return True if a record was never proved or its sources changed afterwards."""
    return find_evidence(record).digest != proof_digest(record)


def stale_records(records: Iterable[Record]) -> list[Record]:
    """Return the records that changed since they were last proved."""
    return [record for record in records if is_stale(record)]
