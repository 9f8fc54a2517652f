package elastic_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/schedulers/elastic"
	"github.com/marigram/marigram/sim"
)

// key is an application, a batch and an epoch; or an application and one of them.
type key struct {
	app          string
	batch, epoch int
}

// placed is an application on a placement with a batch a GPU.
type placed struct {
	app, placement string
	batch          int
}

type pair [2]float64

// application is what is fixed about a kind of job: batches of it, of a GPU.
type application struct{ init, most, leastOfGPU, mostOfGPU float64 }

// tables are the recorded tables of Pollux's simulator.
type tables struct {
	apps       map[string]application
	speeds     map[placed]pair // seconds of a step, of its synchronisation
	noise      map[key][]pair  // sqr, var, by epoch
	lastEpoch  map[key]int
	progress   map[key]float64
	iterations map[key]float64
	workloads  map[string][]workloadJob // by load/workload
	placements map[[2]string][]string   // by application and number of GPUs, on the fewest servers first
}

type workloadJob struct {
	name, app           string
	submit, gpus, batch int
}

// table reads a recorded table.
func table(t testing.TB, name string) []map[string]string {
	t.Helper()
	return testutil.CachedRows(t, "elastic", name)
}

func readTables(t testing.TB) *tables {
	t.Helper()
	x := &tables{
		apps: map[string]application{}, speeds: map[placed]pair{}, noise: map[key][]pair{}, lastEpoch: map[key]int{},
		progress: map[key]float64{}, iterations: map[key]float64{}, workloads: map[string][]workloadJob{},
		placements: map[[2]string][]string{},
	}
	number := func(r map[string]string, column string) float64 { return testutil.Number(t, r[column]) }
	whole := func(r map[string]string, column string) int { return int(number(r, column)) }
	for _, r := range table(t, "pollux_applications.csv") {
		x.apps[r["application"]] = application{
			number(r, "init_batch"), number(r, "max_batch"), number(r, "min_per_gpu"), number(r, "max_per_gpu"),
		}
	}
	for _, r := range table(t, "pollux_speeds.csv") {
		at := placed{r["application"], r["placement"], whole(r, "batch_per_gpu")}
		x.speeds[at] = pair{number(r, "step_s"), number(r, "sync_s")}
		gpus := 0
		for _, n := range numbersOf(at.placement) {
			gpus += n
		}
		of := [2]string{at.app, strconv.Itoa(gpus)}
		if !slices.Contains(x.placements[of], at.placement) {
			x.placements[of] = append(x.placements[of], at.placement)
		}
	}
	for _, of := range x.placements {
		slices.SortFunc(of, func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.Count(a, "+"), strings.Count(b, "+")), strings.Compare(a, b))
		})
	}
	for _, r := range table(t, "pollux_noise.csv") {
		at := key{app: r["application"], batch: whole(r, "batch")}
		for len(x.noise[at]) <= whole(r, "epoch") {
			x.noise[at] = append(x.noise[at], pair{})
		}
		x.noise[at][whole(r, "epoch")] = pair{number(r, "sqr"), number(r, "var")}
	}
	for _, r := range table(t, "pollux_epochs.csv") {
		x.lastEpoch[key{app: r["application"], batch: whole(r, "batch")}] = whole(r, "last_epoch")
	}
	for _, r := range table(t, "pollux_progress.csv") {
		x.progress[key{app: r["application"], epoch: whole(r, "epoch")}] = number(r, "progress")
	}
	for _, r := range table(t, "pollux_iterations.csv") {
		x.iterations[key{r["application"], whole(r, "batch"), whole(r, "epoch")}] = number(r, "iterations")
	}
	for _, r := range table(t, "pollux_workloads.csv") {
		of := r["load"] + "/" + r["workload"]
		x.workloads[of] = append(x.workloads[of],
			workloadJob{r["job"], r["application"], whole(r, "submit_s"), whole(r, "gpus"), whole(r, "batch")})
	}
	return x
}

