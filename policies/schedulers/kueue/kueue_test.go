package kueue

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// gpus is a group of one flavor with a quota of GPUs.
func gpus(q Quota) []Group {
	return []Group{{Resources: []string{"gpu"}, Flavors: []FlavorQuotas{{Flavor: "any", Quotas: []Quota{q}}}}}
}

func nominal(n int64) Quota { return Quota{Nominal: n, Borrowing: NoLimit, Lending: NoLimit} }

func ask(name, queue string, priority int32, created, n int64) *Job {
	return &Job{Name: name, Queue: queue, Priority: priority, Created: created,
		PodSets: []PodSet{{Name: "main", Count: 1, Requests: []Request{{"gpu", n}}}}}
}

// settle returns what happens, in words.
func settle(t *testing.T, c *Cluster, now int64) (lines []string) {
	t.Helper()
	err := c.Settle(now, func(e Event) {
		what := [...]string{"admit", "preempt", "release"}[e.Kind]
		lines = append(lines, fmt.Sprintf("%d %s %s", e.Cycle, what, c.jobs[e.Job].name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestReclaim: team a lends its 4 GPUs to b, and takes them back, after b's job has left.
func TestReclaim(t *testing.T) {
	c, err := New(Config{Queues: []ClusterQueue{
		{Name: "a", Cohort: "both", Groups: gpus(nominal(4)), Weight: 1, Reclaim: Any},
		{Name: "b", Cohort: "both", Groups: gpus(nominal(4)), Weight: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	submit := func(number int, j *Job) {
		if err := c.Submit(number, j); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(now int64, want ...string) {
		t.Helper()
		if got := settle(t, c, now); !slices.Equal(got, want) {
			t.Errorf("at %d: %v, expected %v", now, got, want)
		}
	}
	submit(0, ask("large", "b", 0, 0, 8))
	expect(0, "0 admit large")
	submit(1, ask("mine", "a", 0, 10, 3))
	expect(10, "0 preempt large")
	expect(20)
	c.Release(0)
	expect(40, "0 admit mine")
	c.Finish(1)
	expect(50, "0 admit large")
	if c.Pods(0, 0) != 1 || c.Flavor(0, 0, "gpu") != "any" || c.Ties() != 0 {
		t.Errorf("%d pods on %s, %d ties", c.Pods(0, 0), c.Flavor(0, 0, "gpu"), c.Ties())
	}
}

// TestEndless has the smallest cluster in which jobs preempt one another for ever: two queues of 2 GPUs. The job of 3
// pods, at least 2, reclaims for 2 within its quota, and then competes for 3 with the job of 4 GPUs, whose priority is
// higher.
func TestEndless(t *testing.T) {
	c, err := New(Config{ReleaseAtOnce: true, Queues: []ClusterQueue{
		{Name: "a", Cohort: "both", Groups: gpus(Quota{Nominal: 2, Borrowing: 1, Lending: NoLimit}), Weight: 1, Reclaim: Any},
		{Name: "b", Cohort: "both", Groups: gpus(Quota{Nominal: 2, Borrowing: NoLimit, Lending: 1}), Weight: 1,
			Reclaim: LowerPriority, BorrowWithin: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	elastic := &Job{Name: "elastic", Queue: "a", Priority: 50, Created: -80,
		PodSets: []PodSet{{Name: "main", Count: 3, Min: 2, Requests: []Request{{"gpu", 1}}}}}
	if err := c.Submit(0, elastic); err != nil {
		t.Fatal(err)
	}
	if got := settle(t, c, 0); !slices.Equal(got, []string{"0 admit elastic"}) || c.Pods(0, 0) != 3 {
		t.Errorf("%v with %d pods, expected it admitted with 3", got, c.Pods(0, 0))
	}
	if err := c.Submit(1, ask("fixed", "b", 200, 1, 4)); err != nil {
		t.Fatal(err)
	}
	endless, is := errors.AsType[*Endless](c.Settle(1, func(Event) {}))
	if !is || !slices.Equal(endless.Queues, []string{"a", "b"}) || !slices.Equal(endless.Jobs, []string{"elastic", "fixed"}) {
		t.Errorf("error %+v, expected both jobs", endless)
	}
}

// TestPodsDoNotCountForVictims: mine has a quota of GPUs and none of pods, and large borrows the one pod of the cohort.
// Kueue looks for victims by the GPUs alone, which mine has a right to, and preempts large for a pod that mine can only
// borrow, too, although large has no lower priority (borrowWithinCohort).
func TestPodsDoNotCountForVictims(t *testing.T) {
	quotas := func(gpus, pods int64) []Group {
		return []Group{{Resources: []string{"gpu", "pods"}, Flavors: []FlavorQuotas{
			{Flavor: "any", Quotas: []Quota{nominal(gpus), nominal(pods)}}}}}
	}
	c, err := New(Config{
		Cohorts: []Cohort{{Name: "both", Groups: quotas(0, 1), Weight: 1}},
		Queues: []ClusterQueue{
			{Name: "a", Cohort: "both", Groups: quotas(4, 0), Weight: 1, Reclaim: Any, BorrowWithin: true},
			{Name: "b", Cohort: "both", Groups: quotas(0, 1), Weight: 1},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	large := ask("large", "b", 0, 0, 1)
	large.PodSets[0].Count = 2
	for number, job := range []*Job{large, ask("mine", "a", 0, 10, 1)} {
		if err := c.Submit(number, job); err != nil {
			t.Fatal(err)
		}
		want := []string{"0 admit large", "0 preempt large"}[number]
		if got := settle(t, c, int64(10*number)); !slices.Equal(got, []string{want}) {
			t.Errorf("%v, expected %s", got, want)
		}
	}
}

// TestStoppedQueuesHaveNoHeight: left's job and right's borrow GPUs of their cohorts, one level up, and there is CPU for
// one of them: within the quota of each, as third has borrowed the rest. The older one, left's, starts. Below left's
// cohort is another with nothing but a stopped queue. Kueue leaves that out when it counts levels; if it counted, left's
// job would borrow two levels up, and right's would be first.
func TestStoppedQueuesHaveNoHeight(t *testing.T) {
	quotas := func(cpu, gpus int64) []Group {
		return []Group{{Resources: []string{"cpu", "gpu"}, Flavors: []FlavorQuotas{
			{Flavor: "any", Quotas: []Quota{nominal(cpu), nominal(gpus)}}}}}
	}
	for _, stopped := range []bool{true, false} {
		c, err := New(Config{
			Cohorts: []Cohort{
				{Name: "left", Parent: "all", Groups: quotas(0, 1), Weight: 1},
				{Name: "right", Parent: "all", Groups: quotas(0, 1), Weight: 1},
				{Name: "below", Parent: "left", Weight: 1},
			},
			Queues: []ClusterQueue{
				{Name: "left", Cohort: "left", Groups: quotas(1, 0), Weight: 1},
				{Name: "right", Cohort: "right", Groups: quotas(1, 0), Weight: 1},
				{Name: "third", Cohort: "all", Groups: quotas(0, 0), Weight: 1},
				{Name: "other", Cohort: "below", Groups: quotas(0, 0), Weight: 1, Stopped: stopped},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for number, queue := range []string{"third", "left", "right"} {
			job := ask(queue, queue, 0, int64(number), int64(min(number, 1)))
			job.PodSets[0].Requests = append(job.PodSets[0].Requests, Request{"cpu", 1})
			if err := c.Submit(number, job); err != nil {
				t.Fatal(err)
			}
			if number == 0 {
				settle(t, c, 0)
			}
		}
		want := []string{"0 admit right"}
		if stopped {
			want = []string{"0 admit left"}
		}
		if got := settle(t, c, 10); !slices.Equal(got, want) {
			t.Errorf("stopped %v: %v, expected %v", stopped, got, want)
		}
	}
}

// TestNoAllocations: a cluster that has seen its jobs decides without new memory.
func TestNoAllocations(t *testing.T) {
	c, err := New(Config{Queues: []ClusterQueue{
		{Name: "a", Cohort: "both", Groups: gpus(nominal(4)), Weight: 1, Reclaim: Any},
		{Name: "b", Cohort: "both", Groups: gpus(nominal(4)), Weight: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	jobs := []*Job{ask("large", "b", 0, 0, 8), ask("mine", "a", 0, 10, 3), ask("next", "b", 5, 11, 1)}
	admitted := 0
	round := func() {
		for i, j := range jobs {
			if err := c.Submit(i, j); err != nil {
				t.Fatal(err)
			}
			if err := c.Settle(int64(i), func(e Event) { admitted++ }); err != nil {
				t.Fatal(err)
			}
		}
		c.Release(0)
		if err := c.Settle(40, func(e Event) { admitted++ }); err != nil {
			t.Fatal(err)
		}
		for i := range jobs {
			c.Finish(i)
		}
		if err := c.Settle(50, func(e Event) { admitted++ }); err != nil {
			t.Fatal(err)
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%v allocations a round, expected none", n)
	}
	if admitted == 0 {
		t.Error("nothing happened")
	}
}
