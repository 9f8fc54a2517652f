package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// resizableJob is a drawn job whose number of GPUs may change.
type resizableJob struct {
	gpus, least, most int
	durationS         float64
}

// drawnResizing is a spec of such jobs on servers that may fail and in spot pools that may be full. A pause takes as
// long for a resize as for a restart, and nothing is lost.
type drawnResizing struct {
	text, trace string
	jobs        []resizableJob
	pauseS      float64

	serverGPUs, quota int // of each server, of each spot pool
}

// resizingSpeed is how fast a drawn job is on n GPUs.
func resizingSpeed(n int) float64 { return math.Round(1000*math.Pow(float64(n), 0.8)) / 1000 }

// drawResizing draws jobs and a cluster by a seed.
func drawResizing(seed uint64) drawnResizing {
	r := rand.New(rand.NewPCG(seed, 52))
	size := []int{1, 2, 4, 8}[r.IntN(4)]
	count := 1 + r.IntN(4)
	d := drawnResizing{pauseS: []float64{0, 45, 600}[r.IntN(3)], serverGPUs: size}
	market := fmt.Sprintf("  servers: [{gpu: V100, gpus: %d, count: %d", size, count)
	if r.IntN(2) == 0 {
		market += fmt.Sprintf(", failures: {per_1000_node_days: %d, repair: [{mean_h: %d}]}", 500+r.IntN(20000), 1+r.IntN(9))
	}
	market += "}]\n"
	if r.IntN(2) == 0 {
		d.quota = 1 + r.IntN(6)
		market += fmt.Sprintf("  synthetic: {regions: 1, zones: %d, machines: %d}\n", 1+r.IntN(2), d.quota)
		market += fmt.Sprintf("  pools: [{type: p3.2xlarge, quota: %d, gpu: V100, on_demand_usd_per_h: 3}]\n  boot: {median_s: 0, sigma: 0}\n", d.quota)
	}
	d.trace = "job_id,submit_s,gpus,min_gpus,max_gpus,duration_s,kind\n"
	at := 0.0
	for j := range 1 + r.IntN(12) {
		job := resizableJob{gpus: 1 + r.IntN(size*count), durationS: math.Round(600 * math.Exp(3*r.Float64()))}
		job.least = 1 + r.IntN(job.gpus)
		job.most = job.gpus + r.IntN(8)
		d.jobs = append(d.jobs, job)
		d.trace += fmt.Sprintf("job-%d,%v,%d,%d,%d,%v,a\n", j, at, job.gpus, job.least, job.most, job.durationS)
		at += math.Round(2000 * r.ExpFloat64())
	}
	d.text = fmt.Sprintf("name: drawn\nhorizon_s: 600000\nmarket:\n%smodel: {gang: {speeds: speeds.csv, duration_on: V100, "+
		"restart_s: %v}}\njobs: {trace: jobs.csv}\n", market, d.pauseS)
	return d
}

// held is what a job holds of each pool from an instant on.
type held struct {
	at    float64
	pools map[string]int
	kept  int  // of these, not under notice
	lost  bool // the cloud took some then
}

// heldBy returns what a job held, in the order of time.
func heldBy(instances []results.Instance) (out []held) {
	var at []float64
	for _, x := range instances {
		at = append(at, x.GrantedS, x.EndS)
		if x.NoticedS != nil {
			at = append(at, *x.NoticedS)
		}
	}
	slices.Sort(at)
	for _, now := range slices.Compact(at) {
		h := held{at: now, pools: map[string]int{}}
		for _, x := range instances {
			if x.GrantedS <= now && now < x.EndS {
				h.pools[x.Pool]++
				if x.NoticedS == nil || now < *x.NoticedS {
					h.kept++
				}
			}
			h.lost = h.lost || x.EndS == now && (x.End == results.Revoked || x.End == results.Failed)
		}
		out = append(out, h)
	}
	return out
}

