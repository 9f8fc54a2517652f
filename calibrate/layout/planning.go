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
	instances := t.least[k]
	t.mu.RUnlock()
	if instances != 0 {
		return max(instances, 0)
	}
	instances = -1
	for i := 1; i <= t.job.Max && instances < 0; i++ {
		if t.alone(k, i).Progress > 0 {
			instances = i
		}
	}
	t.mu.Lock()
	t.least[k] = instances
	t.mu.Unlock()
	return max(instances, 0)
}

// Kinds implements sim.MixedModel.
func (t *Training) Kinds(into []int32) { copy(into, t.kind) }

// Workers implements sim.WorkerModel: an n-th of what n instances of the pool do; where these are too few to train,
// what one does as one of the fewest that can.
func (t *Training) Workers(n int, _ float64, into []sim.Worker) {
	for p := range into {
		into[p] = sim.Worker{}
		kind := int(t.kind[p])
		least := t.fewest(kind)
		if least == 0 {
			continue
		}
		n := max(n, least)
		rate := t.alone(kind, n)
		into[p] = sim.Worker{Rate: rate.Iterations / float64(n), Speed: rate.Samples / float64(n)}
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

// WorkerBounds implements sim.WorkerModel: no fewer instances than reach the objective on the fastest kind alone, 1
// if none does.
func (t *Training) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	need := t.left(from, to) / seconds
	for instances := 1; instances <= t.job.Max; instances++ {
		for kind := range t.pools {
			if t.alone(kind, instances).Progress >= need {
				return instances, t.job.Max
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
	left := t.left(from, to)
	batch := float64(t.job.Batch)
	return sim.Estimate{Iterations: left / batch, Seconds: left / tally.Speed, Batch: batch}
}

// ByExposed returns the best layouts of instances, by pool of the market, for all factors Exposed of the runtimes
// that there are: Model.BestByExposed of them.
func (t *Training) ByExposed(there []int32) ([]Chosen, error) {
	pools := slices.Clone(t.pools)
	for p, nodes := range there {
		pools[t.kind[p]].Nodes += int(nodes)
	}
	low, high := ExposedRange()
	return t.model.BestByExposed(pools, t.job.Batch, t.job.Want, low, high)
}

// Search writes how many instances of each pool the best layout uses of those that there are, at prices in USD per
// hour, and returns what the job does on them; false where no layout is within the bounds of want, of which MaxUSD
// and MaxStep are for a step. It is Model.Best of the pools of the market, and remembered.
func (t *Training) Search(there []int32, usd []float64, want Want, into []int32) (sim.Rate, bool) {
	priced := want.Goal == Cheapest || want.MaxUSD > 0
	var memory [512]byte
	key := append(memory[:0], byte(want.Goal))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(want.MaxUSD))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(want.MaxStep))
	for p, nodes := range there {
		key = binary.AppendUvarint(key, uint64(nodes))
		if nodes > 0 && priced {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(usd[p]))
		}
	}
	t.mu.RLock()
	found, known := t.found[string(key)]
	t.mu.RUnlock()
	if !known {
		found = t.search(there, usd, want)
		t.mu.Lock()
		if len(t.found) >= maxMoves {
			clear(t.found)
		}
		t.found[string(key)] = found
		t.mu.Unlock()
	}
	clear(into)
	copy(into, found.counts)
	return found.rate, found.counts != nil
}

func (t *Training) search(there []int32, usd []float64, want Want) found {
	var pools []Pool
	var at []int
	for p, nodes := range there {
		if nodes > 0 {
			pool := t.pools[t.kind[p]]
			pool.Nodes = int(nodes)
			pool.USDPerHour = usd[p]
			pools = append(pools, pool)
			at = append(at, p)
		}
	}
	if len(pools) == 0 {
		return found{}
	}
	plan, err := t.model.Best(pools, t.job.Batch, want)
	if err != nil {
		return found{}
	}
	used := make([]int32, len(there))
	var byKind counts
	for i, p := range at {
		used[p] = int32(plan.Nodes[i])
		byKind[t.kind[p]] += used[p]
	}
	return found{used, t.on(&byKind).rate}
}

// Batch returns the samples of a step.
func (t *Training) Batch() int { return t.job.Batch }
