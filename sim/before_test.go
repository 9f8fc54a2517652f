package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// inquirer asks what was seen of all pools in a span before the run, now and in a future that it imagines, and ends.
type inquirer struct {
	span     time.Duration
	answers  []sim.Seen
	imagined bool
}

func (*inquirer) Name() string { return "inquirer" }

func (q *inquirer) Decide(v sim.View, plan *sim.Plan) {
	if len(q.answers) >= 2*v.Pools() {
		return
	}
	for p := range v.Pools() {
		q.answers = append(q.answers, v.SeenBefore(p, q.span))
	}
	if q.imagined {
		return
	}
	var world sim.World
	var future sim.Market
	v.Future(&future, v.Now().Add(time.Hour), make([]sim.Outlook, v.Pools()))
	imagined := inquirer{span: q.span, imagined: true}
	v.Imagine(&world, &future, 7, &imagined)
	world.Run()
	q.answers = append(q.answers, imagined.answers[:v.Pools()]...)
}

// whole is longer than any record.
const whole = 1000 * time.Hour

// seenBefore asks a run in a market from a start on what was seen of its pools in a span before.
func seenBefore(t *testing.T, market *sim.Market, start sim.Time, span time.Duration) []sim.Seen {
	t.Helper()
	q := inquirer{span: span}
	w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(1), Policy: &q, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(start.Add(time.Second))
	n := market.Pools()
	if len(q.answers) != 2*n {
		t.Fatalf("%d answers of %d pools", len(q.answers), n)
	}
	if !slices.Equal(q.answers[:n], q.answers[n:]) {
		t.Errorf("in a future that is imagined %+v, in the run %+v", q.answers[n:], q.answers[:n])
	}
	return q.answers[:n]
}

// recordedTraces are those of a market for tests whose capacity was recorded.
func recordedTraces(seed uint64) []sim.Trace {
	all := simtest.Traces(seed, 12*time.Hour)
	for i := range all {
		all[i].Recorded = true
	}
	return all
}

// made makes a market of traces.
func made(t *testing.T, traces []sim.Trace) *sim.Market {
	t.Helper()
	market, err := sim.NewMarket(sim.Time(0).Add(12*time.Hour), traces)
	if err != nil {
		t.Fatal(err)
	}
	return market
}

// byHand follows a record second by second, from an instant on to a start.
func byHand(trace *sim.Trace, from, start sim.Time) sim.Seen {
	seen := sim.Seen{RefusedAt: sim.Never, TakenAt: sim.Never}
	room := -1
	next := 0
	for at := sim.Time(0); at < start; at += 1e6 {
		was := room
		for next < len(trace.Capacity) && trace.Capacity[next].At <= at {
			room = min(trace.Capacity[next].N, trace.Quota)
			next++
		}
		if room < 0 || at < from {
			continue
		}
		if at == from {
			was = -1
		}
		if was >= 0 && room < was {
			seen.Removals++
		}
		if was >= 0 && room > was {
			seen.Arrivals++
		}
		seen.Grants += max(room-max(was, 0), 0)
		seen.Held += sim.MachineTime(room) * 1e6
		if room > 0 {
			seen.Occupied += time.Second
		}
		if room < trace.Quota {
			seen.Waited += time.Second
		}
	}
	return seen
}

// wholeSeconds moves capacity to whole seconds, later ones of a second left out.
func wholeSeconds(trace *sim.Trace) {
	var kept []sim.Capacity
	for _, capacity := range trace.Capacity {
		capacity.At -= capacity.At % 1e6
		if n := len(kept); n > 0 && kept[n-1].At == capacity.At {
			continue
		}
		kept = append(kept, capacity)
	}
	trace.Capacity = kept
}