func (h held) gpus() (n int) {
	for _, of := range h.pools {
		n += of
	}
	return n
}

// workOf is the work that a job does on what it holds, at whose changes it pauses.
func (d *drawnResizing) workOf(job resizableJob, of []held) (work float64) {
	var last map[string]int // on which it trained last
	resumes := 0.0
	for k, h := range of[:max(len(of)-1, 0)] {
		n := h.gpus()
		if n < job.least || n > job.most {
			continue
		}
		if last != nil && (fmt.Sprint(last) != fmt.Sprint(h.pools) || h.lost || of[k-1].gpus() == 0) {
			resumes = h.at + d.pauseS
		}
		last = h.pools
		work += resizingSpeed(n) * max(of[k+1].at-max(h.at, resumes), 0)
	}
	return work
}

// Under every scheduler that resizes jobs, on drawn clusters: no GPU is used twice, a job has none or a number on which
// it trains, and what it does on them is its work.
func TestDrawnResizing(t *testing.T) {
	speeds := "kind,gpus,V100\n"
	for n := 1; n <= 64; n++ {
		speeds += fmt.Sprintf("a,%d,%v\n", n, resizingSpeed(n))
	}
	resizes := int64(0)
	for seed := *firstDrawn; seed < *firstDrawn+25; seed++ {
		d := drawResizing(seed)
		for _, policy := range []string{"optimus", "elastic-fair", "srtf-elastic", "ray-fifo", "pollux-like", "tiresias-ticks"} {
			study, err := openResizing(t, d.text+"policies: [{name: "+policy+"}]\n", d.trace, speeds)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s%s", seed, err, d.text, d.trace)
			}
			set, err := study.Worker().Record(Case{Seed: int64(seed)})
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range d.wrong(set, policy == "tiresias-ticks") {
				t.Errorf("seed %d, %s: %s", seed, policy, wrong)
			}
			for i := range set.Jobs {
				resizes += set.Jobs[i].Resizes
			}
		}
		if t.Failed() {
			t.Fatalf("%s%s", d.text, d.trace)
		}
	}
	if resizes < 400 {
		t.Errorf("%d resizes are too few to say something", resizes)
	}
}

// wrong says what cannot be in a run.
func (d *drawnResizing) wrong(set *results.Set, rigid bool) (texts []string) {
	texts = d.overfull(set)
	for j, job := range d.jobs {
		row := &set.Jobs[j]
		own := slices.DeleteFunc(slices.Clone(set.Instances), func(x results.Instance) bool { return x.Job != row.Number })
		of := heldBy(own)
		most := job.most
		if rigid {
			most = job.gpus
		}
		for k, h := range of {
			if n := h.kept; n != 0 && (n < job.least || n > most) && k+1 < len(of) {
				texts = append(texts, fmt.Sprintf("%s has %d GPUs at %v s, of %d to %d", row.ID, n, h.at, job.least, most))
			}
		}
		want := row.Done * job.durationS * resizingSpeed(job.gpus)
		if did := d.workOf(job, of); !near.Is(did, want, 1e-2) {
			texts = append(texts, fmt.Sprintf("%s does %v of %v", row.ID, did, want))
		}
	}
	return texts
}

// overfull names the times at which more GPUs of a pool are held than it has.
func (d *drawnResizing) overfull(set *results.Set) (texts []string) {
	byPool := map[string][]results.Instance{}
	for _, x := range set.Instances {
		byPool[x.Pool] = append(byPool[x.Pool], x)
	}
	for pool, instances := range byPool {
		size := d.quota
		if strings.HasPrefix(pool, "V100-") {
			size = d.serverGPUs
		}
		for _, h := range heldBy(instances) {
			if n := h.gpus(); n > size {
				texts = append(texts, fmt.Sprintf("%d GPUs of %s are held at %v s, of %d", n, pool, h.at, size))
			}
		}
	}
	return texts
}
