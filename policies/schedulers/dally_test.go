package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// dally runs gangs, the k-th submitted after k seconds, on two racks of two servers of 2 GPUs, and returns how many
// seconds after its submission each ends.
func dally(t *testing.T, d *schedulers.Dally, gangs ...*throughput.Gang) []float64 {
	t.Helper()
	m, err := sim.NewMarket(sim.At(1e6), servers(t, "n2x2g2"))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []sim.Job
	for k, g := range gangs {
		jobs = append(jobs, sim.Job{Submit: time.Duration(k) * time.Second, Model: g, Objective: sim.Objective{Within: time.Hour}})
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: d})
	if err != nil {
		t.Fatal(err)
	}
	var ends []float64
	for _, j := range w.Run().Jobs {
		ends = append(ends, j.Elapsed.Seconds())
	}
	return ends
}

func sameEnds(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	check := near.Count(t)
	for k, x := range want {
		if d := got[k] - x; check.Outside(d, -1e-6, 1e-6) {
			t.Errorf("%s: job %d ends after %v s, expected %v", what, k, got[k], x)
		}
	}
}

// A job gets the server of one whose lease is over when it ends, not before.
func TestDallyWaits(t *testing.T) {
	one := func() *throughput.Gang { return &throughput.Gang{GPUs: 1, Total: 1000} }
	two := func(s float64) *throughput.Gang { return &throughput.Gang{GPUs: 2, Total: s} }
	gangs := []*throughput.Gang{two(1000), two(1000), two(1000), one(), two(50), one()}
	// Jobs 0 to 2 fill three servers, 3 has one GPU of the fourth, and 5 the other: no server is free for job 4 before
	// the leases of 0 to 2 end, the first at 100 s.
	d := &schedulers.Dally{Lease: 100 * time.Second, Rack: 2, Network: 4, History: 24}
	got := dally(t, d, gangs...)
	sameEnds(t, "a new job goes before jobs whose lease is over", got[4:5], 100-4+50)
}

// Eight jobs fill the servers two by two; of two of them that end at 100 s and later one GPU each becomes free. A
// ninth job of two GPUs takes them where they are as far apart as it is willing to, else it waits for the end of the
// first leases.
func TestDallySpreads(t *testing.T) {
	for _, x := range []struct {
		what          string
		rack, network int
		short         [2]int // jobs
		want          float64
	}{
		{"one rack, at once", 0, 1, [2]int{0, 2}, 102},
		{"two racks, at once", 0, 0, [2]int{0, 4}, 104},
		{"two racks, not before a lease has passed", 0, 1, [2]int{0, 4}, 3601}, // the lease of job 1, beside which job 0 was
		{"one rack, not before a lease has passed", 1, 1, [2]int{0, 2}, 3601},
	} {
		var gangs []*throughput.Gang
		for k := range 8 {
			g := &throughput.Gang{GPUs: 1, Total: 10_000}
			if k == x.short[0] || k == x.short[1] {
				g.Total = 100
			}
			gangs = append(gangs, g)
		}
		gangs = append(gangs, &throughput.Gang{GPUs: 2, Total: 10})
		got := dally(t, &schedulers.Dally{Lease: time.Hour, Rack: x.rack, Network: x.network, History: 24}, gangs...)
		sameEnds(t, x.what, got[8:], x.want-8+10)
	}
}

// A gang larger than a server takes servers of one rack, one larger than a rack any; none waits for what cannot be.
func TestDallyLargeGangs(t *testing.T) {
	got := dally(t, schedulers.NewDally(), &throughput.Gang{GPUs: 3, Total: 100}, &throughput.Gang{GPUs: 4, Total: 100}, &throughput.Gang{GPUs: 8, Total: 100})
	sameEnds(t, "gangs", got, 100, 100, 199)
}
