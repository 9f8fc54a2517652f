package traces

import (
	"cmp"
	"slices"
)

// sortKey is where a row comes to stand.
type sortKey struct {
	first, second int64
	i             int32
}

// sortedPlaces returns the places of the rows in the order of a key of two numbers,
// those of one key as they stand.
func sortedPlaces[T any](rows []T, key func(*T) (first, second int64)) []sortKey {
	places := make([]sortKey, len(rows))
	for i := range rows {
		a, b := key(&rows[i])
		places[i] = sortKey{a, b, int32(i)}
	}
	slices.SortFunc(places, func(x, y sortKey) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second), cmp.Compare(x.i, y.i))
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
	for i, p := range sortedPlaces(rows, key) {
		out[i] = rows[p.i]
	}
	return out
}
