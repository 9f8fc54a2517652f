package cursor

import (
	"math/rand/v2"
	"testing"
)

// A cursor finds what a walk over all records finds.
func TestSeek(t *testing.T) {
	var x Index
	var c Cursor
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 1))
		pools := 1 + dice.IntN(9)
		records := make([]Record, dice.IntN(400)*dice.IntN(3))
		for i := range records {
			records[i] = Record{Pool: int32(dice.IntN(pools)), Level: int32(dice.IntN(6)), Offers: dice.IntN(4) == 0, Always: dice.IntN(90) == 0}
		}
		x.Build(pools, len(records), func(i int) Record { return records[i] })
		c.Reset(&x)
		next := make([]int32, pools)
		for p := range next {
			next[p] = None
		}
		for position := int32(0); int(position) <= len(records); position += int32(dice.IntN(5) * dice.IntN(9)) {
			p, held, what := dice.IntN(pools), int32(dice.IntN(7)), Interest(dice.IntN(3))
			c.Seek(p, position, held, what)
			next[p] = walk(records, p, position, held, what)
			first := int32(None)
			for _, at := range next {
				first = min(first, at)
			}
			if c.First() != first {
				t.Fatalf("seed %d, position %d of %d: %d, want %d", seed, position, len(records), c.First(), first)
			}
		}
	}
}

func walk(records []Record, pool int, position, held int32, what Interest) int32 {
	for i := position; int(i) < len(records); i++ {
		r := &records[i]
		if int(r.Pool) == pool && (what == Everything || r.Always || r.Level < held || what == Wanted && r.Offers) {
			return i
		}
	}
	return None
}
