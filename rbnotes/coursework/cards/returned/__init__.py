"""In which frame or coordinates that is what comes back, claim by claim.

Each section has its texts, and each of these the displays and claims that it is for; ``*`` stands for all of
the section that have no text of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rbnotes.coursework.cards.returned.lloyd import LLOYD
from rbnotes.coursework.cards.returned.si import SI
from rbnotes.coursework.cards.returned.sueda_bodies import SUEDA as BODIES
from rbnotes.coursework.cards.returned.sueda_trees import SUEDA as TREES


def _flat(source: str, sections: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        f"{source}/s{section}{'' if key == '*' else '/' + key}: result": text
        for section, told in sections.items()
        for text, keys in told.items()
        for key in keys.split()
    }


RETURNED: Mapping[str, str] = MappingProxyType(
    {
        **_flat("lloyd", LLOYD),
        **_flat("sueda", BODIES),
        **_flat("sueda", TREES),
        **_flat("si", SI),
        "rbnotes/sSE3/d1: result": "takes rates of xi to twists in the frame at the start",
        "rbnotes/sSE3/d2: result": "takes rates of xi to twists in the moved frame",
        "rbnotes/sSE3/d3: result": "takes twists in the frame at the start to rates of xi",
        "rbnotes/sSE3/d4: result": "takes twists in the moved frame to rates of xi",
    }
)
"""By claim, display or section."""
