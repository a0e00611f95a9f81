"""Scenes of a tour in which one is broken, and keys pressed on the stage."""

from PySide6.QtTest import QTest

SCENES = [
    {
        "title": "Coloured", "id": "coloured", "scenario": "power775-halo", "text": "**{throughput_gbs} GB/s**",
        "views": [{"view": "machine", "share": 3}, {"view": "job"}], "selection": "hottest link", "notes": "Say hello",
    },
    {
        "title": "In order", "changes": {"mapping": {"type": "sequential"}}, "hottest_percent": 10, "editing": True,
        "text": "{throughput_gbs / coloured.throughput_gbs:.2f} of it", "camera": {"focus": "supernode 3"},
    },
    {"title": "Broken", "changes": {"mapping": {"type": "nonsense"}}},
    {"title": "Beside", "changes": {"mapping": {"type": "sequential"}}, "against": "coloured"},
]  # fmt: skip


ROUND = {"title": "Rounds", "scenario": "clex-rounds", "step": 3, "text": "Round {step} of {rounds}"}


def press(stage, *keys):
    for key in keys:
        QTest.keyClick(stage, key)
