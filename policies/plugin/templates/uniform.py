from sky_spot.strategies.strategy import Strategy
from sky_spot.utils import ClusterType


class Solution(Strategy):
    """On spot whenever there is some, on demand where it is behind an even pace or the time gets short."""

    def _step(self, last_cluster_type, has_spot):
        env, done = self.env, sum(self.task_done_time)
        left, time = self.task_duration - done, self.deadline - env.elapsed_seconds
        if left <= 1e-3:
            return ClusterType.NONE
        if last_cluster_type is not ClusterType.SPOT and left + 2 * self.restart_overhead >= time - env.gap_seconds:
            return ClusterType.ON_DEMAND
        if has_spot:
            return ClusterType.SPOT
        behind = done < env.elapsed_seconds * self.task_duration / self.deadline
        return ClusterType.ON_DEMAND if behind else ClusterType.NONE