// roundUp rounds up, but for what is noise.
func roundUp(x float64) float64 { return math.Ceil(x - 1e-8) }

// split is the batch of a GPU and how often gradients are accumulated where n GPUs share a batch.
func (a application) split(batch, n float64, alwaysTwice bool) (ofGPU, accumulation float64) {
	local := roundUp(batch / n)
	accumulation = roundUp(local/a.mostOfGPU) - 1
	if n == 1 && (batch > a.init || alwaysTwice) {
		accumulation = max(1, accumulation)
	}
	return min(roundUp(local/(accumulation+1)), math.Floor(a.most/(n*(accumulation+1)))), accumulation
}

// smallestRotation writes a placement as the tables name it.
func smallestRotation(runs []int) string {
	best := slices.Clone(runs)
	for k := range runs {
		rotated := slices.Concat(runs[k:], runs[:k])
		if slices.Compare(rotated, best) < 0 {
			best = rotated
		}
	}
	return join(best, "+")
}

func join(numbers []int, between string) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, between)
}

// runsOf is the lengths of runs of equal numbers in a list.
func runsOf(list []int) (runs []int) {
	for k := range list {
		if k > 0 && list[k] == list[k-1] {
			runs[len(runs)-1]++
		} else {
			runs = append(runs, 1)
		}
	}
	return runs
}

// job is a job as that simulator advances it.
type job struct {
	workloadJob
	tables *tables
	of     application

	list      []int // nodes, one a GPU
	wait      float64
	epoch     int
	progress  float64
	finish    float64 // s; NaN until it is known
	starts    int
	unrounded bool // epochs take the time that they take, not whole seconds

	batch       float64 // on its list, as it is really trained
	ofGPU       float64
	accumulated float64
	step        float64   // seconds of a batch on it; 0: not known yet
	noise       []pair    // by epoch
	goodput     float64   // batches of the first size a second in its epoch; 0: not known yet
	epochEnd    float64   // progress
	left        float64   // batches, as Optimus counts them, before epoch leftAt
	leftAt      int       // 0: not known yet
	seconds     []float64 // by number of GPUs, as Optimus predicts; 0: not known yet
}

// batchTime is how long a batch takes on a placement.
func (j *job) batchTime(runs []int, ofGPU, accumulation float64) (seconds float64, known bool) {
	speed, known := j.tables.speeds[placed{j.app, smallestRotation(runs), int(ofGPU)}]
	return speed[0] + (speed[0]-speed[1])*accumulation, known
}

// fewest returns the placement on the fewest servers that the table of speeds has for a number of GPUs.
func (x *tables) fewest(app string, gpus, ofGPU int) (runs []int) {
	for _, at := range x.placements[[2]string{app, strconv.Itoa(gpus)}] {
		if _, known := x.speeds[placed{app, at, ofGPU}]; known {
			return numbersOf(at)
		}
	}
	return nil
}

// numbersOf reads a placement.
func numbersOf(placement string) (runs []int) {
	for text := range strings.SplitSeq(placement, "+") {
		n, _ := strconv.Atoi(text)
		runs = append(runs, n)
	}
	return runs
}

// reallocate gives it other GPUs.
func (j *job) reallocate(list []int, wait float64) {
	j.list = list
	if len(list) == 0 {
		return
	}
	j.starts++
	j.wait = wait
	n := float64(len(list))
	j.ofGPU, j.accumulated = j.of.split(float64(j.workloadJob.batch), n, false)
	j.batch = n * j.ofGPU * (j.accumulated + 1)
	j.step = 0 // asked when it trains
	j.goodput = 0
}

