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

// sorted returns the rows in that order. It moves keys, which are small, and
// every row once.
func sorted[T any](rows []T, key func(*T) (first, second int64)) []T {
	if len(rows) < 2 {
		return rows
	}
	out := make([]T, len(rows))
	for i, p := range SortedPlaces(rows, key) {
		out[i] = rows[p.Index]
	}
	return out
}
