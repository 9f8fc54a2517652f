"""Two instances of a pool; of the next pool when what it waits for has come."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "python"))
import marigram  # noqa: E402


class Waits(marigram.Policy):
    def begin(self, pools):
        self.pools = pools
        self.at = -1

    def decide(self, view, plan):
        if "start" in view.trigger or "met" in view.trigger:
            self.at = (self.at + 1) % len(self.pools)
            plan.hold = [2 if p.index == self.at else 0 for p in self.pools]
        plan.because = view.trigger
        plan.wait_for = "notice+gone"
        plan.wake_when(job=view.job, waited_s=300)
        plan.wake_when(pool=self.pools[0], below_usd_per_h=0.28, above_usd_per_h=0.32, every_s=60)
        plan.wake_when(done=0.25)
        plan.wake_when(whole_s=7200, reserve_s=600)


marigram.serve(Waits)
