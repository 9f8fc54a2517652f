"""What it holds, saves and notes is by headroom, ask, ready_after, keep_saved and saved alone. shared_test.go has the same
in Go."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "python"))
import marigram  # noqa: E402


class Shared(marigram.Policy):
    def decide(self, view, plan):
        for job in view.jobs:
            hold = plan.job(job).hold
            for p in view.pools:
                free = plan.headroom(p, job)
                plan.add_input("headroom", free)
                plan.add_input("ready after", round(1000 * p.ready_after(1 + p.index, 0.9)), "ms")
                hold[p.index] = job.held(p).active + min(free, 2)
            answer = view.ask(job.job, 3)
            plan.add_input("whole", answer.whole_s or 0, "s")
            if view.trigger == "wake":
                plan.add_input("saved", int(plan.saved(job)))
            plan.keep_saved(job, 900, on_notice=job.job == 0)


if __name__ == "__main__":
    marigram.serve(Shared)
