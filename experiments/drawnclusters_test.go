package experiments

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// drawnCluster is a spec of gangs on a cluster, under a policy that is put in: servers that may fail, spot and
// on-demand pools that may be full, jobs of which some have deadlines. All GPUs are alike, so that a job takes as long
// on any of them.
type drawnCluster struct {
	text, trace        string
	saveEveryS, saveS  float64
	durations, submits []float64
	gpus               []int
	fails, spot        bool
}

// firstDrawn is the first seed of what tests draw. CI draws the same every day; whoever changes what is tested tries
// others.
var firstDrawn = flag.Uint64("drawn", 20261129, "first seed of the clusters and jobs that tests draw")

// drawCluster draws a cluster by a seed.
func drawCluster(seed uint64) drawnCluster {
	r := rand.New(rand.NewPCG(seed, 51))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	var d drawnCluster
	size := []int{1, 2, 4, 8}[r.IntN(4)]
	count := 1 + r.IntN(4)
	total := size * count
	market := fmt.Sprintf("  servers: [{gpu: V100, gpus: %d, count: %d", size, count)
	if d.fails = r.IntN(2) == 0; d.fails {
		market += fmt.Sprintf(", failures: {per_1000_node_days: %d, detect_s: %s, repair: [{mean_h: %d}]}", 500+r.IntN(20000), one("0", "120"), 1+r.IntN(20))
	}
	market += "}]\n"
	if r.IntN(3) > 0 {
		onDemand := r.IntN(total + 2)
		quota := 1 + r.IntN(6)
		d.spot = true
		market += fmt.Sprintf("  synthetic: {regions: 1, zones: %d, machines: %d}\n", 1+r.IntN(2), quota)
		market += fmt.Sprintf("  pools: [{type: p3.2xlarge, quota: %d, gpu: V100, on_demand_quota: %d, on_demand_usd_per_h: 3.06}]\n", quota, onDemand)
		market += fmt.Sprintf("  boot: {median_s: %s, sigma: 0}\n", one("0", "60"))
	}
	gang := fmt.Sprintf("restart_s: %s", one("0", "60", "600"))
	if r.IntN(3) > 0 {
		d.saveEveryS, d.saveS = []float64{300, 1800}[r.IntN(2)], []float64{0, 30, 100}[r.IntN(3)]
		gang += fmt.Sprintf(", save_every_s: %v, save_s: %v", d.saveEveryS, d.saveS)
	}
	d.trace = "job_id,submit_s,gpus,duration_s,deadline_s\n"
	at := 0.0
	for j := range 1 + r.IntN(9) {
		n := 1 + r.IntN(total)
		long := math.Round(600 * math.Exp(3*r.Float64()))
		due := ""
		if r.IntN(2) == 0 {
			due = fmt.Sprint(math.Round(long * (1.1 + 3*r.Float64())))
		}
		d.trace += fmt.Sprintf("job-%d,%v,%d,%v,%s\n", j, at, n, long, due)
		d.durations, d.submits, d.gpus = append(d.durations, long), append(d.submits, at), append(d.gpus, n)
		at += math.Round(2000 * r.ExpFloat64())
	}
	d.text = "name: drawn\nhorizon_s: 600000\nmarket:\n" + market + "model: {gang: {" + gang + "}}\njobs: {trace: jobs.csv}\n"
	return d
}

// gangSchedulers are the names of all schedulers of gangs.
func gangSchedulers() (names []string) {
	for _, p := range policies.List() {
		if p.Needs == policies.Gangs {
			names = append(names, p.Name)
		}
	}
	return names
}

// record runs a drawn cluster under a policy, with what became of every instance.
func (d *drawnCluster) record(t *testing.T, policy string, seed int64) (*results.Set, error) {
	study, err := openCluster(t, d.text+"policies: [{name: "+policy+"}]\n", d.trace)
	if err != nil {
		return nil, err
	}
	return study.Worker().Record(Case{Seed: seed})
}

