package series

import "github.com/marigram/marigram/traces"

// Order gives the rows their final pool numbers, sorts them by (t, pool),
// keeping the order in which a pool's rows came, and numbers those of one t.
func Order[T any, R traces.Row[T]](rows []T, pools []int32) {
	for i := range rows {
		_, _, p := R(&rows[i]).Key()
		R(&rows[i]).SetKey(0, pools[p])
	}
	arrange(rows, SortedPlaces(rows, func(r *T) (int64, int64) {
		t, _, p := R(r).Key()
		return t, int64(p)
	}))
	var last int64
	var seq int32
	for i := range rows {
		t, _, p := R(&rows[i]).Key()
		if i == 0 || t != last {
			seq = 0
		}
		R(&rows[i]).SetKey(seq, p)
		last, seq = t, seq+1
	}
}
