"""Leaves every plan as it is."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "python"))
import marigram  # noqa: E402


class Idle(marigram.Policy):
    def decide(self, view, plan):
        pass


marigram.serve(Idle)
