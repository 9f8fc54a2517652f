package schedulers

import (
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// lineOf is a plan on two servers of jobs by deadline: GPUs, hours on servers, hours until they are due. To go on
// rented GPUs takes boot hours, and a GPU-hour costs a dollar there, at present three.
func lineOf(boot float64, jobs ...[3]float64) *bestLine {
	l := &bestLine{servers: 2}
	for j, x := range jobs {
		job := planned{job: j, gang: int(x[0]), need: 3600 * x[1], due: 3600 * x[2], deadline: 3600 * x[2], pace: 1, mayRent: true}
		job.start[rentsOnDemand] = 3600 * boot
		job.later = x[0] / 3600
		job.spot = 3 * job.later
		job.demand = 3 * job.later
		l.jobs = append(l.jobs, job)
	}
	return l
}

// What the best line of two servers costs, by hand; who has servers first, and how long jobs rent.
func TestBestLine(t *testing.T) {
	check := near.Count(t)
	for what, x := range map[string]struct {
		jobs   [][3]float64
		boot   float64
		where  whereabouts // of the first job
		first  int         // who has servers first
		rented float64     // GPU-hours
	}{
		"one after the other, just in time":           {jobs: [][3]float64{{2, 1, 1}, {2, 2, 3}}},
		"the second rents until servers are free":     {jobs: [][3]float64{{2, 2, 2}, {2, 2, 3}}, rented: 2},
		"two beside each other":                       {jobs: [][3]float64{{1, 2, 2}, {1, 2, 2}}},
		"a small job passes one that does not fit":    {jobs: [][3]float64{{1, 2, 2}, {2, 1, 3}, {1, 2, 2}}},
		"in time if the first job goes last":          {jobs: [][3]float64{{1, 1, 3}, {1, 1, 3}, {1, 3, 3}}},
		"in time in no order: the smaller gang rents": {jobs: [][3]float64{{1, 2.5, 3}, {2, 1, 3}}, rented: 0.5, first: 1},
		"the first in time goes first, though it is due later": {
			jobs: [][3]float64{{1, 3, 6}, {2, 3, 7}, {1, 2, 8}, {1, 3, 9}, {1, 1, 10}}},
		"the boot is rented, too":               {jobs: [][3]float64{{2, 2, 2}, {2, 2, 3}}, boot: 0.5, rented: 3},
		"who has no time to move keeps servers": {jobs: [][3]float64{{2, 2, 2}, {2, 1, 1}}, boot: 0.5, where: onServers, rented: 3},
		"late whatever is done":                 {jobs: [][3]float64{{2, 3, 2}}},
		"no job":                                {},
	} {
		l := lineOf(x.boot, x.jobs...)
		if len(l.jobs) > 0 {
			l.jobs[0].where = x.where
		}
		l.settle(true)
		rented := 0.0
		for k := range l.jobs {
			rented += l.jobs[k].rented / 3600 * float64(l.jobs[k].gang)
		}
		if check.Off(rented, x.rented, 1e-3) {
			t.Errorf("%s: %v GPU-hours are rented, expected %v", what, rented, x.rented)
		}
		if len(l.jobs) > 0 && l.jobs[x.first].first != onServers {
			t.Errorf("%s: job %d is not the first on servers", what, x.first)
		}
	}
}

// A local search takes no more than effort and a few simulations, allocates nothing, and ends where servers are down.
func TestBestLineEffort(t *testing.T) {
	var jobs [][3]float64
	for k := range 200 {
		jobs = append(jobs, [3]float64{1 + float64(k%3), 1 + float64(k%7), 20 + float64(k%5)})
	}
	l := lineOf(0.1, jobs...)
	l.settle(true)
	if most := effort + 10*len(jobs)*len(jobs); l.simulated > most {
		t.Errorf("%d steps, expected at most %d", l.simulated, most)
	}
	if allocated := testing.AllocsPerRun(5, func() { l.settle(true) }); allocated != 0 {
		t.Errorf("%v allocations, expected none", allocated)
	}
	down := lineOf(0, [3]float64{1, 1, 2})
	down.servers = 0
	down.jobs[0].mayRent = false
	down.settle(true)
	if down.jobs[0].first != jobWaits {
		t.Errorf("a job is %v although servers are down and nothing can be rented", down.jobs[0].first)
	}
}