// findGoodput finds how fast it is in its epoch, and where that ends.
func (j *job) findGoodput(t testing.TB) {
	if j.step == 0 {
		known := false
		j.step, known = j.batchTime(runsOf(j.list), j.ofGPU, j.accumulated)
		if j.unrounded && !known {
			j.step, known = j.batchTime(j.tables.fewest(j.app, len(j.list), int(j.ofGPU)), j.ofGPU, j.accumulated)
		}
		if !known {
			t.Fatalf("no speed of %s on %v with %v a GPU", j.app, runsOf(j.list), j.ofGPU)
		}
		j.noise = j.tables.noise[key{app: j.app, batch: int(j.batch)}]
	}
	if j.epoch >= len(j.noise) || j.noise[j.epoch] == (pair{}) {
		t.Fatalf("no noise of %s, batch %v, epoch %d", j.app, j.batch, j.epoch)
	}
	j.goodput = gainOf(j.noise[j.epoch], j.batch/j.of.init) / j.step
	j.epochEnd = j.tables.progress[key{app: j.app, epoch: j.epoch + 1}]
}

// gainOf is the gain of a batch that is so many times the first size, by the noise of gradients (sqr, var).
func gainOf(noise pair, times float64) float64 {
	return (noise[1] + noise[0]) / (noise[1]/times + noise[0])
}

// advance lets it train from an instant on, for a number of seconds.
func (j *job) advance(t testing.TB, now, seconds float64) {
	if len(j.list) == 0 {
		return
	}
	waited := min(j.wait, seconds)
	j.wait -= waited
	seconds -= waited
	now += waited
	for seconds > 0 && math.IsNaN(j.finish) {
		if j.goodput == 0 {
			j.findGoodput(t)
		}
		if j.progress+j.goodput*seconds < j.epochEnd {
			j.progress += j.goodput * seconds
			return
		}
		j.epoch++
		took := (j.epochEnd - j.progress) / j.goodput
		if !j.unrounded {
			took = math.RoundToEven(took)
		}
		j.progress = j.epochEnd
		j.goodput = 0
		seconds -= took
		now += took
		if j.epoch > j.tables.lastEpoch[key{app: j.app, batch: int(j.batch)}] {
			j.finish = now
		}
	}
}

// Gang, Work, Weight, Range and the methods of sim.Model make it a job of the world, which never ends by itself.
func (j *job) Gang() int                               { return j.gpus }
func (*job) Work() float64                             { return 1 }
func (*job) Weight() float64                           { return 1 }
func (*job) Begin(*sim.Layout) float64                 { return 0 }
func (*job) Goal(loss float64) float64                 { return 1 - loss }
func (*job) Loss(progress float64) float64             { return 1 - progress }
func (*job) Change(*sim.Change) sim.Pause              { return sim.Pause{} }
func (*job) SaveTime(*sim.Layout) (_, _ time.Duration) { return 0, 0 }
func (j *job) Rate(l *sim.Layout) sim.Rate {
	if l.Total() == 0 {
		return sim.Rate{}
	}
	return sim.Rate{Progress: 1e-30, Working: int32(l.Total())}
}

// resizable is a job that Optimus gives any number of GPUs.
type resizable struct{ *job }

func (r resizable) Gang() int { return 1 }
func (r resizable) Range() (least, most int) {
	if r.app == "ncf" {
		return 1, 1
	}
	return 1, min(int(float64(r.workloadJob.batch)/r.of.leastOfGPU), 64)
}

// predicted is a resizable job as Optimus predicts it: work is batches.
type predicted struct{ resizable }

// Work is what is left to do: the world counts no progress.
func (p predicted) Work() float64 {
	if p.leftAt != p.epoch+1 {
		p.job.leftAt = p.epoch + 1
		p.job.left = 1
		last := p.tables.lastEpoch[key{app: p.app, batch: p.workloadJob.batch}]
		iterations := func(epoch int) float64 { return p.tables.iterations[key{p.app, p.workloadJob.batch, epoch}] }
		if last > p.epoch {
			p.job.left = iterations(last) - iterations(p.epoch)
		}
	}
	return p.left
}

