"""Holds spot instances of the cheapest pool, and looks again every ten minutes. Setting: instances."""

import marigram


class Cheapest(marigram.Policy):
    declared = [marigram.Setting("instances", 4, min=1, max=4096, doc="how many to hold")]

    def decide(self, view, plan):
        spot = [p for p in view.pools if not p.on_demand]
        best = min(spot, key=view.price)
        plan.hold = {best.name: min(self.settings["instances"], best.quota)}
        plan.wake_s = 600
        plan.because = "the cheapest spot pool"


if __name__ == "__main__":
    marigram.serve(Cheapest)
