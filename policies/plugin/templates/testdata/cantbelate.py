"""The rules of Can't Be Late (NSDI 2024), by their description, for the interface of its public code."""
import math

from sky_spot.strategies.strategy import Strategy
from sky_spot.utils import ClusterType

SPOT, ON_DEMAND, NONE = ClusterType.SPOT, ClusterType.ON_DEMAND, ClusterType.NONE


class Rule(Strategy):
    def left(self):
        return self.task_duration - sum(self.task_done_time)

    def grains(self, x):
        return math.ceil(x / self.env.gap_seconds) * self.env.gap_seconds

    def safe(self, answer, has_spot):
        """The safety net: it overrides an answer that would risk the deadline."""
        gap, now = self.env.gap_seconds, self.env.elapsed_seconds
        time = math.floor((self.deadline - now) / gap) * gap
        running = self.env.cluster_type
        if self.grains(self.left() + 2 * self.restart_overhead) >= time and running is not SPOT:
            answer = ON_DEMAND
        if self.grains(self.left() + self.restart_overhead) < time:
            return answer
        if self.restart_overhead == 0 and has_spot or running is SPOT and self.remaining_restart_overhead < 1e-3:
            return SPOT
        return ON_DEMAND

    def _step(self, last_cluster_type, has_spot):
        if self.left() <= 1e-3:
            return NONE
        return self.rule(last_cluster_type, has_spot)


def spot(has_spot):
    return SPOT if has_spot else NONE


class greedy(Rule):
    def rule(self, last, has_spot):
        return self.safe(spot(has_spot), has_spot)


class greedy_old(Rule):
    def _step(self, last, has_spot):
        if self.grains(self.left() + self.restart_overhead) < self.deadline - self.env.elapsed_seconds:
            return spot(has_spot)
        return SPOT if last is SPOT else ON_DEMAND


class uniform_progress(Rule):
    hysteresis = 2

    def rule(self, last, has_spot):
        pace, done, now = self.task_duration / self.deadline, sum(self.task_done_time), self.env.elapsed_seconds
        answer = spot(has_spot)
        if done < now * pace and not has_spot:
            answer = ON_DEMAND
        behind = (now + self.hysteresis * self.restart_overhead) * pace >= done
        if last is ON_DEMAND and (not has_spot or behind):
            answer = ON_DEMAND
        return self.safe(answer, has_spot)


class uniform_progress_1d(uniform_progress):
    hysteresis = 1


class uniform_progress_no_hysteresis(uniform_progress):
    hysteresis = math.nan


class spot_only(Rule):
    def rule(self, last, has_spot):
        return spot(has_spot)


class on_demand(Rule):
    def rule(self, last, has_spot):
        return ON_DEMAND