func (p predicted) Rate(l *sim.Layout) sim.Rate {
	n := l.Total()
	if n == 0 {
		return sim.Rate{}
	}
	for len(p.job.seconds) <= n {
		p.job.seconds = append(p.job.seconds, 0)
	}
	if p.job.seconds[n] == 0 {
		var runs []int
		for left := n; left > 0; left -= 4 {
			runs = append(runs, min(left, 4))
		}
		ofGPU, accumulation := p.of.split(float64(p.workloadJob.batch), float64(n), true)
		seconds, known := p.batchTime(runs, ofGPU, accumulation)
		if !known {
			seconds = math.Inf(1)
		}
		p.job.seconds[n] = seconds
	}
	return sim.Rate{Progress: 1 / p.job.seconds[n], Working: int32(n)}
}

// replay runs a policy on the clock of that simulator: it advances the jobs at every tick, and tells the world when one
// is done, just before that second.
type replay struct {
	sim.Policy
	t      testing.TB
	jobs   []*job
	ahead  []job // as they are at the next tick if nothing happens; without a name: not known
	list   []int // scratch
	wait   float64
	ticked float64
	events map[string]string // t/job to nodes, batch of a GPU and accumulation
}

const tick = 60

// Unwrap lets the world find what the policy remembers.
func (r *replay) Unwrap() sim.Policy { return r.Policy }

// Traits are those of the policy.
func (r *replay) Traits() sim.Traits { return sim.TraitsOf(r.Policy) }

func (r *replay) Decide(v sim.View, plan *sim.Plan) {
	now := v.Now().Sub(v.Start()).Seconds()
	isTick := math.Mod(now, tick) == 0 && now > r.ticked
	if isTick {
		r.ticked = now
		for _, j := range v.ActiveJobs() {
			if r.ahead[j].workloadJob.name != "" {
				*r.jobs[j] = r.ahead[j]
			}
		}
	}
	r.Policy.Decide(v, plan)
	for _, j := range v.ActiveJobs() {
		if isTick {
			r.note(plan, j, now)
			r.ahead[j] = *r.jobs[j]
			r.ahead[j].advance(r.t, now, tick)
		}
		r.end(plan, j, now)
	}
}

// note notes what the policy gives a job.
func (r *replay) note(plan *sim.Plan, j int, now float64) {
	x := r.jobs[j]
	r.list = r.list[:0]
	for _, part := range plan.Parts(j) {
		for range part.N {
			r.list = append(r.list, int(part.Pool))
		}
	}
	if slices.Equal(r.list, x.list) {
		return
	}
	list := slices.Clone(r.list)
	x.reallocate(list, r.wait)
	ofGPU := x.ofGPU
	if len(list) == 0 {
		ofGPU = 0 // the simulator keeps the accumulation
	}
	r.events[fmt.Sprintf("%v/%s", now, x.name)] = fmt.Sprintf("%s,%v,%v", join(list, " "), ofGPU, x.accumulated)
}

// end ends a job that is done by the next tick, just before it is.
func (r *replay) end(plan *sim.Plan, j int, now float64) {
	x := r.jobs[j]
	finish := r.ahead[j].finish
	if r.ahead[j].name == "" || math.IsNaN(finish) {
		return
	}
	const before = 1e-6
	if in := finish - before - now; in > before/2 {
		plan.WakeIn(time.Duration(math.Round(in*1e6)) * time.Microsecond)
		return
	}
	x.finish = finish
	plan.Job(j).Done = true
}

// play runs a workload.
func play(t testing.TB, x *tables, of, policy string, wait float64) *replay {
	return playAs(t, x, of, policy, wait, false)
}

