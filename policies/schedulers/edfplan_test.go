package schedulers

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// of is a plan of jobs in order: GPUs, hours on servers, hours until they are due.
func of(jobs ...[3]float64) *edfPlan {
	p := &edfPlan{upTo: len(jobs)}
	for j, x := range jobs {
		p.line = append(p.line, planned{job: j, gang: int(x[0]), need: 3600 * x[1], due: 3600 * x[2], mayRent: true})
	}
	return p
}

// renting are the jobs that rent.
func (p *edfPlan) renting() (jobs []int) {
	for _, x := range p.line {
		if x.rents {
			jobs = append(jobs, x.job)
		}
	}
	slices.Sort(jobs)
	return jobs
}

// What two servers cannot do in time, by hand.
func TestPlanSimulates(t *testing.T) {
	check := near.Count(t)
	for what, x := range map[string]struct {
		jobs  [][3]float64
		hours float64 // GPU-hours
	}{
		"one after the other, just in time":           {[][3]float64{{2, 1, 1}, {2, 2, 3}}, 0},
		"the second rents from its latest start on":   {[][3]float64{{2, 2, 2}, {2, 2, 3}}, 4},
		"two beside each other":                       {[][3]float64{{1, 2, 2}, {1, 2, 2}}, 0},
		"a small job passes one that does not fit":    {[][3]float64{{1, 2, 2}, {2, 1, 3}, {1, 2, 2}}, 0},
		"one GPU idle is of no use to a gang of two":  {[][3]float64{{1, 3, 3}, {2, 1, 3}}, 2},
		"late by an hour whatever is done: that hour": {[][3]float64{{2, 3, 2}}, 2},
		"no job": {nil, 0},
	} {
		if got := of(x.jobs...).simulate(2) / 3600; check.Off(got, x.hours, 1e-6) {
			t.Errorf("%s: %v GPU-hours, expected %v", what, got, x.hours)
		}
	}
}

// Who rents, and in which order the others have the two servers.
func TestPlanSettles(t *testing.T) {
	for what, x := range map[string]struct {
		jobs   [][3]float64
		rented int // who is on spot, -1: nobody
		rents  []int
		first  int // of the line
	}{
		"all in time":                           {[][3]float64{{2, 1, 1}, {2, 2, 3}}, -1, nil, 0},
		"too much for two servers: the smaller": {[][3]float64{{2, 2, 3}, {2, 1.5, 3}}, -1, []int{1}, 0},
		"who is on spot goes on there":          {[][3]float64{{2, 2, 3}, {2, 1.5, 3}}, 0, []int{0}, 0},
		"in time if the first job goes last":    {[][3]float64{{1, 1, 3}, {1, 1, 3}, {1, 3, 3}}, -1, nil, 1},
		"in time in no order: the gang of two":  {[][3]float64{{1, 2.5, 3}, {2, 1, 3}}, -1, []int{1}, 0},
	} {
		p := of(x.jobs...)
		if x.rented >= 0 {
			p.line[x.rented].rented = true
		}
		p.settle(2)
		if got := p.renting(); !slices.Equal(got, x.rents) {
			t.Errorf("%s: %v rent, expected %v", what, got, x.rents)
		}
		if p.line[0].job != x.first {
			t.Errorf("%s: job %d is first, expected %d", what, p.line[0].job, x.first)
		}
	}
}

// A plan for many jobs that are all late costs no more than effort and one simulation of all.
func TestPlanEffort(t *testing.T) {
	var jobs [][3]float64
	for k := range 200 {
		jobs = append(jobs, [3]float64{1 + float64(k%3), 1 + float64(k%7), 20 + float64(k%5)})
	}
	p := of(jobs...)
	if p.settle(8); p.simulated > effort+len(jobs)*len(jobs) {
		t.Errorf("%d steps, expected at most %d", p.simulated, effort+len(jobs)*len(jobs))
	}
	if allocated := testing.AllocsPerRun(10, func() {
		p.simulated = 0
		for k := range p.line {
			p.line[k].rents = false
		}
		p.settle(8)
	}); allocated != 0 {
		t.Errorf("%v allocations, expected none", allocated)
	}
}
