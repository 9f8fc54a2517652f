"""Says all that it can see of pools beside the view, and holds two instances of one after the other."""

import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "python"))
import marigram  # noqa: E402


def us(x):
    return "-" if x is None else str(round(x * 1e6))


class Sees(marigram.Policy):
    def begin(self, pools):
        self.asked = 0
        self.fixed = " ".join(
            f"{'/'.join(p.above)},{int(p.reserved)},{us(p.notice_missing)},{p.victim},{us(p.until_s)},{us(p.wait_s)},{us(p.wait_sigma)},"
            f"{us(p.length_s)},{us(p.billing_increment_s)},{us(p.billing_minimum_s)}" for p in pools)
        self.fixed += " " + " ".join(f"{x.name}{x.pools}{x.instances}" for x in self.limits) + " " + ",".join(self.names)

    def decide(self, view, plan):
        said = [self.fixed] if self.asked == 0 else []
        at = self.asked % len(view.pools)
        for p in view.pools:
            s = view.seen(p, at_s=view.now_s / 2, moved_from=view.pools[at])
            assert view.seen(p).usd_per_h == view.price(p)
            b = view.seen_before(p, 5400)
            assert view.seen_before(p, math.inf).held_s >= b.held_s
            assert b.refused_s is None and b.taken_s is None and b.usd_per_h == view.price(p)
            said.append(f"{b.removals},{b.arrivals},{b.grants},{us(b.held_s)},{us(b.waited_s)},{us(b.occupied_s)}")
            said.append(f"{us(s.usd_per_h)},{us(s.refused_s)},{us(s.taken_s)},{s.removals},{s.arrivals},{s.grants},{us(s.held_s)},"
                        f"{us(s.waited_s)},{us(s.occupied_s)},{int(s.has_state)},{us(s.move_usd)},{us(s.move_s)},{'+'.join(map(us, s.leaving_s))},"
                        f"{view.apart(p, view.pools[at])}")
        try:
            view.seen(0, at_s=view.now_s + 1)
            said.append("the future")
        except ValueError:
            pass
        try:
            view.seen_before(0, -1)
            said.append("before by less than nothing")
        except ValueError:
            pass
        self.asked += 1
        plan.hold = [2 if p.index == at else 0 for p in view.pools]
        plan.wake_s = 900
        plan.because = " ".join(said)


marigram.serve(Sees)
