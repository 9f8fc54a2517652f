package gym

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	_ "github.com/marigram/marigram/papers/extensions"
)

// openMany returns the environments of a spec of many jobs.
func openMany(t testing.TB, name string, rules Rules) (*Study, error) {
	t.Helper()
	s, err := spec.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	return New(study, rules)
}

const twoServers = `
name: two-servers
market: {servers: [{gpu: a100, gpus: 4, count: 2, usd_per_gpu_h: 0.5}]}
jobs: {trace: jobs.csv}
policies: [{name: fifo}]
`

// Two jobs of four GPUs and one of eight, which is late by an hour.
const threeJobs = `job_id,submit_s,gpus,duration_s,deadline_s
a,0,4,3600,
b,0,4,3600,9000
c,1800,8,3600,1800
`

// Rewards are minus the dollars, the hours of jobs and what lateness costs, worked out by hand; a step waits where the
// action says so.
func TestClusterRewards(t *testing.T) {
	check := near.Count(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"spec.yaml": twoServers, "jobs.csv": threeJobs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, err := openMany(t, filepath.Join(dir, "spec.yaml"), Rules{Step: 30 * time.Minute, LateUSD: 100, LateUSDPerHour: 10, Slots: 3, JobUSDPerHour: 3})
	if err != nil {
		t.Fatal(err)
	}
	e := g.New()
	if err := e.Reset(1, 0); err != nil {
		t.Fatal(err)
	}
	sum, last, steps := 0.0, Outcome{}, 0
	for last.End == Running {
		if last, err = e.Act([]int32{1, 1, 1}); err != nil {
			t.Fatal(err)
		}
		sum += last.Reward
		steps++
	}
	// a and b run for an hour, then c for an hour: it ends 2 h after the start, 1.5 h after its submission, an hour
	// after its deadline.
	if usd, want := last.USD, 0.5*(4+4+8); check.Off(usd, want, 1e-9) || last.End != Late || steps != 4 {
		t.Errorf("%v USD, end %v, %d steps, expected %v USD, late, in 4 steps", usd, last.End, steps, want)
	}
	if want := -(0.5*16 + 3*(1+1+1.5) + 100 + 10*1); check.Off(sum, want, 1e-9) {
		t.Errorf("rewards of %v, expected %v", sum, want)
	}
	if err := e.Reset(1, 0); err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{-3, -4.5 - 4*0.5*0.5, -4.5 - 4*0.5*0.5} { // nobody runs, then a alone, while c is there as well
		x, err := e.Act([][]int32{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}[k])
		if err != nil || check.Off(x.Reward, want, 1e-9) {
			t.Errorf("step %d: reward %v, %v, expected %v", k, x.Reward, err, want)
		}
	}
	for _, bad := range [][]int32{{1, 1}, {1, 1, 2}, {1, 1, -1}, {1, 1, 1, 1}} {
		if _, err := e.Act(bad); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// Observations of a shipped cluster are of as many numbers as there are fields, within their bounds; forks go on alike.
func TestClusterObservations(t *testing.T) {
	g, err := openMany(t, "cluster-gavel", Rules{Step: time.Hour, Events: true, Slots: 5, JobUSDPerHour: 1})
	if err != nil {
		t.Fatal(err)
	}
	fields, e, fork := g.Fields(), g.New(), g.New()
	if err := e.Reset(2, 0); err != nil {
		t.Fatal(err)
	}
	r, ran := rand.New(rand.NewPCG(1, 2)), false
	action := func() (a []int32) {
		for _, x := range g.Actions() {
			a = append(a, int32(r.IntN(x.Choices)))
		}
		return a
	}
	for range 400 {
		x := e.Observe(nil)
		if len(x) != len(fields) || len(x) != g.width {
			t.Fatalf("%d numbers, expected %d", len(x), len(fields))
		}
		for i, f := range fields {
			if !(x[i] >= f.Low && x[i] <= f.High) {
				t.Errorf("%s is %v, expected %v to %v", f.Name, x[i], f.Low, f.High)
			}
		}
		ran = ran || x[2] > 1
		if _, err := e.Act(action()); err != nil {
			t.Fatal(err)
		}
	}
	if !ran {
		t.Error("never two jobs ran")
	}
	if err := e.Fork(fork); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		a := action()
		x, err := e.Act(a)
		if y, too := fork.Act(a); err != nil || too != nil || x != y || !slices.Equal(e.Observe(nil), fork.Observe(nil)) {
			t.Fatalf("a fork under the same actions: %+v and %+v, %v, %v", x, y, err, too)
		}
	}
}

// What makes no sense for a spec is refused.
func TestClusterRules(t *testing.T) {
	for _, x := range []struct {
		spec  string
		rules Rules
		want  string
	}{
		{"cluster-gavel", Rules{Step: time.Hour, Slots: -1}, "-1 slots, expected 1 to 4096"},
		{"cluster-gavel", Rules{Step: time.Hour, Slots: 5000}, "5000 slots"},
		{"cluster-gavel", Rules{Step: time.Hour, JobUSDPerHour: -1}, "a job at -1 USD/h"},
		{"quickstart", Rules{Step: time.Hour, Slots: 4}, "are for many jobs"},
	} {
		if _, err := openMany(t, x.spec, x.rules); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s, %+v: %v, expected %q", x.spec, x.rules, err, x.want)
		}
	}
}
