package advise

import (
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// A pool without capacity has none yet again for as long as past times without did, and as this one has lasted by now:
// of 21 hours without capacity, 11 ended an hour after they began, and the last 10 have not ended.
func TestWhatLastsUntilNowCounts(t *testing.T) {
	hours := func(h int) sim.Time { return sim.Time(0).Add(time.Duration(h) * time.Hour) }
	var capacity []sim.Capacity
	for h := 0; h < 88; h += 8 {
		capacity = append(capacity, sim.Capacity{At: hours(h), N: 4}, sim.Capacity{At: hours(h + 7), N: 0})
	}
	capacity = append(capacity, sim.Capacity{At: hours(88), N: 4}, sim.Capacity{At: hours(90), N: 0})
	now := hours(100)
	m, err := sim.NewMarket(now, []sim.Trace{{
		Pool:     sim.Pool{Name: "zone/p3.2xlarge", Quota: 4},
		Prices:   []sim.Price{{USD: 1}},
		Capacity: capacity,
	}})
	if err != nil {
		t.Fatal(err)
	}
	lasting := read(m, 0, now)
	past := newPast([]track{lasting}, 24*time.Hour)
	c := &continuation{
		past:     past,
		rand:     sim.Rand{Seed: 1},
		now:      now,
		end:      hours(124),
		present:  past.like(&lasting, now, nil),
		outlooks: make([]sim.Outlook, 1),
	}
	const draws = 2000
	back := 0.0
	for k := range uint64(draws) {
		for _, x := range c.draw(k)[0].Capacity {
			if x.N > 0 {
				if x.At <= now.Add(time.Hour) {
					back += 1. / draws
				}
				break
			}
		}
	}
	// 11 of 21 places are in hours that ended; some of the others end at now, and the next block is drawn among all.
	if !(back > 0.5 && back < 0.65) {
		t.Errorf("in %.3f of the continuations capacity is back within an hour", back)
	}
}