// What was seen before a run is what its record says before its start, whatever it says from there on.
func TestSeenBefore(t *testing.T) {
	counted := 0
	for seed := range uint64(4) {
		traces := recordedTraces(seed)
		for i := range traces {
			wholeSeconds(&traces[i])
		}
		market := made(t, traces)
		starts := []sim.Time{0, 1e6, 3600e6, 7*3600e6 + 1e6}
		for i := range traces {
			for _, capacity := range traces[i].Capacity {
				if len(starts) < 30 {
					starts = append(starts, capacity.At, capacity.At+1e6)
				}
			}
		}
		for _, start := range starts {
			for _, span := range []time.Duration{0, time.Second, time.Hour, 5 * time.Hour, whole} {
				got := seenBefore(t, market, start, span)
				for p := range traces {
					if want := byHand(&traces[p], max(start.Add(-span), 0), start); got[p] != want {
						t.Fatalf("seed %d, %v before %v, pool %s: %+v, expected %+v",
							seed, span, start.Sub(0), traces[p].Name, got[p], want)
					}
					counted += got[p].Removals
				}
			}
			got := seenBefore(t, market, start, whole)
			other := recordedTraces(seed + 100)
			for p := range traces {
				other[p].Capacity = slices.Concat(until(traces[p].Capacity, start), since(other[p].Capacity, start))
				if len(other[p].Capacity) == 0 && len(other[p].Nodes) == 0 && !other[p].OnDemand {
					other[p].Capacity = []sim.Capacity{{At: start}}
				}
			}
			if scrambled := seenBefore(t, made(t, other), start, whole); !slices.Equal(scrambled, got) {
				t.Fatalf("seed %d: another record from %v on changes what was seen before: %+v, expected %+v",
					seed, start.Sub(0), scrambled, got)
			}
		}
	}
	if counted == 0 {
		t.Error("nothing was ever taken")
	}
}

// until returns what of a record comes before an instant, since what comes then or later.
func until(record []sim.Capacity, at sim.Time) []sim.Capacity {
	n := slices.IndexFunc(record, func(c sim.Capacity) bool { return c.At >= at })
	if n < 0 {
		n = len(record)
	}
	return record[:n:n]
}

func since(record []sim.Capacity, at sim.Time) []sim.Capacity {
	return record[len(until(record, at)):]
}

// Warm, an answer takes no memory.
func TestSeenBeforeAllocates(t *testing.T) {
	market := made(t, recordedTraces(1))
	w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(1), Policy: swing{}, Start: sim.At(5 * 3600)})
	if err != nil {
		t.Fatal(err)
	}
	view := w.View()
	held := sim.MachineTime(0)
	n := testing.AllocsPerRun(100, func() {
		for p := range view.Pools() {
			held += view.SeenBefore(p, time.Hour).Held
		}
	})
	if n > 0 || held == 0 {
		t.Errorf("%v allocations, held %v", n, held)
	}
}

// Of a market that was not recorded nothing was seen before; a run that follows a past knows what was before it.
func TestSeenBeforeElsewhere(t *testing.T) {
	start := sim.At(5 * 3600)
	none := sim.Seen{RefusedAt: sim.Never, TakenAt: sim.Never}
	generated := simtest.Traces(1, 12*time.Hour)
	for p, seen := range seenBefore(t, made(t, generated), start, whole) {
		if seen != none {
			t.Errorf("pool %d, not recorded: %+v", p, seen)
		}
	}
	market := made(t, recordedTraces(1))
	want := seenBefore(t, market, start, whole)
	for p := range want {
		if capacity := len(generated[p].Capacity); (want[p] == none) != (capacity == 0) {
			t.Errorf("pool %d with %d records: %+v", p, capacity, want[p])
		}
	}
	followed, err := market.Granting(make([][]sim.Life, market.Pools()), market.End())
	if err != nil {
		t.Fatal(err)
	}
	q := inquirer{span: whole, imagined: true}
	w, err := sim.New(sim.Config{Market: followed, Jobs: simtest.Jobs(1), Policy: &q, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(start.Add(time.Second))
	if got := q.answers[:market.Pools()]; !slices.Equal(got, want) {
		t.Errorf("where it is known what was granted: %+v, expected %+v", got, want)
	}
}
