package bamboo

import (
	"math"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

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

// Bamboo's own simulator, 1,000 seeds a probability: machines there and machines lost, over runs of the mean length.
// All of our runs have that length, where each of its runs ends after a number of steps, so that 3 % are allowed beside
// its standard error.
func TestFleetOracle(t *testing.T) {
	check := near.Count(t)
	want := map[string]map[string]float64{}
	for _, row := range testutil.Table(t, "papers/bamboo/testdata/bamboo_table_1000seeds.csv")[1:] {
		probability, metric, mean := row[0], row[1], row[4]
		if want[probability] == nil {
			want[probability] = map[string]float64{}
		}
		value, err := strconv.ParseFloat(mean, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[probability][metric] = value
	}
	if len(want) != 5 {
		t.Fatalf("%d probabilities, expected 5", len(want))
	}
	for probability, theirs := range want {
		goes, err := strconv.ParseFloat(probability, 64)
		if err != nil {
			t.Fatal(err)
		}
		machines, lost := meansOfFleets(goes, theirs["sim_hours"])
		machinesOff := check.Off(machines/theirs["average_instances"], 1, .03)
		lostOff := check.Off(lost/theirs["num_preemptions"], 1, .03+.02*math.Sqrt(10/theirs["num_preemptions"]))
		if machinesOff || lostOff {
			t.Errorf("probability %s: %.2f machines and %.2f lost, Bamboo's simulator %.2f and %.2f",
				probability, machines, lost, theirs["average_instances"], theirs["num_preemptions"])
		}
	}
}

// meansOfFleets returns how many machines are there on average, and how many are lost, over some hours: the means of
// 300 seeds.
func meansOfFleets(goes, hours float64) (machines, lost float64) {
	const seeds = 300
	f := fleet{capacity: 48, goes: goes}
	end := int64(hours * float64(hourUs))
	for seed := range uint64(seeds) {
		there := 0
		since := int64(0)
		machineUs := 0.0
		for _, e := range f.draw(seed, int(math.Ceil(hours))) {
			if e.at >= end {
				break
			}
			machineUs += float64(there) * float64(e.at-since)
			since = e.at
			if e.came {
				there++
				continue
			}
			there--
			lost += 1. / seeds
		}
		machineUs += float64(there) * float64(end-since)
		machines += machineUs / float64(end) / seeds
	}
	return machines, lost
}
