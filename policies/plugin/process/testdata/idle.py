"""Leaves every plan as it is."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2] / "templates"))
import marigram  # noqa: E402


class Idle(marigram.Policy):
    def decide(self, view, plan):
        pass


marigram.serve(Idle, binary="--binary" in sys.argv)
