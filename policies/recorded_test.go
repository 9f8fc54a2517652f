package policies_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// journal lists what happens to instances.
type journal struct{ lines []string }

func (*journal) Span(*sim.Span)                     {}
func (*journal) Decision(sim.View, *sim.Plan, bool) {}
func (l *journal) Instance(now sim.Time, _, p, n int, what sim.InstanceEvent) {
	name := [...]string{"granted", "ready", "noticed", "revoked", "released"}[what]
	l.lines = append(l.lines, fmt.Sprintf("%v %d/%d %s", now.Sub(0), p, n, name))
}

// Outage implements sim.InstanceRecorder.
func (*journal) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}

// recordedFleet is a run of two pools: some instances stay, some are taken, some are given back while a younger one
// stays.
func recordedFleet() *policies.Recorded {
	return policies.NewRecorded([]policies.Holding{
		{Pool: "a/spot", From: 0, To: policies.HeldToEnd},
		{Pool: "a/spot", From: time.Second, To: 100 * time.Second},
		{Pool: "a/spot", From: 2 * time.Second, To: 200 * time.Second, Taken: true},
		{Pool: "a/spot", From: 100 * time.Second, To: policies.HeldToEnd},
		{Pool: "b/spot", From: 200 * time.Second, To: 300 * time.Second, Taken: true},
	}, nil, 0)
}

func recordedConfig(r *policies.Recorded) sim.Config {
	pools := []sim.Pool{{Name: "a/spot", InstanceType: "a"}, {Name: "b/spot", InstanceType: "b"}}
	price := []sim.Price{{USD: 1}}
	market, err := sim.NewMarket(sim.Time(0).Add(400*time.Second), r.Traces(pools, [][]sim.Price{price, price}))
	if err != nil {
		panic(err)
	}
	job := simtest.Jobs(1)[0]
	job.Submit, job.Objective = 0, sim.Objective{Loss: 1e-9, Within: time.Hour}
	return sim.Config{Market: market, Jobs: []sim.Job{job}, Policy: r}
}

// TestRecordedHolds checks that instances come, go and are given back at the instants of the record.
func TestRecordedHolds(t *testing.T) {
	check := near.Count(t)
	c, log := recordedConfig(recordedFleet()), &journal{}
	c.Recorder = log
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	for _, want := range []string{"0s 0/0 granted", "1s 0/1 granted", "1m40s 0/1 released", "1m40s 0/3 granted", "3m20s 0/2 revoked", "3m20s 1/0 granted",
		"5m0s 1/0 revoked"} {
		if !slices.Contains(log.lines, want) {
			t.Errorf("no %q in %q", want, log.lines)
		}
	}
	if hours := totals.Pools[0].InstanceHours * 3600; check.Outside(hours, 996.9, 997.1) { // 400 + 99 + 198 + 300
		t.Errorf("%v instance-seconds in the first pool, want 997", hours)
	}
	if totals.Preemptions != 2 {
		t.Errorf("%d preemptions, want 2: %q", totals.Preemptions, log.lines)
	}
}

// TestRecordedAllocatesNothing checks that warm decisions need no memory.
func TestRecordedAllocatesNothing(t *testing.T) {
	check := near.Count(t)
	c := recordedConfig(recordedFleet())
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	if n := testing.AllocsPerRun(5, func() {
		if err := w.Reset(c); err != nil {
			t.Fatal(err)
		}
		w.Run()
	}); check.Above(n, 0) {
		t.Errorf("%v allocations a run, want 0", n)
	}
}
