package kueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// elastic is a cluster in which jobs are resized, and what is known of them by name.
type elastic struct {
	*testing.T
	*Cluster
	now   int64
	asked map[string]*Job
	at    map[string]int // numbers of jobs
	next  int
}

func newElastic(t *testing.T, config Config) *elastic {
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return &elastic{T: t, Cluster: c, asked: map[string]*Job{}, at: map[string]int{}}
}

// do does what a line says: "submit NAME QUEUE PRIORITY GPUS", "resize NAME GPUS", with a number of pods of a GPU each
// for each set, "finish NAME", "release NAME"; then it settles, and returns what happened.
func (e *elastic) do(line string) string {
	e.Helper()
	e.now += 10
	words := strings.Fields(line)
	name := words[1]
	fail := func(err error) {
		if err != nil {
			e.Fatal(err)
		}
	}
	sets := func(counts []string) (made []PodSet) {
		for i, text := range counts {
			set := PodSet{Name: fmt.Sprint(i), Requests: []Request{{"gpu", 1}}}
			fmt.Sscan(text, &set.Count)
			made = append(made, set)
		}
		return made
	}
	switch words[0] {
	case "submit":
		job := &Job{Name: name, Queue: words[2], Created: e.now, PodSets: sets(words[4:])}
		fmt.Sscan(words[3], &job.Priority)
		e.asked[name] = job
		e.at[name] = e.next
		fail(e.Submit(e.next, job))
	case "resize":
		of := *e.asked[name]
		of.PodSets = sets(words[2:])
		_, err := e.Resize(e.at[name], e.next, &of, e.now)
		fail(err)
	case "finish":
		e.Finish(e.at[name])
	case "release":
		e.Release(e.at[name])
	}
	e.next++
	var happened []string
	fail(e.Settle(e.now, func(x Event) {
		of := &e.jobs[x.Job]
		e.at[of.name] = x.Job
		what := [...]string{"admit", "preempt", "release"}[x.Kind]
		text := what + " " + of.name
		if x.Kind == Admitted {
			text += fmt.Sprint(of.counts)
		}
		happened = append(happened, text)
	}))
	return strings.Join(happened, ", ")
}

// TestSlices has the rules of elastic jobs, one each. What Kueue's own scheduler does was not recorded.
func TestSlices(t *testing.T) {
	flavored := func(quotas ...int64) []Group {
		g := Group{Resources: []string{"gpu"}}
		for i, n := range quotas {
			g.Flavors = append(g.Flavors, FlavorQuotas{Flavor: fmt.Sprint("f", i), Quotas: []Quota{nominal(n)}})
		}
		return []Group{g}
	}
	queue := ClusterQueue{Name: "q", Weight: 1, Groups: flavored(4), Within: LowerPriority}
	two := queue
	two.Groups = flavored(4, 8)
	strict := queue
	strict.Strict = true
	never := queue
	never.Within = Never
	for _, x := range []struct {
		rule  string
		queue ClusterQueue
		steps []string // what is done, and what then happens
		use   int64    // GPUs in the end
	}{
		{"a job that waits changes in place, and keeps its place", queue, []string{
			"submit first q 0 3", "admit first[3]", "submit a q 0 4", "", "submit b q 0 2", "",
			"resize a 1", "admit a[1]", "resize b 3", "", "finish first x", "admit b[3]"}, 4},
		{"fewer pods are given back at once, and whoever waits for them starts", queue, []string{
			"submit a q 0 4", "admit a[4]", "submit b q 0 2", "", "resize a 2", "admit b[2]"}, 4},
		{"more pods: the difference is asked, and the job goes on until then", queue, []string{
			"submit a q 0 2", "admit a[2]", "submit b q 0 1", "admit b[1]",
			"resize a 4", "", "finish b x", "admit a[4]"}, 4},
		{"what a job has and the difference need not fit beside it", queue, []string{
			"submit a q 0 3", "admit a[3]", "resize a 4", "admit a[4]", "finish a x", ""}, 0},
		{"more than there ever is waits, and keeps nobody else waiting", queue, []string{
			"submit a q 0 2", "admit a[2]", "resize a 5", "", "submit b q 0 2", "admit b[2]"}, 4},
		{"the slice is created now: behind those that were there before", strict, []string{
			"submit a q 0 2", "admit a[2]", "submit b q 0 3", "", "resize a 3", "", "finish a x", "admit b[3]"}, 3},
		{"a slice stays in the flavors of its job", two, []string{
			"submit a q 0 3", "admit a[3]", "resize a 6", "", "submit b q 0 5", "admit b[5]", "resize a 4", "admit a[4]"}, 9},
		{"a job of the shape of a slice that fits nowhere waits with it, though it fits", two, []string{
			"submit a q 0 3", "admit a[3]", "resize a 6", "", "submit b q 0 6", "", "finish a x", "admit b[6]"}, 6},
		{"others are preempted for the difference; the job itself is not", queue, []string{
			"submit low q 0 2", "admit low[2]", "submit a q 5 2", "admit a[2]", "resize a 3", "preempt low",
			"release low", "admit a[3]"}, 3},
		{"without a policy for it nobody is", never, []string{
			"submit low q 0 2", "admit low[2]", "submit a q 5 2", "admit a[2]", "resize a 3", ""}, 4},
		{"another change is one of the slice, to fewer than the job has, too", queue, []string{
			"submit a q 0 2", "admit a[2]", "submit b q 0 2", "admit b[2]",
			"resize a 4", "", "resize a 3", "", "resize a 1", "admit a[1]", "submit c q 0 1", "admit c[1]"}, 4},
		{"a job that is preempted comes back as one, with the pods asked last", queue, []string{
			"submit b q 1 1", "admit b[1]", "submit a q 0 3", "admit a[3]", "resize a 5", "", "resize a 4", "",
			"submit high q 5 2", "preempt a", "release a", "admit high[2]", "finish high x", "", "finish b x", "admit a[4]"}, 4},
		{"so does one whose node fails", queue, []string{
			"submit a q 0 2", "admit a[2]", "submit b q 0 2", "admit b[2]", "resize a 3", "", "release a", "",
			"finish b x", "admit a[3]"}, 3},
		{"a preempted job that is resized while it leaves", queue, []string{
			"submit a q 0 3", "admit a[3]", "submit high q 5 2", "preempt a", "resize a 2", "", "release a",
			"admit high[2], admit a[2]"}, 4},
		{"more in one set and fewer in another is a slice", queue, []string{
			"submit a q 0 2 2", "admit a[2 2]", "resize a 1 3", "admit a[1 3]", "resize a 2 3", ""}, 4},
		{"fewer in one set and no more in another is none", queue, []string{
			"submit a q 0 2 2", "admit a[2 2]", "resize a 2 1", "", "submit b q 0 1", "admit b[1]"}, 4},
		{"the end of a job is that of its slice", queue, []string{
			"submit a q 0 2", "admit a[2]", "submit b q 0 2", "admit b[2]", "resize a 4", "", "finish a x", "",
			"finish b x", ""}, 0},
	} {
		t.Run(x.rule, func(t *testing.T) {
			e := newElastic(t, Config{Queues: []ClusterQueue{x.queue}})
			for i := 0; i < len(x.steps); i += 2 {
				if got := e.do(x.steps[i]); got != x.steps[i+1] {
					t.Errorf("%s: %q, expected %q", x.steps[i], got, x.steps[i+1])
				}
			}
			if used, _ := e.Use("q", "gpu"); used != x.use {
				t.Errorf("%d GPUs are used, expected %d", used, x.use)
			}
		})
	}
}

