package safe_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

var (
	cellCases = flag.Int("cells", 0, "markets and jobs that are drawn for each cell of TestRegretByCell, each with four deadlines; "+
		"0: one, and only for cells where spot cannot pay")
	onlyCell = flag.String("cell", "", "only the cell of this name")
	cellRuns = flag.Bool("cell-runs", false, "prints each run of TestRegretByCell")
)

// cell is a kind of job, of billing and of spot.
type cell struct {
	kind     string
	slow     bool // it restarts and changes slowly
	hourly   bool // instances are billed by the hour
	capacity string
}

func (c cell) String() string {
	name := c.kind
	if c.slow {
		name += ", slow restarts"
	}
	if c.hourly {
		name += ", by the hour"
	}
	return name + ", spot " + c.capacity
}

// hopeless reports whether spot cannot pay in a cell: it never comes, or goes before a job that starts slowly has
// trained.
func (c cell) hopeless() bool { return c.capacity == "never" || c.capacity == "bursts" && c.slow }

// cells lists the grid.
func cells() (all []cell) {
	for _, kind := range []string{"asp", "bsp", "ssp", "flexible", "backup", "data-parallel", "pipelines"} {
		for _, capacity := range []string{"never", "bursts", "rare", "late", "often"} {
			for _, hourly := range []bool{false, true} {
				all = append(all, cell{kind, false, hourly, capacity})
				if kind == "data-parallel" || kind == "pipelines" {
					all = append(all, cell{kind, true, hourly, capacity})
				}
			}
		}
	}
	return all
}

// paid is what runs of safe forms cost, over the best plan on demand: with the boot bound of the safe form, and with
// that of ondemand.
type paid struct {
	sure  []float64
	usual []float64
	late  int
}

// draw adds the runs of one job and market of a cell, with four deadlines.
func (x *paid) draw(t *testing.T, c cell, seed uint64) {
	t.Helper()
	d := dice{Rand: sim.Rand{Seed: seed}, n: new(uint64), kind: c.kind, capacity: c.capacity, slow: c.slow}
	name := ""
	types, makeJob, bases := d.job(t, &name)
	m := d.pools(t, types, 1, &name)
	job := makeJob(m)
	rules := sim.PerSecond()
	if c.hourly {
		rules = sim.Billing{Increment: time.Hour}
	}
	job.Objective.Within = time.Second
	soonest, _, _ := runBilled(t, ondemand.New(), m, job, rules, seed)
	with := "safe:" + pick(d, bases...)
	for quarter := range 4 {
		n := 10*quarter + d.of(10)
		job.Objective.Within = within(soonest.Elapsed, n)
		_, usual, _ := runBilled(t, ondemand.New(), m, job, rules, seed)
		best := ondemand.New()
		best.Share = 0.999
		alone, sure, _ := runBilled(t, best, m, job, rules, seed)
		p, err := policies.New(with)
		if err != nil {
			t.Fatal(err)
		}
		r, usd, boots := runBilled(t, p, m, job, rules, seed)
		if alone.Elapsed <= job.Objective.Within && !(r.Finished && r.Elapsed <= job.Objective.Within) && !boots.beyond() {
			x.late++
			t.Errorf("%v, seed %d (%s): %s ends after %v of %v", c, seed, name, with, r.Elapsed, job.Objective.Within)
		}
		x.sure = append(x.sure, usd/sure)
		x.usual = append(x.usual, usd/usual)
		if *cellRuns {
			t.Logf("%v: seed %d, deadline %d: %s %.3f of %.2f USD (%s)", c, seed, n, with, usd/sure, sure, name)
		}
	}
}

// What waiting for spot and trying it costs, by cell: the safe form over the best plan on demand alone. Where spot
// cannot pay, this is at most the share regret more in the mean.
func TestRegretByCell(t *testing.T) {
	var hopeless []float64
	runs := 0
	late := 0
	for k, c := range cells() {
		if *onlyCell != "" && *onlyCell != c.String() || *cellCases == 0 && !c.hopeless() {
			continue
		}
		var x paid
		for i := range max(*cellCases, 1) {
			x.draw(t, c, *promiseSeed*1_000_003+uint64(1000*k+i))
		}
		runs += len(x.sure)
		late += x.late
		mean := stat.Mean(x.sure, nil)
		t.Logf("%-54v mean %.3f, at most %.3f; over ondemand with its own boot_share %.3f (%d runs)", c, mean, slices.Max(x.sure),
			stat.Mean(x.usual, nil), len(x.sure))
		if !c.hopeless() {
			continue
		}
		hopeless = append(hopeless, x.sure...)
		if *cellCases > 0 && !(mean <= 1.05) {
			t.Errorf("%v: %.3f of on demand alone, at most 1.05 are promised in the mean", c, mean)
		}
	}
	if mean := stat.Mean(hopeless, nil); len(hopeless) > 0 && !(mean <= 1.05) {
		t.Errorf("where spot cannot pay: %.3f of on demand alone, at most 1.05 are promised in the mean", mean)
	}
	t.Logf("%d runs, %d late", runs, late)
}

// On demand alone saves nothing, also where the base would: this job takes a minute less than three hours there, and
// with two saves it would be billed for four.
func TestNoSavesOnDemand(t *testing.T) {
	var x paid
	x.draw(t, cell{"pipelines", true, true, "bursts"}, 5001015)
	if most := slices.Max(x.sure); most > 1.001 {
		t.Errorf("%.3f of on demand alone, expected the same", most)
	}
}