// partlyHeld returns for how many GPU-hours a job held a part of its gang that it could have given back: GPUs under
// notice go on until they are taken.
func partlyHeld(of []results.Instance, gang int) (hours float64) {
	type change struct {
		at        float64
		all, kept int
	}
	var changes []change
	for _, x := range of {
		changes = append(changes, change{x.GrantedS, 1, 1})
		if x.NoticedS == nil {
			changes = append(changes, change{x.EndS, -1, -1})
		} else {
			changes = append(changes, change{*x.NoticedS, 0, -1}, change{x.EndS, -1, 0})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	all, kept := 0, 0
	for k, c := range changes {
		all += c.all
		kept += c.kept
		if k+1 < len(changes) && kept > 0 && all < gang {
			hours += float64(kept) * (changes[k+1].at - c.at) / 3600
		}
	}
	return hours
}

// isOfOtherClusters reports whether a scheduler is refused because it is not for such a cluster.
func isOfOtherClusters(err error) bool {
	for _, why := range []string{"it would wait for ever", "needs GPUs on demand", "needs the quotas of a cluster"} {
		if strings.Contains(err.Error(), why) {
			return true
		}
	}
	return false
}

// No scheduler has a job hold a part of its gang for longer than a decision, and the hours of every activity are what
// follows from what the jobs did: on drawn clusters, under all schedulers of gangs.
func TestGangsAreWhole(t *testing.T) {
	clusters := testutil.Size(6, 150)
	if testing.Short() {
		clusters = 4
	}
	first := *firstDrawn
	runs := 0
	for k := range clusters {
		seed := first + uint64(k)
		d := drawCluster(seed)
		for _, name := range gangSchedulers() {
			set, err := d.record(t, name, int64(k+1))
			if err != nil && (isOfOtherClusters(err)) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, d.text)
			}
			runs++
			for j := range set.Jobs {
				if h := partlyHeld(instancesOf(set, j), d.gpus[j]); h > 0 {
					t.Errorf("seed %d, %s: job %d held a part of its gang of %d for %v GPU-hours\n%s", seed, name, j, d.gpus[j], h, d.text)
				}
			}
			if err := d.checkActivities(set); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, name, err, d.text)
			}
		}
	}
	if t.Logf("%d runs on %d clusters", runs, clusters); runs < 15*clusters {
		t.Errorf("%d runs on %d clusters", runs, clusters)
	}
}

// instancesOf returns the instances that a job held.
func instancesOf(set *results.Set, job int) (list []results.Instance) {
	for _, x := range set.Instances {
		if x.Job == int64(job) {
			list = append(list, x)
		}
	}
	return list
}

// A gang that loses a machine before it ever trained waits until the failure is seen: nothing is done, so the time is
// none that counts.
func TestDetectionBeforeTrainingIsNotUseful(t *testing.T) {
	const seed, runSeed = 1795923724153070847, 10 // found by TestGangsAreWhole
	d := drawCluster(seed)
	set, err := d.record(t, "las", runSeed)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.checkActivities(set); err != nil {
		t.Error(err)
	}
}

// A job of 10 h that stops for 300 s after every 600 s takes 15 h, of which two thirds are useful.
func TestSavesOfGangsAreCounted(t *testing.T) {
	r := &runCluster(t, `name: saves
market: {servers: [{gpu: V100, gpus: 8, count: 2}]}
model: {gang: {restart_s: 600, save_every_s: 600, save_s: 300}}
jobs: {trace: jobs.csv}
policies: [{name: fifo}]
`, "job_id,submit_s,gpus,duration_s\na,0,16,36000\n").Summaries[0]
	near.Abs(t, "finish_s", *r.FinishS, 54000, 1e-6)
	near.Abs(t, "useful_h", r.UsefulH, 160, 1e-6)
	near.Abs(t, "checkpointing_h", r.CheckpointingH, 80, 1e-6)
	near.Abs(t, "ettr", r.ETTR, 2.0/3, 1e-9)
}

