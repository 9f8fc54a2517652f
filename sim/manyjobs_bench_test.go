package sim_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// gpuTypes are the pools of a cluster: 36 GPUs of each type, and their speeds.
var gpuTypes = []struct {
	name  string
	speed float64
}{{"v100", 1}, {"p100", 0.6}, {"k80", 0.25}}

const gpusPerType = 36

// gang is a job that trains on a fixed number of GPUs of one type, or not at all.
// Its progress is seconds of one of the fastest GPUs.
type gang struct{ gpus int }

func (g gang) speed(p int) float64 { return float64(g.gpus) * gpuTypes[p].speed }

func (g gang) Rate(l *sim.Layout) sim.Rate {
	for k, n := range l.Workers {
		if int(n) == g.gpus {
			v := g.speed(l.Pool(k))
			return sim.Rate{Progress: v, Iterations: v, Working: n}
		}
	}
	return sim.Rate{}
}

func (gang) Begin(*sim.Layout) float64                           { return 0 }
func (gang) Goal(loss float64) float64                           { return 1/loss - 1 }
func (gang) Loss(progress float64) float64                       { return simtest.LossAt(progress) }
func (gang) Change(*sim.Change) sim.Pause                        { return sim.Pause{} }
func (gang) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// firstCome serves jobs in the order of their submission, each on the first type
// that has room; one that finds none keeps those behind it waiting.
type firstCome struct{}

func (firstCome) Name() string { return "first-come" }

func (firstCome) Decide(v sim.View, plan *sim.Plan) {
	free := [...]int{gpusPerType, gpusPerType, gpusPerType}
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		p := 0
		for p < len(hold) && hold[p] == 0 {
			p++
		}
		if p == len(hold) { // it waits
			need := v.Job(j).Model().(gang).gpus
			if p = firstFit(free[:], need); p < 0 {
				return
			}
			hold[p] = need
		}
		free[p] -= hold[p]
	}
}

// firstFit returns the first pool with that many free, -1 if there is none.
func firstFit(free []int, need int) int {
	return slices.IndexFunc(free, func(n int) bool { return n >= need })
}

// manyJobs returns n jobs that keep about three quarters of the cluster busy.
func manyJobs(n int) []sim.Job {
	draws := splitmix(1)
	jobs := make([]sim.Job, n)
	at := 0.0
	for j := range jobs {
		at -= 1800 * math.Log(1-draws.float())
		g := gang{1 << (draws.next() % 4)}
		work := float64(g.gpus) * math.Exp(7+4.6*draws.float()) // 18 minutes to 30 hours
		jobs[j] = sim.Job{Model: g, Submit: sim.At(at).Sub(0), Objective: sim.Objective{Loss: simtest.LossAt(work), Within: time.Hour}}
	}
	return jobs
}

// cluster returns the three pools, for as long as jobs may take.
func cluster(tb testing.TB, jobs []sim.Job) *sim.Market {
	tb.Helper()
	var traces []sim.Trace
	for _, g := range gpuTypes {
		traces = append(traces, sim.Trace{Pool: sim.Pool{Name: g.name, Quota: gpusPerType}, Prices: []sim.Price{{USD: 1}}})
	}
	m, err := sim.NewMarket(sim.Time(0).Add(2*jobs[len(jobs)-1].Submit+1000*time.Hour), traces)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func clusterConfig(tb testing.TB, n int) sim.Config {
	jobs := manyJobs(n)
	return sim.Config{Market: cluster(tb, jobs), Jobs: jobs, Policy: firstCome{}}
}

// BenchmarkManyJobs compares a decision among 8,000 jobs with one among 500: what a
// decision costs follows the jobs that are submitted and not done, which are about
// as many in both.
func BenchmarkManyJobs(b *testing.B) {
	sizes := [...]int{500, 8000}
	if testing.Short() {
		sizes[1] = 2000
	}
	var worlds [2]*sim.World
	var configs [2]sim.Config
	for i, n := range sizes {
		configs[i] = clusterConfig(b, n)
		w, err := sim.New(configs[i])
		if err != nil {
			b.Fatal(err)
		}
		w.Run()
		worlds[i] = w
	}
	var cpu [2]time.Duration
	var decisions [2]int64
	b.ReportAllocs()
	for b.Loop() {
		for i, w := range worlds {
			start := simtest.CPUTime()
			if err := w.Reset(configs[i]); err != nil {
				b.Fatal(err)
			}
			decisions[i] += w.Run().Decisions
			cpu[i] += simtest.CPUTime() - start
		}
	}
	few, many := float64(cpu[0])/float64(decisions[0]), float64(cpu[1])/float64(decisions[1])
	b.ReportMetric(few, "cpu-ns/few")
	b.ReportMetric(many, "cpu-ns/many")
	b.ReportMetric(many/few, "many/few")
}

// TestManyJobs compares when 2,000 jobs finish with a queue worked by hand, and that a
// warm run allocates nothing.
func TestManyJobs(t *testing.T) {
	c := clusterConfig(t, 2000)
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	for j, want := range queue(c.Jobs) {
		got := totals.Jobs[j]
		if !got.Finished || (got.Elapsed-want).Abs() > time.Millisecond {
			t.Fatalf("job %d: finished %v after %v, want %v", j, got.Finished, got.Elapsed, want)
		}
	}
	if n := testing.AllocsPerRun(20, func() { // many: the runtime allocates now and then
		if w.Reset(c) == nil {
			w.Run()
		}
	}); n != 0 {
		t.Errorf("%v allocations a run when warm", n)
	}
}

// queue returns how long each job takes from its submission, first come first served.
func queue(jobs []sim.Job) []time.Duration {
	type running struct {
		end       float64
		pool, gpu int
	}
	free := []int{gpusPerType, gpusPerType, gpusPerType}
	var busy []running
	out := make([]time.Duration, len(jobs))
	now := 0.0
	for j, job := range jobs {
		g := job.Model.(gang)
		now = max(now, job.Submit.Seconds())
		for {
			busy = slices.DeleteFunc(busy, func(r running) bool {
				if r.end <= now {
					free[r.pool] += r.gpu
				}
				return r.end <= now
			})
			p := firstFit(free, g.gpus)
			if p >= 0 {
				end := now + g.Goal(job.Objective.Loss)/g.speed(p)
				free[p] -= g.gpus
				busy = append(busy, running{end, p, g.gpus})
				out[j] = time.Duration((end - job.Submit.Seconds()) * 1e9)
				break
			}
			now = slices.MinFunc(busy, func(a, b running) int { return int(math.Copysign(1, a.end-b.end)) }).end
		}
	}
	return out
}
