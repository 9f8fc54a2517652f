package series

import (
	"cmp"
	"slices"
)

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
