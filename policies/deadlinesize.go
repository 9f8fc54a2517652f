package policies

import (
	"math"
	"sort"
	"time"

	"github.com/marigram/marigram/sim"
)

// LeastWithTimeToWait returns how many instances greedy, uniform-progress and
// time-sliced take of which no number is set: the least with which the safety net
// lets a job wait for spot until the first poll. Then it is in time with these on
// demand two changeovers later. If there are none up to most, which is at least 1,
// it is the most that are of use.
func LeastWithTimeToWait(m sim.Model, o sim.Objective, servers int, changeover, poll time.Duration, most int) int {
	d := deadline{changeover: changeover, poll: poll}
	return d.least(m, o, servers, most)
}

// least is LeastWithTimeToWait. More instances, as far as they are of use, take no
// longer: it searches by halves.
func (d *deadline) least(m sim.Model, o sim.Objective, servers, most int) int {
	pipelines, piped := m.(sim.PipelineModel)
	if w, ok := m.(sim.WorkerModel); ok && !piped {
		_, useful := w.WorkerBounds(math.Inf(1), o.Loss, o.Within.Seconds())
		most = min(most, useful)
	} else if piped {
		most = min(most, pipelines.MostUseful())
	}
	n := 1 + sort.Search(max(most, 1)-1, func(i int) bool {
		s := DeadlineState{Now: d.poll.Seconds(), Deadline: o.Within.Seconds(), Work: d.work(m, o, servers, i+1), Changeover: d.changeover.Seconds(), Grain: d.poll.Seconds()}
		return s.safe(SpotMachine) == SpotMachine
	})
	if piped {
		d, p := pipelines.Best(n)
		n = max(d*p, 1)
	}
	return n
}

// atOnce returns the most instances that all can be had at one time on spot, or on
// demand from one pool.
func atOnce(v sim.View) int {
	spot, dear := 0, 0
	for p := range v.Pools() {
		if pool := v.Pool(p); pool.OnDemand {
			dear = max(dear, pool.Quota)
		} else {
			spot += pool.Quota
		}
	}
	return max(spot, dear, 1)
}

// work returns how long the whole job takes on n instances, in seconds, with a
// save at every poll.
func (d *deadline) work(m sim.Model, o sim.Objective, servers, n int) float64 {
	seconds, l := d.trial.train(m, o, servers, n)
	return seconds * (1 + m.SaveTime(l).Seconds()/d.poll.Seconds())
}

// trial tries numbers of instances of one type on a model. Its memory is scratch.
type trial struct{ layout sim.Layout }

// train returns how long the whole job trains on n instances without a pause, in
// seconds, +Inf if it cannot, and the layout that is fastest on them.
func (t *trial) train(m sim.Model, o sim.Objective, servers, n int) (seconds float64, l *sim.Layout) {
	l = &t.layout
	l.Workers, l.Servers = append(l.Workers[:0], int32(n)), int32(servers)
	if m, ok := m.(sim.PipelineModel); ok {
		pipelines, stages := m.Best(n)
		l.Pipelines, l.Stages = int32(pipelines), int32(stages)
	}
	pace := m.Pace(l).Progress
	if pace == 0 {
		return math.Inf(1), l
	}
	return (m.Goal(o.Loss) - m.Begin(l)) / pace, l
}
