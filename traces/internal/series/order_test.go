package series

import (
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/traces"
)

// Rows come to stand in order of time, then of pools, those of one pool as they came, in memory of a place each, not of
// a second row.
func TestOrder(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		rows := make([]traces.CapacityRow, n)
		for i := range rows {
			rows[i] = traces.CapacityRow{T: dice.Int64N(20), PoolID: int32(dice.IntN(3)), Available: int32(i)}
		}
		Order(rows, []int32{2, 0, 1})
		seen := map[int32]bool{}
		for i, r := range rows {
			if seen[r.Available] {
				t.Fatalf("row %d stands twice", r.Available)
			}
			seen[r.Available] = true
			if i == 0 {
				continue
			}
			was := rows[i-1]
			if r.T < was.T || r.T == was.T && (r.PoolID < was.PoolID || r.PoolID == was.PoolID && r.Available < was.Available || r.Seq != was.Seq+1) ||
				r.T > was.T && r.Seq != 0 {
				t.Fatalf("%d rows: %+v after %+v", n, r, was)
			}
		}
	}
	rows := make([]traces.InstanceEventRow, 1000)
	for i := range rows {
		rows[i].T = int64(1000 - i)
	}
	if n := testing.AllocsPerRun(3, func() { Order(rows, []int32{0}) }); n > 2 {
		t.Errorf("%v allocations, want the places alone", n)
	}
}
