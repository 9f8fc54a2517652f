package series

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/traces"
)

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

// Place is where a row comes to stand.
type Place struct {
	first, second int64
	Index         int32
}

// SortedPlaces returns the places of the rows in the order of a key of two numbers,
// those of one key as they stand.
func SortedPlaces[T any](rows []T, key func(*T) (first, second int64)) []Place {
	places := make([]Place, len(rows))
	for i := range rows {
		a, b := key(&rows[i])
		places[i] = Place{a, b, int32(i)}
	}
	slices.SortFunc(places, func(x, y Place) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second), cmp.Compare(x.Index, y.Index))
	})
	return places
}

// arrange brings the rows to their places, each moved once.
func arrange[T any](rows []T, places []Place) {
	for i := range places {
		if int(places[i].Index) == i {
			continue
		}
		first, to := rows[i], i
		for from := int(places[to].Index); from != i; from = int(places[to].Index) {
			rows[to] = rows[from]
			places[to].Index, to = int32(to), from
		}
		rows[to], places[to].Index = first, int32(to)
	}
}
