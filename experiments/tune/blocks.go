package tune

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/results"
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

// starts puts starts at equal distances into both halves of the history, of which none of
// the first reaches into the second.
func (b *blocks) starts(f *field) error {
	m, horizon := f.markets["{}"], f.base.Horizon()
	span := (m.LastStart() - horizon) / 2 // of the starts of a half
	n := b.race + b.search
	if n := time.Duration(n); span < n*time.Second {
		return fmt.Errorf("the history lasts %v: its first half chooses and its second one proves, so that it has to last two horizons (%v each) and "+
			"a second for each of %d starts in both; expected a longer history, a shorter horizon_s or fewer starts",
			m.LastStart()+horizon, horizon, n)
	}
	middle := (m.LastStart() + horizon) / 2
	for k := range n {
		at := (span * time.Duration(k) / time.Duration(n)).Truncate(time.Second)
		b.choosing = append(b.choosing, at)
		b.rest = append(b.rest, middle.Truncate(time.Second)+at)
	}
	b.rest = b.rest[:n]
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
// n seconds that share a part of the history, and halves that differ, by the cost of the
// winner in both.
func (b *blocks) doubts(seconds, chosen, proved float64) (texts []string) {
	if b.unit != results.ByStart || len(b.rest) < 2 {
		return nil
	}
	span := (slices.Max(b.rest) - slices.Min(b.rest)).Seconds()
	if apart := int(span/seconds) + 1; apart < len(b.rest) {
		texts = append(texts, fmt.Sprintf("runs of neighbouring starts overlap in the history: only %d of the %d starts of a half do not overlap, "+
			"so that the proof and the intervals are surer than they should be", apart, len(b.rest)))
	}
	if ratio := chosen / proved; ratio > differ || ratio < 1/differ {
		texts = append(texts, fmt.Sprintf("the halves of the history differ: the winner costs %.2f USD in the one that chose and %.2f USD in the one that proved; "+
			"what was the best in one need not be in the other", chosen, proved))
	}
	return texts
}

// differ is by how much costs of the two halves have to differ to be worth a warning.
const differ = 1.15
