package ps

import (
	"sort"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/steps"
)

// staleSizes are the numbers of workers of a staleTable: all to 8, then four an
// octave.
var staleSizes = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 128, 256}

// staleTable is what SSP makes of workers alike, which has no closed form: by
// staleSizes, the share of the rate that they would have alone.
type staleTable [len(staleSizes)]float64

// Updates in a run of the table, and those of them on the way to the steady
// state, which do not count.
const staleUpdates, staleStart = 100_000, 25_000

// newStaleTable measures the shares with steps.Simulator, always with the same seed.
func newStaleTable(y *Synchrony) (t staleTable) {
	var simulator steps.Simulator
	workers := make([]steps.Worker, staleSizes[len(t)-1])
	for i := range workers {
		workers[i].Seconds = y.Distribution(1)
	}
	for k, n := range staleSizes {
		c := steps.Config{Mode: steps.SSP, Staleness: y.Staleness, Workers: workers[:n], Updates: staleStart, Seed: 1}
		waited, end := waiting(&simulator, c)
		c.Updates = staleUpdates
		later, until := waiting(&simulator, c)
		t[k] = 1 - float64(later-waited)/(float64(n)*float64(until-end))
	}
	return t
}

// waiting returns how long workers wait in a run and how long it takes. The
// share of waiting is less noisy than the rate, which the luck of the
// mini-batches moves too.
func waiting(s *steps.Simulator, c steps.Config) (waits sim.MachineTime, end sim.Time) {
	r := s.Run(c)
	return r.Waiting, r.End
}

// share returns the share for n workers, linear between the sizes and constant
// beyond them; 0 of no workers.
func (t *staleTable) share(n int) float64 {
	if n <= 0 {
		return 0
	}
	k := sort.SearchInts(staleSizes[:], n)
	if k == len(t) {
		return t[k-1]
	}
	if staleSizes[k] == n {
		return t[k]
	}
	from, to := staleSizes[k-1], staleSizes[k]
	return t[k-1] + (t[k]-t[k-1])*float64(n-from)/float64(to-from)
}

// updates returns the updates per second of the groups. All go at one pace in
// the long run: that of the group which, with the slower ones, is held back most.
func (t *staleTable) updates(groups []group, n int) float64 {
	pace := 0.0
	for i, g := range groups {
		slower := 0
		for _, h := range groups {
			if h.rate <= g.rate {
				slower += h.n
			}
		}
		if own := g.rate * t.share(slower); i == 0 || own < pace {
			pace = own
		}
	}
	return float64(n) * pace
}
