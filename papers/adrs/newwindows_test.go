package adrs

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// New windows share no tick with the windows of the cases, nor with each other, and no more would go in; windows that are
// not in the histories, or are there twice, are errors.
func TestNewWindows(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		histories := map[string]history{}
		for _, zone := range []string{"a", "b"} {
			up := make([]bool, 9*zonesWindow)
			for i := range up {
				up[i] = random.IntN(2) == 0
			}
			histories[zone] = history{up: up, usd: make([]float64, len(up))}
		}
		archive := &archives{zones: map[string]Window{}}
		taken := make([]int, 9*zonesWindow)
		for number := range 3 {
			start := random.IntN(8 * zonesWindow)
			for zone, h := range histories {
				archive.zones[zone+"/"+strconv.Itoa(number)] = Window{Up: h.up[start : start+zonesWindow/2]}
			}
			for i := range zonesWindow / 2 {
				taken[start+i] = 1
			}
		}
		starts, err := archive.unread(histories)
		if err != nil {
			t.Fatal(err)
		}
		for _, start := range starts {
			for i := range zonesWindow {
				if taken[start+i]++; taken[start+i] > 1 {
					t.Fatalf("seed %d: tick %d of the window at %d is taken", seed, i, start)
				}
			}
		}
		free := 0
		for _, n := range taken {
			if free++; n > 0 {
				free = 0
			}
			if free == zonesWindow {
				t.Errorf("seed %d: another window fits", seed)
			}
		}
		archive.zones["a/9"] = Window{Up: make([]bool, zonesWindow)}
		if _, err := archive.unread(histories); err == nil {
			t.Errorf("seed %d: a window that is in no history is no error", seed)
		}
		archive.zones["a/9"] = Window{Up: histories["a"].up[:1]}
		if _, err := archive.unread(histories); err == nil {
			t.Errorf("seed %d: a window that is everywhere is no error", seed)
		}
	}
}
