package sweep

import (
	"slices"
	"testing"
)

// TestOrder checks in what order the points of a chunk are run: each once, and all starts of some seeds before the
// next.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		first, last     int64
		seeds, together int
		want            []int64
	}{
		{0, 12, 4, 2, []int64{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}},
		{0, 12, 4, 1, []int64{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
		{0, 12, 4, 64, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{3, 10, 3, 2, []int64{3, 4, 6, 7, 9, 5, 8}},
		{5, 11, 4, 3, []int64{5, 6, 8, 9, 10, 7}}, // begins and ends within a start
		{5, 7, 4, 1, []int64{5, 6}},
	} {
		got := bySeeds(nil, c.first, c.last, c.seeds, c.together)
		if !slices.Equal(got, c.want) {
			t.Errorf("points %d to %d, %d seeds, %d together: %v, want %v", c.first, c.last, c.seeds, c.together, got, c.want)
		}
	}
}
