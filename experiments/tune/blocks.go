package tune

import (
	"cmp"
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// block is what candidates share: the case but for who runs it.
type block struct {
	Seed  int64
	Start time.Duration
}

// purposeBlock is the purpose of the draws that put starts in order (sim.Rand).
const purposeBlock = sim.PurposeUser + 310

// blocks are those of each stage. Seeds follow each other: those of the race, and those of the check. Starts are in an
// order that is drawn: those in the part train of the traces choose, those in judge check.
type blocks struct {
	unit           string // results.BySeed or results.ByStart
	first          int64  // seed
	race, fresh    int    // most blocks of the race, and of the check
	choosing, rest []time.Duration
}

// blocksOf lays the blocks out.
func (f *field) blocksOf() (*blocks, error) {
	all := &blocks{unit: results.BySeed, first: f.base.Seed}
	if !f.whole {
		all.race = cmp.Or(f.question.Blocks, defaultSeeds)
		all.fresh = freshFactor * all.race
		return all, nil
	}
	all.unit = results.ByStart
	all.race = cmp.Or(f.question.Blocks, defaultStarts)
	all.fresh = all.race
	var err error
	if all.choosing, err = f.startsIn(spec.Train, all.race); err != nil {
		return nil, err
	}
	if all.rest, err = f.startsIn(spec.Judge, all.race); err != nil {
		return nil, err
	}
	shuffle(all.choosing, uint64(all.first), 0)
	shuffle(all.rest, uint64(all.first), 1)
	return all, nil
}

// startsIn puts n starts at equal distances into a part of the traces (spec.WindowOf).
func (f *field) startsIn(part string, n int) (starts []time.Duration, err error) {
	end := f.markets["{}"].LastStart() + f.base.Horizon()
	window, err := spec.WindowOf(part, end, f.horizon())
	if err != nil {
		return nil, err
	}
	if window.Total() < time.Duration(n)*time.Second {
		return nil, fmt.Errorf("runs may begin in %v of the traces in the part %s, "+
			"expected a second for each of %d starts: longer traces, a shorter horizon_s or fewer starts",
			window.Total(), part, n)
	}
	for k := range n {
		at := window.At(window.Total() * time.Duration(k) / time.Duration(n))
		starts = append(starts, at.Truncate(time.Second))
	}
	return starts, nil
}

// shuffle puts starts in an order that is drawn (Fisher and Yates).
func shuffle(all []time.Duration, seed, stream uint64) {
	for i := len(all) - 1; i > 0; i-- {
		j := sim.Rand{Seed: seed}.Intn(purposeBlock, stream, uint64(i), i+1)
		all[i], all[j] = all[j], all[i]
	}
}

// The stages.
const (
	racingStage = iota
	checkingStage
)

// at returns the k-th block of a stage.
func (b *blocks) at(stage, k int) block {
	fromStart := b.unit == results.ByStart
	switch {
	case stage == racingStage && fromStart:
		return block{b.first + int64(k), b.choosing[k]}
	case stage == racingStage:
		return block{Seed: b.first + int64(k)}
	case fromStart:
		return block{b.first + int64(b.race+k), b.rest[k]}
	}
	return block{Seed: b.first + int64(b.race+k)}
}

// compareParts warns where the parts of a trace differ, by the cost of the winner in both.
func (b *blocks) compareParts(chosen, checked float64) (warning string) {
	ratio := chosen / checked
	if b.unit != results.ByStart || ratio <= differ && ratio >= 1/differ {
		return ""
	}
	return fmt.Sprintf("the parts of the trace differ: the winner costs %.2f USD in the one that chose and %.2f USD "+
		"in the one that checked; what was the best in one need not be in the other", chosen, checked)
}

// differ is by how much costs of the two parts have to differ to be worth a warning.
const differ = 1.15
