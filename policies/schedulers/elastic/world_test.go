package elastic_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/elastic"
	"github.com/marigram/marigram/sim"
)

const second = time.Second

// servers are servers of a number of GPUs, which fail together with others of one law if there is one.
func servers(n, gpus int, law *sim.Failures) (pools []sim.Trace) {
	for k := range n {
		pools = append(pools, sim.Trace{
			Pool: sim.Pool{Name: fmt.Sprint("server-", k), Region: "r", InstanceType: "gpu", Quota: gpus,
				Reserved: law == nil, Failures: law},
			Prices: []sim.Price{{}},
		})
	}
	return pools
}

// scaling is a job that does as much work a second as it has GPUs.
func scaling(submit time.Duration, least, gpus, most int, work float64) sim.Job {
	g := &throughput.Gang{GPUs: gpus, Total: work, Restart: 20 * second}
	g.Sizes = &throughput.Sizes{Least: least, Most: most, Models: make([]int32, 64), Resize: 10 * second}
	for n := least; n <= most; n++ {
		g.Sizes.Speeds = append(g.Sizes.Speeds, []float64{float64(n)})
	}
	return sim.Job{Submit: submit, Model: g, Objective: sim.Objective{Within: sim.NoDeadline}}
}

func run(t *testing.T, pools []sim.Trace, p sim.Policy, jobs ...sim.Job) []sim.JobTotals {
	t.Helper()
	m, err := sim.NewMarket(sim.At(1e6), pools)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run().Jobs
}

// atOnce is max-min fairness that acts whenever something happens.
func atOnce() *elastic.Scheduler {
	fair := elastic.NewFair()
	fair.Interval = 0
	return fair
}

// Two jobs of 800 GPU-seconds on 8 GPUs, the second 50 s later. The first has done 400 when it is left 4 GPUs, pauses
// 10 s and takes 100 s for the rest. The second has done 440 by then, pauses with all GPUs, and takes 45 s.
func TestResize(t *testing.T) {
	first, second := scaling(0, 1, 8, 8, 800), scaling(50*second, 1, 8, 8, 800)
	got := run(t, servers(1, 8, nil), atOnce(), first, second)
	expect(t, got[0], 160, 1, 4*10)
	expect(t, got[1], 165, 1, 8*10)
}

// expect compares how long a job took, how often it was resized, and the GPU-seconds of its pauses for that.
func expect(t *testing.T, x sim.JobTotals, elapsed float64, resizes int64, paused float64) {
	t.Helper()
	if x.Elapsed.Seconds() != elapsed || x.Resizes != resizes || x.Moves != 0 || x.Activities[sim.Reconfiguring].Seconds() != paused {
		t.Errorf("%v s, %d resizes, %d moves, %v GPU-seconds reconfiguring; expected %v, %d, 0, %v", x.Elapsed.Seconds(),
			x.Resizes, x.Moves, x.Activities[sim.Reconfiguring].Seconds(), elapsed, resizes, paused)
	}
}

// The same where a resize falls back to the last save, of every 30 s: the first loses what it did since 30 s (160 of
// 400), so that it ends at 200 s. The second has trained for 150 s then, and loses nothing.
func TestResizeLoses(t *testing.T) {
	jobs := []sim.Job{scaling(0, 1, 8, 8, 800), scaling(50*second, 1, 8, 8, 800)}
	for _, job := range jobs {
		g := job.Model.(*throughput.Gang)
		g.SaveEvery = 30 * second
		g.Sizes.Loses = true
	}
	got := run(t, servers(1, 8, nil), atOnce(), jobs...)
	expect(t, got[0], 200, 1, 4*10)
	expect(t, got[1], 185, 1, 8*10)
	if lost := got[0].Activities[sim.Redone].Seconds(); lost != 160 {
		t.Errorf("%v GPU-seconds are lost, expected 160", lost)
	}
}