// TestSlicesAreRefused: other sets, and jobs that may start with fewer pods.
func TestSlicesAreRefused(t *testing.T) {
	e := newElastic(t, Config{Queues: []ClusterQueue{{Name: "q", Weight: 1, Groups: gpus(nominal(4))}}})
	e.do("submit a q 0 2")
	for _, sets := range [][]PodSet{
		nil, {{Name: "0", Count: 0}}, {{Name: "1", Count: 1}}, {{Name: "0", Count: 3, Min: 1}}, {{Name: "0", Count: MaxAmount + 1}},
	} {
		if _, err := e.Resize(0, 1, &Job{Name: "a", Queue: "q", PodSets: sets}, 1); err == nil {
			t.Errorf("%+v: no error", sets)
		}
	}
	if got := []int64{e.Pods(0, 0)}; !slices.Equal(got, []int64{2}) {
		t.Errorf("it has %v pods", got)
	}
}

// TestSlicesKeepTheBooks: whatever is submitted, resized, lost and done, a queue uses what its jobs have, never more than
// its quota, and nothing in the end.
func TestSlicesKeepTheBooks(t *testing.T) {
	resized := 0
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 7))
		config := Config{ReleaseAtOnce: seed%3 == 0, Queues: []ClusterQueue{{
			Name: "q", Weight: 1, Groups: gpus(nominal(9)), Within: LowerPriority, Strict: seed%2 == 0,
		}}}
		e := newElastic(t, config)
		names := []string{}
		for step := range 60 {
			name := fmt.Sprint("job", step)
			line := fmt.Sprintf("submit %s q %d %d", name, draw.IntN(3), 1+draw.IntN(6))
			if len(names) > 0 && draw.IntN(4) > 0 {
				at := draw.IntN(len(names))
				name = names[at]
				line = fmt.Sprintf("resize %s %d", name, 1+draw.IntN(10))
				switch draw.IntN(8) {
				case 0:
					line = "finish " + name + " x"
					names = slices.Delete(names, at, at+1)
				case 1, 2:
					line = "release " + name
				}
			} else {
				names = append(names, name)
			}
			happened := e.do(line)
			resized += strings.Count(happened, "admit "+name+"[") * strings.Count(line, "resize")
			sum := int64(0)
			for i := range e.jobs {
				if j := &e.jobs[i]; j.status == admitted || j.status == leaving {
					sum += j.counts[0]
				}
			}
			if used, quota := e.Use("q", "gpu"); used != sum || used > quota {
				t.Fatalf("seed %d, %s: %d GPUs are used, jobs have %d, of %d", seed, line, used, sum, quota)
			}
		}
		for _, name := range names {
			e.do("finish " + name + " x")
		}
		for i := range e.jobs {
			if e.jobs[i].status != absent {
				t.Fatalf("seed %d: job %s is left", seed, e.jobs[i].name)
			}
		}
	}
	if resized < 100 {
		t.Errorf("%d slices were admitted", resized)
	}
}