// playAs runs a workload, without the rounding of epochs if that is asked for.
func playAs(t testing.TB, x *tables, of, policy string, wait float64, unrounded bool) *replay {
	r := &replay{t: t, wait: wait, events: map[string]string{}}
	optimus := elastic.NewOptimus()
	optimus.Interval = tick * time.Second
	optimus.Placement = elastic.MostFree
	r.Policy = optimus
	if policy == "tiresias" {
		r.Policy = elastic.NewTiresiasTicks()
	}
	var jobs []sim.Job
	for _, w := range x.workloads[of] {
		j := &job{workloadJob: w, tables: x, of: x.apps[w.app], finish: math.NaN(), unrounded: unrounded}
		r.jobs = append(r.jobs, j)
		entry := sim.Job{Name: w.name, Submit: time.Duration(w.submit) * time.Second, Model: j,
			Objective: sim.Objective{Within: sim.NoDeadline}}
		if policy == "optimus" {
			entry.Model = resizable{j}
			entry.Belief = predicted{resizable{j}}
		}
		jobs = append(jobs, entry)
	}
	r.ahead = make([]job, len(jobs))
	var pools []sim.Trace
	for k := range 16 {
		pools = append(pools, sim.Trace{
			Pool:   sim.Pool{Name: fmt.Sprintf("n%02d", k), Region: "r", InstanceType: "gpu", Quota: 4, Reserved: true},
			Prices: []sim.Price{{}},
		})
	}
	m, err := sim.NewMarket(sim.At(1e9), pools)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: r})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	return r
}

// byRun returns the rows of a table by policy, load/workload and wait.
func byRun(rows []map[string]string) map[[3]string][]map[string]string {
	runs := map[[3]string][]map[string]string{}
	for _, r := range rows {
		run := [3]string{r["policy"], r["load"] + "/" + r["workload"], r["wait_s"]}
		runs[run] = append(runs[run], r)
	}
	return runs
}

// Every reallocation and every end of the recorded runs of Tiresias and Optimus is ours, to the second and the node.
func TestRecordedRuns(t *testing.T) {
	x := readTables(t)
	ends := recordedEnds(t)
	compared := [2]int{}
	for run, events := range byRun(table(t, "pollux_events.csv.gz")) {
		r := play(t, x, run[1], run[0], 30)
		if len(events) != len(r.events) || len(ends[run]) != len(r.jobs) {
			t.Errorf("%v: %d reallocations of %d jobs, recorded are %d of %d", run, len(r.events), len(r.jobs), len(events), len(ends[run]))
		}
		for _, e := range events {
			want := e["nodes"] + "," + e["batch_per_gpu"] + "," + e["accumulation"]
			if got := r.events[e["t_s"]+"/"+e["job"]]; got != want {
				t.Fatalf("%v, t = %s, job %s gets %q, recorded is %q", run, e["t_s"], e["job"], got, want)
			}
			compared[0]++
		}
		compared[1] += compareEnds(t, run, r, ends[run])
	}
	t.Logf("%d reallocations and %d ends compared", compared[0], compared[1])
	if compared[0] == 0 || compared[1] == 0 {
		t.Error("nothing was compared")
	}
}

// The same with other waits after a reallocation.
func TestRecordedWaits(t *testing.T) {
	x := readTables(t)
	compared := 0
	for run, rows := range byRun(table(t, "pollux_waits.csv")) {
		r := play(t, x, run[1], run[0], testutil.Number(t, run[2]))
		compared += compareEnds(t, run, r, rows)
		for k, row := range rows {
			if got := r.jobs[k].starts - 1; strconv.Itoa(got) != row["restarts"] {
				t.Fatalf("%v, job %s restarts %d times, recorded is %s", run, row["job"], got, row["restarts"])
			}
		}
	}
	t.Logf("%d ends and restarts compared", compared)
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

func compareEnds(t *testing.T, run [3]string, r *replay, rows []map[string]string) int {
	t.Helper()
	for k, row := range rows {
		if j := r.jobs[k]; j.name != row["job"] || fmt.Sprint(int(j.finish)) != row["finish_s"] {
			t.Fatalf("%v, job %s ends at %v, recorded is %s at %s", run, j.name, j.finish, row["job"], row["finish_s"])
		}
	}
	return len(rows)
}

// All workloads under both policies: once through each iteration.
func BenchmarkRecordedRuns(b *testing.B) {
	x := readTables(b)
	for b.Loop() {
		for of := range x.workloads {
			play(b, x, of, "tiresias", 30)
			play(b, x, of, "optimus", 30)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*2*len(x.workloads)), "ms/run")
}
