package deadline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/sim"
)

// tenths is a job of 36000 samples of which n instances, up to six, train n a second.
func tenths(t *testing.T, r pipeline.Recovery) *pipeline.Model {
	t.Helper()
	var speeds []pipeline.LayoutSpeed
	for n := 1; n <= 6; n++ {
		speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: n, Stages: 1, SamplesPerS: float64(n)})
	}
	m, err := pipeline.New(36000, 10, speeds, r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With polls every 600 s and changeovers of 300 s the net acts at the first poll
// unless more is left then than the work and two changeovers: two instances work
// for 18000 s, three for 12000 s. On demand alone they make it.
func TestDeadlineInstances(t *testing.T) {
	const changeover, poll = 5 * time.Minute, 10 * time.Minute
	saves := pipeline.Recovery{Save: time.Minute}
	for _, c := range []struct {
		recovery pipeline.Recovery
		within   float64
		max, n   int
	}{
		{pipeline.Recovery{}, 600 + 18000 + 600 + 600, 9, 2},
		{pipeline.Recovery{}, 600 + 18000 + 600 + 599, 9, 3},
		{saves, 600 + 18600 + 600 + 600, 9, 2}, // 60 s in 3220 s by Young's formula, and whole polls
		{saves, 600 + 18600 + 600 + 599, 9, 3},
		{pipeline.Recovery{}, 600 + 18000 + 600 + 600, 2, 2},
		{pipeline.Recovery{}, 600 + 18000 + 600 + 599, 2, 2}, // no three: in time from the start
		{pipeline.Recovery{}, 6000 + 300, 9, 6},              // nor does six let it wait
		{pipeline.Recovery{}, 7200 + 300, 9, 5},              // six need 6000, 600 and 1200 s, five are in time
		{pipeline.Recovery{}, 100, 9, 6},                     // too late with all
		{pipeline.Recovery{}, 100, 4, 4},                     // no more can be had
	} {
		model, objective := tenths(t, c.recovery), sim.Objective{Within: time.Duration(c.within * 1e9)}
		if n := deadline.Instances(model, objective, 0, changeover, poll, c.max); n != c.n {
			t.Errorf("%+v: %d instances", c, n)
		}
		got := neverSpot(t, &deadline.Greedy{Settings: deadline.Settings{Changeover: changeover, Poll: poll}}, model, objective, c.max, 5*time.Minute)
		// With saves it is a little ahead at times, and gives back what is on demand.
		if j := got.Jobs[0]; got.Grants%int64(c.n) != 0 || c.recovery.Save == 0 && got.Grants != int64(c.n) ||
			(j.Elapsed <= objective.Within) != (c.within > 100) {
			t.Errorf("%+v: %d instances end after %v", c, got.Grants, j.Elapsed)
		}
	}
}

// neverSpot runs a policy where there is spot from 50000 s on, and n on demand.
func neverSpot(t *testing.T, p sim.Policy, m sim.Model, o sim.Objective, quota int, boot time.Duration) *sim.Totals {
	t.Helper()
	return runWith(t, p, m, o, quota, boot, []sim.Capacity{{}, {At: sim.At(50000), N: quota}})
}

// runWith runs a policy where there is as much on spot as the capacity says, nil: always, and n on demand.
func runWith(
	t *testing.T, p sim.Policy, m sim.Model, o sim.Objective, quota int, boot time.Duration, spot []sim.Capacity,
) *sim.Totals {
	t.Helper()
	market, err := sim.NewMarket(sim.At(1e5), []sim.Trace{
		{Pool: sim.Pool{Name: "spot", Quota: quota}, Prices: []sim.Price{{USD: 1}},
			Capacity: spot},
		{Pool: sim.Pool{Name: "on-demand", Quota: quota, OnDemand: true, Boot: sim.Boot{Median: boot}},
			Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: p, Jobs: []sim.Job{{Model: m, Objective: o}}})
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	return &totals
}

// A save of three minutes is not made every ten: on demand, where nothing is lost, one is made before it is left, and on spot, where
// nothing was lost yet, one every 93 minutes (Young's interval).
func TestSavesByYoung(t *testing.T) {
	model := tenths(t, pipeline.Recovery{Save: 3 * time.Minute})
	objective := sim.Objective{Within: 13 * time.Hour}
	dear := neverSpot(t, &deadline.Greedy{Settings: deadline.Settings{Instances: 1, Poll: 10 * time.Minute}}, model, objective, 1, 5*time.Minute)
	if saving := dear.Jobs[0].Activities[sim.Checkpointing].Seconds(); saving > 2*180 {
		t.Errorf("on demand saves take %v s, expected two at most, before it is left", saving)
	}
	for _, p := range []sim.Policy{
		&deadline.Greedy{Settings: deadline.Settings{Instances: 1, Poll: 10 * time.Minute}},
		&deadline.UniformProgress{Settings: deadline.Settings{Instances: 1, Poll: 10 * time.Minute}},
	} {
		objective.Within = 30 * time.Hour
		totals := runWith(t, p, model, objective, 1, 5*time.Minute, nil)
		saving := totals.Jobs[0].Activities[sim.Checkpointing].Seconds()
		if saving < 4*180 || saving > 7*180 {
			t.Errorf("%s: on spot saves take %v s of ten hours, expected four to seven of 180 s", p.Name(), saving)
		}
	}
}

// Of a job that its instances cannot train nothing is known: no save is planned, and nothing panics.
func TestSavesWithoutSpeed(t *testing.T) {
	model, err := pipeline.New(3600, 10, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}},
		pipeline.Recovery{Save: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	p := &deadline.Greedy{Settings: deadline.Settings{Instances: 1, Poll: 10 * time.Minute}}
	totals := runWith(t, p, model, sim.Objective{Within: 3 * time.Hour}, 1, time.Minute, nil)
	if totals.Jobs[0].Finished {
		t.Error("a job of two stages is done on one instance")
	}
}

// On demand a policy asks for spot only where its rule would take it. Two instances
// work for 3600 s from the first poll on, at 600 s, when there is no spot yet; from
// 601 s on there is, in two pools, of which one is enough.
func TestProbesForSpot(t *testing.T) {
	check := near.Count(t)
	const changeover, poll = 5 * time.Minute, 10 * time.Minute
	model, err := pipeline.New(3600, 10, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}},
		pipeline.Recovery{})
	if err != nil {
		t.Fatal(err)
	}
	var hs []sim.Trace
	for i, usd := range []float64{1, 2, 3} {
		h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint("pool ", i), Quota: 2, OnDemand: i == 2},
			Prices: []sim.Price{{USD: usd}}}
		if i < 2 {
			h.Capacity = []sim.Capacity{{}, {At: sim.At(601), N: 2}}
		}
		hs = append(hs, h)
	}
	market, err := sim.NewMarket(sim.At(1e5), hs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy sim.Policy
		within time.Duration
		grants [3]int64
		usd    float64
	}{
		// Two changeovers are left at 600 s: it never may leave again.
		{&deadline.Greedy{Settings: deadline.Settings{Changeover: changeover, Poll: poll}}, 4800 * time.Second, [3]int64{0, 0, 2}, 2 * 3 * 3600 / 3600.},
		// It has to be ahead of half a second a second two changeovers later: 1800 s at 2400 s.
		{&deadline.UniformProgress{Settings: deadline.Settings{Changeover: changeover, Poll: poll}, Hysteresis: 2}, 7200 * time.Second, [3]int64{2, 2, 2},
			2 * (3*1800 + 1*1800) / 3600.},
	} {
		w, err := sim.New(sim.Config{Market: market, Policy: c.policy,
			Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: c.within}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := w.Run()
		grants := [3]int64{got.Pools[0].Grants, got.Pools[1].Grants, got.Pools[2].Grants}
		if end := got.Jobs[0].Elapsed.Seconds(); grants != c.grants || check.Off(got.Bill.Total(), c.usd, 1e-6) ||
			check.Off(end, 4200, 1e-3) {
			t.Errorf("%s: %v granted, %v USD, ends after %v s", c.policy.Name(), grants, got.Bill.Total(), end)
		}
	}
}
