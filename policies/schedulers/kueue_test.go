package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/kueue"
	"github.com/marigram/marigram/sim"
)

// lending is two queues in a cohort, with 4 GPUs of each of two flavors; a takes back what b borrows.
func lending() *schedulers.Quotas {
	four := []kueue.Quota{{Nominal: 4, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
	group := []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{{Flavor: "new", Quotas: four}, {Flavor: "v100", Quotas: four}}}}
	return &schedulers.Quotas{
		Resource: "gpu",
		Flavors:  map[string]string{"new": "a100"},
		Config: kueue.Config{Queues: []kueue.ClusterQueue{
			{Name: "a", Cohort: "both", Groups: group, Reclaim: kueue.Any, Weight: 1},
			{Name: "b", Cohort: "both", Groups: group, TryNextToBorrow: true, Weight: 1},
		}},
	}
}

// TestKueueFlavors: b's two jobs have the GPUs of both queues in the flavor on which each runs. At 100 s a's job takes
// back 4 of those of which it runs, a100, 30 s later, when the pods of the other have left; that one is done last.
func TestKueueFlavors(t *testing.T) {
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "x", GPU: "a100", Quota: 8, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
		{Pool: sim.Pool{Name: "y", GPU: "v100", Quota: 8, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	quotas := lending()
	job := func(name, queue string, submit time.Duration, seconds float64, speeds ...float64) sim.Job {
		gpus := 8
		if queue == "a" {
			gpus = 4
		}
		return sim.Job{
			Name: name, Submit: submit, Objective: sim.Objective{Within: sim.NoDeadline},
			Model: &throughput.Gang{GPUs: gpus, Total: seconds, Speeds: speeds},
			Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: queue, Cluster: queue},
		}
	}
	w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{
		job("on a100", "b", 0, 1000, 1, 0),
		job("on v100", "b", time.Second, 1000, 0, 1),
		job("back", "a", 100*time.Second, 500, 1, 0),
	}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	for j, want := range []struct {
		waited, elapsed time.Duration
		suspensions     int64
	}{{530 * time.Second, 1530 * time.Second, 1}, {0, 1000 * time.Second, 0}, {30 * time.Second, 530 * time.Second, 0}} {
		got := &totals.Jobs[j]
		if !got.Finished || got.Waited != want.waited || got.Elapsed != want.elapsed || got.Suspensions != want.suspensions {
			t.Errorf("job %d: waited %v, took %v, stopped %d times, expected %+v", j, got.Waited, got.Elapsed, got.Suspensions, want)
		}
	}
}

// TestKueueMarkets has the flavors of Kueue's own examples, spot and on-demand, with a quota of 4 GPUs each. The first
// job has spot, and loses it at 100 s: it is back in its old place at once, admitted again, as its quota is free, and
// waits for spot GPUs. They are back at 900 s, and asked for again every five minutes: it goes on at 1,000 s, with 400 s left. The
// second has on demand.
func TestKueueMarkets(t *testing.T) {
	four := []kueue.Quota{{Nominal: 4, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
	quotas := &schedulers.Quotas{Resource: "gpu", Config: kueue.Config{Queues: []kueue.ClusterQueue{{
		Name: "q", Weight: 1, Groups: []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{
			{Flavor: "spot", Quotas: four}, {Flavor: "on-demand", Quotas: four}}}},
	}}}}
	spot := sim.Pool{Name: "z/t", GPU: "gpu", InstanceType: "t", Quota: 4}
	onDemand := sim.Pool{Name: "on-demand/t", GPU: "gpu", InstanceType: "t", Quota: 4, OnDemand: true}
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: spot, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 4}, {At: sim.At(100)}, {At: sim.At(900), N: 4}}},
		{Pool: onDemand, Prices: []sim.Price{{USD: 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job := func(name string, submit time.Duration) sim.Job {
		return sim.Job{
			Name: name, Submit: submit, Objective: sim.Objective{Within: sim.NoDeadline},
			Model: &throughput.Gang{GPUs: 4, Total: 500, Speeds: []float64{1, 1}},
			Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: "q", Cluster: "q"},
		}
	}
	w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{job("first", 0), job("second", 10*time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	first := &totals.Jobs[0]
	if !first.Finished || first.Elapsed != 1400*time.Second || first.Preemptions != 1 {
		t.Errorf("first: %+v, expected it done at 1,400 s", first)
	}
	if second := &totals.Jobs[1]; !second.Finished || second.Elapsed != 500*time.Second || second.Waited != 0 {
		t.Errorf("second: %+v, expected it to run at once", second)
	}
}

// TestKueuePartialAdmission: of a quota of 4 GPUs the first job has 3 for 400 s. The second asks for 4 and trains on 1
// at least: it starts with 1 at once, at a quarter of its speed, which is what its Sizes say. If it trained on 2 at
// least, it would wait.
func TestKueuePartialAdmission(t *testing.T) {
	for _, least := range []int{1, 2} {
		pool := sim.Pool{Name: "x", GPU: "a100", Quota: 8, Reserved: true, Region: "r"}
		market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{Pool: pool, Prices: []sim.Price{{}}}})
		if err != nil {
			t.Fatal(err)
		}
		four := []kueue.Quota{{Nominal: 4, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
		quotas := &schedulers.Quotas{Resource: "gpu", Config: kueue.Config{Queues: []kueue.ClusterQueue{{
			Name: "q", Weight: 1, Groups: []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{
				{Flavor: "a100", Quotas: four}}}},
		}}}}
		claim := &schedulers.QuotaClaim{Quotas: quotas, Queue: "q", Cluster: "q"}
		within := sim.Objective{Within: sim.NoDeadline}
		speeds := [][]float64{{0.25}, {0.5}, {0.75}, {1}}[least-1:]
		w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{
			{Name: "first", Objective: within, Claim: claim, Model: &throughput.Gang{GPUs: 3, Total: 400}},
			{Name: "second", Submit: time.Second, Objective: within, Claim: claim, Model: &throughput.Gang{
				GPUs: 4, Total: 400, Sizes: &throughput.Sizes{Least: least, Most: 4, Speeds: speeds, Models: []int32{0}}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		totals := w.Run()
		second := &totals.Jobs[1]
		want := [2]time.Duration{0, 1600 * time.Second}
		if least == 2 { // it waits for 400 s, and has all then
			want = [2]time.Duration{399 * time.Second, 799 * time.Second}
		}
		if !second.Finished || [2]time.Duration{second.Waited, second.Elapsed} != want {
			t.Errorf("from %d GPUs on: waited %v, took %v, expected %v", least, second.Waited, second.Elapsed, want)
		}
	}
}

// TestKueuePartLost: a job that asks for 4 spot GPUs has the 2 of its quota. At 100 s one of them is taken. It could go
// on with the other, but Kueue has it back in its queue, admits it with 2 again, and it waits for them: they are back at
// 900 s, and asked for every five minutes. At half its speed 700 s are left.
func TestKueuePartLost(t *testing.T) {
	pool := sim.Pool{Name: "z/t", GPU: "gpu", InstanceType: "t", Quota: 4}
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{
		Pool: pool, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 2}, {At: sim.At(100), N: 1}, {At: sim.At(900), N: 2}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	two := []kueue.Quota{{Nominal: 2, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
	quotas := &schedulers.Quotas{Resource: "gpu", Config: kueue.Config{Queues: []kueue.ClusterQueue{{
		Name: "q", Weight: 1, Groups: []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{
			{Flavor: "spot", Quotas: two}}}},
	}}}}
	w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{{
		Name: "job", Objective: sim.Objective{Within: sim.NoDeadline},
		Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: "q", Cluster: "q"},
		Model: &throughput.Gang{GPUs: 4, Total: 400, Sizes: &throughput.Sizes{
			Least: 1, Most: 4, Speeds: [][]float64{{0.25}, {0.5}, {0.75}, {1}}, Models: []int32{0}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	job := &totals.Jobs[0]
	if !job.Finished || job.Elapsed != 1700*time.Second || job.Preemptions != 1 {
		t.Errorf("%+v, expected it done at 1,700 s, preempted once", job)
	}
}

// TestKueueResize: of 8 GPUs a has 2 and b 4. At 100 s a is to have 6: it goes on with 2 until b is done at 400 s, and
// takes resize_s of 10 s. At 700 s it is to have 1, and c, which asks for 7 since 500 s, starts. What is done by 100 s a
// GPU: 200 + 600 of 4,000; from 410 to 700 s 1,740; then 10 s, and the 1,460 that are left on 1 GPU.
func TestKueueResize(t *testing.T) {
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "x", GPU: "a100", Quota: 4, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
		{Pool: sim.Pool{Name: "y", GPU: "a100", Quota: 4, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	quotas := &schedulers.Quotas{Resource: "gpu",
		Resizes: map[string][]schedulers.Resize{
			"a": {{After: 100 * time.Second, GPUs: 6}, {After: 700 * time.Second, GPUs: 1}},
			"z": nil,
		},
		Config: kueue.Config{Queues: []kueue.ClusterQueue{{Name: "q", Weight: 1, Groups: []kueue.Group{{
			Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{{Flavor: "a100", Quotas: []kueue.Quota{
				{Nominal: 8, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}}}}}}}}}
	var speeds [][]float64
	for n := range 8 {
		speeds = append(speeds, []float64{float64(n + 1)})
	}
	job := func(name string, submit time.Duration, gpus int, total float64, sizes *throughput.Sizes) sim.Job {
		return sim.Job{
			Name: name, Submit: submit, Objective: sim.Objective{Within: sim.NoDeadline},
			Model: &throughput.Gang{GPUs: gpus, Total: total, Sizes: sizes},
			Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: "q", Cluster: "q"},
		}
	}
	sizes := &throughput.Sizes{Least: 1, Most: 8, Speeds: speeds, Models: []int32{0, 0}, Resize: 10 * time.Second}
	for _, where := range []schedulers.Placement{"", schedulers.Closest} {
		policy := schedulers.NewKueue()
		policy.Placement = where
		w, err := sim.New(sim.Config{Market: market, Policy: policy, Jobs: []sim.Job{
			job("a", 0, 2, 4000, sizes), job("b", 0, 4, 400, nil), job("c", 500*time.Second, 7, 100, nil),
		}})
		if err != nil {
			t.Fatal(err)
		}
		totals := w.Run()
		want := []time.Duration{2170 * time.Second, 400 * time.Second, 300 * time.Second}
		for j, elapsed := range want {
			if got := &totals.Jobs[j]; !got.Finished || got.Elapsed != elapsed || got.Suspensions > 0 {
				t.Errorf("%q: job %d took %v, stopped %d times, expected %v, never", where, j, got.Elapsed, got.Suspensions,
					elapsed)
			}
		}
		if a := &totals.Jobs[0]; a.Resizes != 2 || a.Waited != 0 || totals.Jobs[2].Waited != 200*time.Second {
			t.Errorf("%q: a was resized %d times and waited %v, c waited %v", where, a.Resizes, a.Waited, totals.Jobs[2].Waited)
		}
		said := w.State().(interface{ Warnings() []string }).Warnings()
		if len(said) != 1 || said[0] != "jobs.kueue_resizes is of 2 jobs, of which 1 are in the run" {
			t.Errorf("%q: says %q", where, said)
		}
	}
}