// A server of two fails after 100 s. A job of 4 to 8 GPUs goes on with the other; the same job under a rigid scheduler
// waits until it is back. With 2,400 GPU-seconds to do, 800 are done at 100 s.
func TestShrinkOrWait(t *testing.T) {
	for _, x := range []struct {
		policy  sim.Policy
		back    float64
		elapsed float64
	}{
		{atOnce(), 1000, 110 + 1600.0/4},            // done before it is back
		{atOnce(), 200, 210 + (1600.0-4*90)/8},      // 360 more are done when it grows again
		{&schedulers.FIFO{}, 1000, 1020 + 1600.0/8}, // a restart
		// It starts at 60 s and has done 320 by 100 s, and 520 more when it grows at 240 s, a whole minute.
		{elastic.NewFair(), 200, 250 + (2400.0-320-4*130)/8},
	} {
		law := &sim.Failures{Whole: true, Outages: []sim.Outage{{Machine: 1, From: sim.At(100), Until: sim.At(x.back)}}}
		job := scaling(0, 4, 8, 8, 2400)
		got := run(t, servers(2, 4, law), x.policy, job)
		if got[0].Elapsed.Seconds() != x.elapsed {
			t.Errorf("%s, back after %v s: %v s, expected %v", x.policy.Name(), x.back, got[0].Elapsed.Seconds(), x.elapsed)
		}
	}
}

// Spot capacity that there is not: a job goes on with the 4 GPUs that it has whenever more are asked for, without a pause,
// and takes 7,200 of its GPU-seconds from 60 s on. From 2,000 s on there is: 8 GPUs from the next time that they are asked
// for on, at 2,160 s, after 10 s.
func TestSpotThatDoesNotCome(t *testing.T) {
	spot := sim.Trace{Pool: sim.Pool{Name: "spot", Region: "r", InstanceType: "gpu", Quota: 4}, Prices: []sim.Price{{USD: 1}}}
	for _, x := range []struct {
		capacity []sim.Capacity
		elapsed  float64
		resizes  int64
		paused   float64
	}{
		{[]sim.Capacity{{N: 0}}, 60 + 9200.0/4, 0, 0},
		{[]sim.Capacity{{N: 0}, {At: sim.At(2000), N: 4}}, 2170 + (9200-4*2100.0)/8, 1, 8 * 10},
	} {
		spot.Capacity = x.capacity
		job := scaling(0, 2, 4, 8, 9200)
		got := run(t, append(servers(1, 4, nil), spot), elastic.NewFair(), job)
		expect(t, got[0], x.elapsed, x.resizes, x.paused)
		if got[0].Suspensions != 0 {
			t.Errorf("stopped %d times", got[0].Suspensions)
		}
	}
}

// A warm world allocates nothing in a run in which jobs are resized and a server fails.
func TestResizeAllocatesNothing(t *testing.T) {
	law := &sim.Failures{Whole: true, Outages: []sim.Outage{{Machine: 1, From: sim.At(100), Until: sim.At(400)}}}
	m, err := sim.NewMarket(sim.At(1e6), servers(4, 4, law))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []sim.Job
	for j := range 20 {
		jobs = append(jobs, scaling(time.Duration(37*j)*second, 1+j%2, 2+j%3, 8, float64(300+97*j%1000)))
	}
	for _, policy := range []sim.Policy{
		atOnce(), elastic.NewFair(), elastic.NewOptimus(), elastic.NewSRTF(), elastic.NewRay(), elastic.NewPolluxLike(),
	} {
		config := sim.Config{Market: m, Jobs: jobs, Policy: policy}
		w, err := sim.New(config)
		if err != nil {
			t.Fatal(err)
		}
		run := func() {
			if err := w.Reset(config); err != nil {
				t.Fatal(err)
			}
			w.Run()
		}
		run()
		resizes := int64(0)
		for _, job := range w.Totals().Jobs {
			resizes += job.Resizes
		}
		if resizes == 0 {
			t.Errorf("%s: no job is resized", policy.Name())
		}
		if n := testing.AllocsPerRun(20, run); n != 0 { // many: the runtime allocates now and then
			t.Errorf("%s: %v allocations in a run of %d resizes", policy.Name(), n, resizes)
		}
	}
}
