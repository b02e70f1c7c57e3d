"""Prove a claim, and count the inputs that test it and those on which its printed form is wrong."""

from __future__ import annotations

from dataclasses import asdict, replace

from rbnotes.errors import MissingExtra
from rbnotes.ledger.evidence import Evidence, proof_digest
from rbnotes.ledger.input_counts import count_inputs
from rbnotes.ledger.record import WRONG_AS_PRINTED, Record


def require_flint() -> None:
    """Raise an error that names the extra of the exact arithmetic, if it is not installed.

    Raises
    ------
    MissingExtra
        If python-flint is not installed.
    """
    try:
        import flint  # noqa: F401  # only to say which extra is missing
    except ImportError as error:
        message = "proofs need python-flint: pip install 'rbnotes[exact]'"
        raise MissingExtra(message, name="flint") from error


def prove_record(record: Record) -> Evidence:
    """Return the evidence for a record, as it is stored with the ledger.

    Raises
    ------
    MissingExtra
        If python-flint is not installed.
    """
    require_flint()
    from rbnotes.ledger.exact import evidence

    result = replace(evidence.prove_claim(record.id), digest=proof_digest(record))
    if result.kind == "sampled" or record.verdict in WRONG_AS_PRINTED:
        result = replace(result, **asdict(count_inputs(record, is_proved=result.is_proof)))
    return result
