package tune

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/intervals"
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

// blocks are those of each stage. Seeds follow each other: those of the search, of the race,
// and of each attempt to prove a winner. Starts are in an order that is drawn.
type blocks struct {
	unit           string // results.BySeed or results.ByStart
	first          int64  // seed
	search         int    // blocks of the search
	race, fresh    int    // most blocks of the race, and of an attempt
	choosing, rest []time.Duration
}

// searchBlocks is the number of blocks on which a search compares candidates.
const searchBlocks = 40

// blocksOf lays the blocks out.
func (f *field) blocksOf(search bool) (*blocks, error) {
	q := f.question
	b := &blocks{unit: results.BySeed, first: f.base.Seed, race: q.Blocks}
	if search {
		b.search = searchBlocks
	}
	if !f.whole {
		if b.race == 0 {
			b.race = defaultSeeds
		}
		b.fresh = freshFactor * b.race
		return b, nil
	}
	b.unit = results.ByStart
	if b.race == 0 {
		b.race = defaultStarts
	}
	if err := b.starts(f); err != nil {
		return nil, err
	}
	b.fresh = b.race
	return b, nil
}

// starts puts starts at equal distances into both parts of the traces (spec.WindowOf): the part train chooses, judge proves.
func (b *blocks) starts(f *field) error {
	horizon := f.horizon()
	end := f.markets["{}"].LastStart() + f.base.Horizon()
	n := b.race + b.search
	for _, x := range []struct {
		part   string
		starts *[]time.Duration
	}{{spec.Train, &b.choosing}, {spec.Judge, &b.rest}} {
		w, err := spec.WindowOf(x.part, end, horizon)
		if err != nil {
			return err
		}
		if needed := time.Duration(n) * time.Second; w.Total() < needed {
			return fmt.Errorf("runs may begin in %v of the traces in the part %s, expected a second for each of %d starts: longer traces, a shorter "+
				"horizon_s or fewer starts", w.Total(), x.part, n)
		}
		for k := range n {
			*x.starts = append(*x.starts, w.At(w.Total()*time.Duration(k)/time.Duration(n)).Truncate(time.Second))
		}
	}
	shuffle(b.choosing, uint64(b.first), 0)
	shuffle(b.rest, uint64(b.first), 1)
	b.rest = b.rest[:b.race]
	return nil
}

// shuffle puts starts in an order that is drawn (Fisher and Yates).
func shuffle(all []time.Duration, seed, stream uint64) {
	for i := len(all) - 1; i > 0; i-- {
		j := sim.Rand{Seed: seed}.Intn(purposeBlock, stream, uint64(i), i+1)
		all[i], all[j] = all[j], all[i]
	}
}

// Stages of a search: -1 is the search, 0 the race, and the j-th attempt j.
const searching = -1

// at returns the k-th block of a stage.
func (b *blocks) at(stage, k int) block {
	if b.unit == results.ByStart {
		switch {
		case stage == searching:
			return block{b.first + int64(k), b.choosing[k]}
		case stage == 0:
			return block{b.first + int64(b.search+k), b.choosing[b.search+k]}
		}
		return block{b.first + int64(b.search+b.race+k), b.rest[k]}
	}
	switch {
	case stage == searching:
		return block{Seed: b.first + int64(k)}
	case stage == 0:
		return block{Seed: b.first + int64(b.search+k)}
	}
	return block{Seed: b.first + int64(b.search+b.race+(stage-1)*b.fresh+k)}
}

// doubts says why starts mean less than as many independent blocks, if they do: runs of about
// n seconds that share some of the trace, and parts that differ, by the cost of the
// winner in both.
func (b *blocks) doubts(seconds, chosen, proved float64) (texts []string) {
	if b.unit != results.ByStart || len(b.rest) < 2 {
		return nil
	}
	starts := make([]float64, len(b.rest))
	for i, at := range b.rest {
		starts[i] = at.Seconds()
	}
	if apart, all := intervals.Apart(starts, seconds); apart < all {
		texts = append(texts, fmt.Sprintf("runs of neighbouring starts overlap in the trace: only %d of the %d starts of a part do not overlap, "+
			"so that the proof and the intervals are surer than they should be", apart, all))
	}
	if ratio := chosen / proved; ratio > differ || ratio < 1/differ {
		texts = append(texts, fmt.Sprintf("the parts of the trace differ: the winner costs %.2f USD in the one that chose and %.2f USD in the one that proved; "+
			"what was the best in one need not be in the other", chosen, proved))
	}
	return texts
}

// differ is by how much costs of the two parts have to differ to be worth a warning.
const differ = 1.15
