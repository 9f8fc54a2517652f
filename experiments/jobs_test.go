package experiments

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// A run whose jobs come one by one, and are over one by one, has the numbers of one that holds all of them, to the last
// bit; so has each job, also one that is not done, or not submitted, when the run is cut.
func TestJobsOneByOne(t *testing.T) {
	check := near.Count(t)
	trace := "job_id,submit_s,gpus,duration_s,weight,deadline_s,user\n"
	for i := range 300 {
		trace += fmt.Sprintf("j%d,%d,%d,%d,%d,%d,u%d\n", i, i*40+i%7*7, []int{1, 2, 1, 8, 4, 40}[i%6], 100+i*i*37%5000, 1+i%3, 6000+i, i%5)
	}
	for _, horizon := range []string{"", "horizon_s: 9000\n"} {
		text := "name: stream\n" + horizon + `
jobs: {trace: jobs.csv, from_s: 200, until_s: 11000, load: 1.5, drop_too_large: true, disorder: sort}
policies: [{name: fifo}, {name: tiresias}, {name: gavel}]
market: {servers: [{gpu: v100, gpus: 8, count: 3, per_rack: 2, usd_per_gpu_h: 2}]}
`
		s, err := openCluster(t, text, trace)
		if err != nil {
			t.Fatal(err)
		}
		for p := range s.Spec.Policies {
			held, err := s.Worker().Record(Case{Policy: p, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var rows []results.Job
			s.Timelines, s.JobRows = 0, 1
			s.JobRow = func(r *results.Job) error {
				rows = append(rows, *r)
				return nil
			}
			out, err := s.Worker().run(Case{Policy: p, Seed: 1}, keeping{jobs: true})
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(rows, func(a, b results.Job) int { return int(a.Number - b.Number) })
			if len(rows) < 200 || !reflect.DeepEqual(rows, held.Jobs) {
				t.Errorf("%s: %d jobs one by one, %d held, or they differ", s.Spec.Policies[p].Name, len(rows), len(held.Jobs))
			}
			if a, b := fmt.Sprintf("%+v", valuesOf(out.summary)), fmt.Sprintf("%+v", valuesOf(held.Summaries[0])); a != b {
				t.Errorf("%s: one by one\n%s\nheld\n%s", s.Spec.Policies[p].Name, a, b)
			}
			sum := 0.0
			for i := range rows {
				sum += rows[i].CostUSD
			}
			if want := out.summary.CostSpotUSD + out.summary.CostOnDemandUSD; check.Off(sum, want, 1e-9*want) || sum == 0 {
				t.Errorf("the jobs cost %v, the run %v", sum, want)
			}
		}
	}
}

// Two jobs that share a cluster of one server of two GPUs all the time: each would have had one of them, on which two
// GPUs' work takes twice as long. The fairness of both is 1 under a rule that runs them in turns. In the order of their
// submission it is 1/2 of the first, and 4/3 of the second, which is alone for half of its time.
func TestFairness(t *testing.T) {
	set := runCluster(t, "name: f\njobs: {trace: jobs.csv}\npolicies: [{name: gavel, settings: {round_s: 1}}, {name: fifo}]\nmarket: {servers: "+
		"[{gpu: v100, gpus: 2}]}\n",
		"job_id,submit_s,gpus,duration_s\na,0,2,36000\nb,0,2,36000\n")
	var got []float64
	for i := range set.Jobs {
		got = append(got, math.Round(1000**set.Jobs[i].FTF)/1000)
	}
	if want := []float64{1, 1, 0.5, 1.333}; !slices.Equal(got, want) {
		t.Errorf("fairness %v, want %v", got, want)
	}
}

// A run of one job has its row, too, with the numbers of the run. When it trained and waited is known of a run whose
// timeline is kept.
func TestJobOfOne(t *testing.T) {
	check := near.Count(t)
	s := study(t, "specs/quickstart.yaml", 2)
	s.Timelines, s.JobRows = 1, 2
	set := runStudy(t, s)
	if len(set.Jobs) != len(set.Summaries) {
		t.Fatalf("%d jobs of %d runs", len(set.Jobs), len(set.Summaries))
	}
	waited, began := map[int64]float64{}, map[int64]float64{}
	for _, x := range set.Spans {
		if x.Pool == set.Spans[0].Pool && (x.Activity == "waiting" || x.Activity == "starting") {
			waited[x.Run] += x.EndS - x.StartS
		}
		if _, has := began[x.Run]; x.RateProgressPerS > 0 && !has {
			began[x.Run] = x.StartS
		}
	}
	for i := range set.Jobs {
		j, r := &set.Jobs[i], &set.Summaries[i]
		if j.Run != r.Run || j.ID != r.Objective || j.Done != r.Progress || (j.FinishS == nil) != (r.FinishS == nil) || *j.DeadlineS != r.ObjectiveS ||
			*j.DeadlineMet != r.Met || j.GPUH != nil || j.GPUs != 0 {
			t.Errorf("job %+v of the run %+v", j, r)
		}
		if j.FinishS != nil && (*j.FinishS != *r.FinishS || *j.JCTS != *r.FinishS) || check.Off(j.CostUSD+r.CostUnallocatedUSD, r.CostUSD, 1e-9*r.CostUSD) {
			t.Errorf("job %+v of the run %+v", j, r)
		}
		switch known := r.Seed == s.Spec.Seed; {
		case known != (j.QueueS != nil) || known != (j.StartS != nil):
			t.Errorf("run %d, seed %d: when the job trained is %v and %v", r.Run, r.Seed, j.StartS, j.QueueS)
		case known && (check.Off(*j.QueueS, waited[r.Run], 1e-6) || *j.StartS != began[r.Run] || *j.QueueS < *j.StartS):
			t.Errorf("run %d: trained from %v s, waited %v s, want %v and %v", r.Run, *j.StartS, *j.QueueS, began[r.Run], waited[r.Run])
		}
	}
}

// The configuration of a case of many jobs is that of its run.
func TestConfigOfManyJobs(t *testing.T) {
	s, err := openCluster(t, "name: f\njobs: {trace: jobs.csv}\npolicies: [{name: fifo}]\nmarket: {servers: [{gpu: v100, gpus: 2, usd_per_gpu_h: 3}]}\n",
		"job_id,submit_s,gpus,duration_s\na,0,2,36000\nb,0,1,36000\n")
	if err != nil {
		t.Fatal(err)
	}
	policy, err := s.Spec.Policies[0].New()
	if err != nil {
		t.Fatal(err)
	}
	w := s.Worker()
	config, err := w.Config(Case{Seed: 1}, policy)
	if err != nil {
		t.Fatal(err)
	}
	world, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	want, err := w.Run(Case{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := world.Run(); len(got.Jobs) != 2 || got.Bill.Total() != want.CostUSD || got.End.Sub(config.Start).Seconds() != *want.FinishS || want.CostUSD == 0 {
		t.Errorf("%d jobs, %v USD until %v, want 2, %v USD and %v s", len(got.Jobs), got.Bill.Total(), got.End, want.CostUSD, *want.FinishS)
	}
	if s.OneJob() == nil {
		t.Error("many jobs are one")
	}
}

// valuesOf is the row with what its pointers point to.
func valuesOf(s results.Summary) []any {
	var out []any
	for _, f := range reflect.ValueOf(s).Fields() {
		if f.Kind() == reflect.Pointer && !f.IsNil() {
			f = f.Elem()
		}
		out = append(out, f.Interface())
	}
	return out
}