// A job that a scheduler moves from slow GPUs to fast ones is saved by that: a failure soon after takes back what it
// did since, not what is left over a whole number of the saves that it would have made on fast ones from the start.
func TestSavesCountFromWhereTrainingWentOn(t *testing.T) {
	var model sim.GangModel = &throughput.Gang{GPUs: 1, Total: 1000, Speeds: []float64{1, 3}, SaveEvery: 100 * time.Second}
	m, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "slow", Quota: 1}, Prices: []sim.Price{{USD: 1}}},
		{Pool: sim.Pool{Name: "fast", Quota: 1}, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 1}, {At: sim.At(295), N: 0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: mover{}, Horizon: 1e6 * time.Second,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	x := &w.Run().Jobs[0]
	// 250 s on slow GPUs are 250, saved by the move; 45 s on fast ones are 135, lost at 295 s. From then on 750 are
	// left, at 1 a second.
	near.Abs(t, "elapsed", x.Elapsed.Seconds(), 295+750, 1e-3)
	near.Abs(t, "lost", x.Activities[sim.Redone].Seconds(), 45, 1e-3)
	near.Abs(t, "useful", x.Activities[sim.Useful].Seconds(), 1000, 1e-3)
}

// mover has the job on slow GPUs, from 250 s on fast ones, and back when they are gone.
type mover struct{}

func (mover) Name() string { return "mover" }

func (mover) Decide(v sim.View, plan *sim.Plan) {
	at := 0
	if now := v.Now().Sub(0).Seconds(); now < 250 {
		plan.WakeIn(250 * time.Second)
	} else if now < 295 {
		at = 1
	}
	plan.Stop(0)
	plan.Place(0, at, 1)
}

// checkActivities compares the hours of each activity with what follows from the instances, the saves and the work that
// was done.
func (d *drawnCluster) checkActivities(set *results.Set) error {
	r := &set.Summaries[0]
	var errs []error
	off := func(a, b float64) bool { return !near.Is(a, b, 1e-6*max(1, math.Abs(b))) } // instances are written in seconds
	all, useful, lost := 0.0, 0.0, 0.0
	for j, x := range set.Jobs {
		held := 0.0
		for _, i := range instancesOf(set, j) {
			held += (i.EndS - i.GrantedS) / 3600
		}
		if off(*x.GPUH, held) {
			errs = append(errs, fmt.Errorf("job %d: gpu_h %v, its instances were there for %v h", j, *x.GPUH, held))
		}
		if want := x.Done * d.durations[j] * float64(d.gpus[j]) / 3600; off(*x.UsefulH, want) {
			errs = append(errs, fmt.Errorf("job %d: useful_gpu_h %v, what it has done takes %v h without saves and losses", j, *x.UsefulH, want))
		}
		all, useful, lost = all+held, useful+*x.UsefulH, lost+*x.LostH
	}
	saving := 0.0
	if d.saveEveryS > 0 {
		saving = (useful + lost) * d.saveS / d.saveEveryS
	}
	switch {
	case off(r.InstanceH, all):
		errs = append(errs, fmt.Errorf("instance_h %v, instances were there for %v h", r.InstanceH, all))
	case off(r.CheckpointingH, saving):
		errs = append(errs, fmt.Errorf("checkpointing_h %v, the saves take %v h", r.CheckpointingH, saving))
	case off(r.UsefulH, useful) || off(r.LostH, lost):
		errs = append(errs, fmt.Errorf("useful_h %v and lost_h %v, of the jobs %v and %v", r.UsefulH, r.LostH, useful, lost))
	case off(r.UsefulH+r.CheckpointingH+r.RestoringH+r.ReconfiguringH+r.LostH+r.WaitingH+r.StartingH, all):
		errs = append(errs, fmt.Errorf("the activities add up to another time than the %v h of the instances", all))
	}
	return errors.Join(errs...)
}
