package layout

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// alone returns what the job does on n instances of one kind.
func (t *Training) alone(k, n int) sim.Rate {
	var set counts
	set[k] = int32(n)
	return t.on(&set).rate
}

// fewest returns the fewest instances of a kind that train alone, 0 if none do.
func (t *Training) fewest(k int) int {
	t.mu.RLock()
	n := t.least[k]
	t.mu.RUnlock()
	if n != 0 {
		return max(n, 0)
	}
	n = -1
	for i := 1; i <= t.job.Max && n < 0; i++ {
		if t.alone(k, i).Progress > 0 {
			n = i
		}
	}
	t.mu.Lock()
	t.least[k] = n
	t.mu.Unlock()
	return max(n, 0)
}

// Kinds implements sim.MixedModel.
func (t *Training) Kinds(into []int32) { copy(into, t.kind) }

// Workers implements sim.WorkerModel: an n-th of what n instances of the pool do; where these are too few to train, what one does as one of
// the fewest that can.
func (t *Training) Workers(n int, _ float64, into []sim.Worker) {
	for p := range into {
		into[p] = sim.Worker{}
		k := int(t.kind[p])
		least := t.fewest(k)
		if least == 0 {
			continue
		}
		n := max(n, least)
		r := t.alone(k, n)
		into[p] = sim.Worker{Rate: r.Iterations / float64(n), Speed: r.Samples / float64(n)}
	}
}

// NeedsServers implements sim.WorkerModel: workers exchange gradients among themselves.
func (*Training) NeedsServers() bool { return false }

// left returns the samples between two losses; a loss of +Inf is the start.
func (t *Training) left(from, to float64) float64 {
	if math.IsInf(from, 1) {
		from = t.job.Samples
	}
	return max(from-to, 0)
}

// WorkerBounds implements sim.WorkerModel: no fewer instances than reach the objective on the fastest kind alone, 1 if none does.
func (t *Training) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	need := t.left(from, to) / seconds
	for n := 1; n <= t.job.Max; n++ {
		for k := range t.pools {
			if t.alone(k, n).Progress >= need {
				return n, t.job.Max
			}
		}
	}
	return 1, t.job.Max
}

// Estimate implements sim.WorkerModel: exact for sets of one pool.
func (t *Training) Estimate(tally sim.Tally, from, to float64) sim.Estimate {
	if tally.Speed == 0 {
		return sim.Estimate{Iterations: math.Inf(1), Seconds: math.Inf(1)}
	}
	left, batch := t.left(from, to), float64(t.job.Batch)
	return sim.Estimate{Iterations: left / batch, Seconds: left / tally.Speed, Batch: batch}
}

// ByExposed returns the best layouts of instances, by pool of the market, for all factors Exposed of the runtimes that there are:
// Model.BestByExposed of them.
func (t *Training) ByExposed(there []int32) ([]Chosen, error) {
	pools := slices.Clone(t.pools)
	for p, n := range there {
		pools[t.kind[p]].Nodes += int(n)
	}
	low, high := ExposedRange()
	return t.model.BestByExposed(pools, t.job.Batch, t.job.Want, low, high)
}

// Search writes how many instances of each pool the best layout uses of those that there are, at prices in USD per hour, and returns what
// the job does on them; false where no layout is within the bounds of want, of which MaxUSD and MaxStep are for a step. It is Model.Best
// of the pools of the market, and remembered.
func (t *Training) Search(there []int32, usd []float64, want Want, into []int32) (sim.Rate, bool) {
	priced := want.Goal == Cheapest || want.MaxUSD > 0
	var memory [512]byte
	key := append(memory[:0], byte(want.Goal))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(want.MaxUSD))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(want.MaxStep))
	for p, n := range there {
		if key = binary.AppendUvarint(key, uint64(n)); n > 0 && priced {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(usd[p]))
		}
	}
	t.mu.RLock()
	f, known := t.found[string(key)]
	t.mu.RUnlock()
	if !known {
		f = t.search(there, usd, want)
		t.mu.Lock()
		if len(t.found) >= maxMoves {
			clear(t.found)
		}
		t.found[string(key)] = f
		t.mu.Unlock()
	}
	clear(into)
	copy(into, f.counts)
	return f.rate, f.counts != nil
}

func (t *Training) search(there []int32, usd []float64, want Want) found {
	var pools []Pool
	var at []int
	for p, n := range there {
		if n > 0 {
			x := t.pools[t.kind[p]]
			x.Nodes, x.USDPerHour = int(n), usd[p]
			pools, at = append(pools, x), append(at, p)
		}
	}
	if len(pools) == 0 {
		return found{}
	}
	plan, err := t.model.Best(pools, t.job.Batch, want)
	if err != nil {
		return found{}
	}
	out, n := make([]int32, len(there)), counts{}
	for i, p := range at {
		out[p] = int32(plan.Nodes[i])
		n[t.kind[p]] += out[p]
	}
	return found{out, t.on(&n).rate}
}

// Batch returns the samples of a step.
func (t *Training) Batch() int { return t.job.Batch }
