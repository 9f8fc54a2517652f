package synth

import "testing"

// Fewer hours are the beginning of more, no more machines are there than asked
// for, and machines go once, after they came.
func TestBambooFleet(t *testing.T) {
	pool := BambooPool{Capacity: 48, Goes: []float64{.25}}
	var short, long BambooFleet
	for seed := range uint64(20) {
		a, b := short.Draw(pool, seed, 10), long.Draw(pool, seed, 30)
		there := map[int]bool{}
		for i, e := range b {
			if i < len(a) && a[i] != e {
				t.Fatalf("seed %d, event %d: %+v in ten hours, %+v in thirty", seed, i, a[i], e)
			}
			if i > 0 && e.At < b[i-1].At || there[e.Machine] == e.Came {
				t.Fatalf("seed %d, event %d: %+v", seed, i, e)
			}
			if there[e.Machine] = e.Came; !e.Came {
				delete(there, e.Machine)
			}
			if len(there) > pool.Capacity {
				t.Fatalf("seed %d: %d machines", seed, len(there))
			}
		}
		if len(a) == 0 || len(a) >= len(b) || b[len(a)].At < 10*3600*secondUs {
			t.Errorf("seed %d: %d events in ten hours, %d in thirty", seed, len(a), len(b))
		}
	}
}
