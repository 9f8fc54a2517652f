package bamboo

import "testing"

// Fewer hours are the beginning of more, no more machines are there than asked for, and machines go once, after they
// came.
func TestFleet(t *testing.T) {
	short := fleet{capacity: 48, goes: .25}
	long := short
	for seed := range uint64(20) {
		a := short.draw(seed, 10)
		b := long.draw(seed, 30)
		there := map[int]bool{}
		for i, e := range b {
			if i < len(a) && a[i] != e {
				t.Fatalf("seed %d, event %d: %+v in ten hours, %+v in thirty", seed, i, a[i], e)
			}
			if i > 0 && e.at < b[i-1].at || there[e.machine] == e.came {
				t.Fatalf("seed %d, event %d: %+v", seed, i, e)
			}
			if there[e.machine] = e.came; !e.came {
				delete(there, e.machine)
			}
			if len(there) > long.capacity {
				t.Fatalf("seed %d: %d machines", seed, len(there))
			}
		}
		if len(a) == 0 || len(a) >= len(b) || b[len(a)].at < 10*hourUs {
			t.Errorf("seed %d: %d events in ten hours, %d in thirty", seed, len(a), len(b))
		}
	}
}
