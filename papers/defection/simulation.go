package defection

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/sim"
)

// The draws of a job of a shared cluster.
const (
	purposeSharedArrival = sim.PurposeUser + 210 + iota
	purposeUser
	purposeSharedService
)

// SharedSimulation simulates a shared cluster job by job, first come first served: what the
// closed form of its wait leaves out.
type SharedSimulation struct {
	Warmup, Jobs int // jobs that are not counted, and those that are
	Seed         uint64

	free sim.Timers
}

// WaitH returns the mean wait of a job, h: the same for all users, since all see the same
// queue. It is +Inf if there is as much work as servers, or more: the queue would grow with
// the number of jobs. Run times are whole microseconds.
func (r *SharedSimulation) WaitH(users []User, servers int) float64 {
	if len(users) == 0 {
		return 0
	}
	if load(users) >= float64(servers) {
		return math.Inf(1)
	}
	r.free.Reset(servers, sim.Time(1)<<53)
	for s := range servers {
		r.free.Set(s, 0)
	}
	until := make([]float64, len(users)) // jobs per hour of the users so far
	jobs := 0.0
	for i, u := range users {
		jobs += u.JobsPerH
		until[i] = jobs
	}
	dice, now, wait := sim.Rand{Seed: r.Seed}, sim.Time(0), 0.0
	for job := range uint64(r.Warmup + r.Jobs) {
		now = now.After(3600 * dice.Exponential(purposeSharedArrival, 0, job) / jobs)
		pick := dice.Uniform(purposeUser, 0, job) * jobs
		u := min(sort.Search(len(until), func(i int) bool { return until[i] > pick }), len(users)-1)
		at, machine := r.free.First()
		r.free.Set(machine, max(at, now).After(3600*users[u].RunH*dice.Exponential(purposeSharedService, 0, job)))
		if job >= uint64(r.Warmup) {
			wait += max(at-now, 0).Seconds()
		}
	}
	return wait / 3600 / float64(r.Jobs)
}

// Mean returns the mean wait of n runs with seeds from r.Seed on, h, and its standard
// error, which is not a number for one run.
func (r *SharedSimulation) Mean(users []User, servers, runs int) (waitH, stderr float64) {
	one := *r
	var waits []float64
	for i := range runs {
		one.Seed = r.Seed + uint64(i)
		waits = append(waits, one.WaitH(users, servers))
	}
	mean, deviation := stat.MeanStdDev(waits, nil)
	return mean, stat.StdErr(deviation, float64(runs))
}
