package policies_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// tempted tries all that a plan can say, as a function of the instant and its seed: a
// search for what comes out cheaper than it should.
type tempted struct {
	sim.Rand
	restless float64 // probability of a change at a decision
	flat     bool    // it never lays pipelines out
}

func (tempted) Name() string { return "tempted" }

func (w tempted) Decide(v sim.View, plan *sim.Plan) {
	draw := func(k int) float64 {
		return w.Uniform(sim.PurposeUser, uint64(v.Now()), uint64(2*k)+uint64(v.Trigger()/sim.TriggerAgain))
	}
	change := func(k int) bool { return draw(k) < w.restless }
	plan.WakeIn(time.Duration(1 + 600e9*draw(0)*draw(1)))
	p := &plan.Jobs[0]
	p.Save, p.Refill, p.Drain, p.Restart = draw(2) < 0.2, draw(3) < 0.3, change(4), change(5)
	if change(6) {
		p.Servers = int(3 * draw(7))
	}
	if change(8) {
		p.Workers = int(4 * draw(9))
	}
	if change(10) {
		p.Pipelines, p.Stages = int(5*draw(11)), int(4*draw(12))
	}
	if w.flat {
		p.Pipelines, p.Stages = 0, 0
	} else if m, ok := v.Job(0).Model().(sim.PipelineModel); ok && draw(13) < 0.5 {
		p.Pipelines, p.Stages = m.Best(v.Job(0).Layout().Total())
	}
	for k := range p.Hold {
		if change(20 + k) {
			p.Hold[k] = int(draw(40+k) * float64(v.Pool(k).Quota+1))
		}
	}
	if draw(14) < 0.1*w.restless {
		clear(p.Hold)
	}
	if v.Trigger()&sim.TriggerAgain == 0 && draw(15) < 0.2 {
		plan.AskAgain()
	}
}

// audited is a job, and who holds what it has trained.
type audited struct {
	job              sim.Job
	workers, servers bool          // the ready instances; the parameter servers
	restart          time.Duration // before a job that nobody holds any more goes on
}

// audit keeps what was held in a run, and what the plan said of servers and saves.
type audit struct {
	spans []sim.Span
	plans []auditedPlan
}

type auditedPlan struct {
	at      sim.Time
	servers int
	save    bool
}

// Decision implements sim.Recorder.
func (a *audit) Decision(v sim.View, plan *sim.Plan, _ bool) {
	a.plans = append(a.plans, auditedPlan{v.Now(), plan.Jobs[0].Servers, plan.Jobs[0].Save})
}

// Span implements sim.Recorder.
func (a *audit) Span(s *sim.Span) {
	c := *s
	c.Pools, c.Jobs = slices.Clone(s.Pools), slices.Clone(s.Jobs)
	a.spans = append(a.spans, c)
}

// check follows the run from what is paid for alone: the most that it can have trained
// and the least that it can have cost.
func (a *audit) check(x *audited, billed float64) error {
	servers := x.job.ParameterServers
	most := x.job.Model.Begin(&sim.Layout{Workers: make([]int32, len(a.spans[0].Pools)), Servers: 1})
	saved, usd, begun, gone, idle := most, 0.0, false, false, sim.Time(0)
	for _, s := range a.spans {
		for len(a.plans) > 0 && a.plans[0].at <= s.From {
			servers = a.plans[0].servers
			if a.plans[0].save {
				saved = max(saved, most)
			}
			a.plans = a.plans[1:]
		}
		n, hours := 0, s.To.Sub(s.From).Hours()
		usd += hours * float64(servers) * x.job.ParameterServerPrice
		for _, p := range s.Pools {
			n += p.Ready + p.Noticed
			usd += hours * float64(p.Starting+p.Ready+p.Noticed) * p.Price
		}
		switch held := x.workers && n > 0 || x.servers && servers > 0; {
		case begun && !held:
			gone, most = true, saved
		case gone && n > 0:
			gone, idle = false, s.From.Add(x.restart)
		}
		if !gone {
			most += x.pace(int32(servers), &s) * max(s.To.Sub(max(s.From, idle)), 0).Seconds()
		}
		progress := -1.0
		if loss := s.Jobs[0].Loss; !math.IsInf(loss, 1) {
			begun, progress = true, x.job.Model.Goal(loss)
		}
		if s.Jobs[0].Activity == sim.Checkpointing {
			saved = most
		}
		if s.Jobs[0].Rate > 0 && progress > most*(1+1e-9)+1e-6 { // what is lost is taken when training goes on
			return fmt.Errorf("after %v: progress %v, what is held can have made %v", s.To.Sub(0), progress, most)
		}
		if s.USD < usd*(1-1e-9)-1e-9 {
			return fmt.Errorf("after %v: %v USD, what is held costs %v", s.To.Sub(0), s.USD, usd)
		}
	}
	if billed < usd*(1-1e-9)-1e-9 {
		return fmt.Errorf("the bill is %v USD, what was held costs %v", billed, usd)
	}
	return nil
}

// pace is the fastest that the job can train in a span: those under notice may be ready
// or not.
func (x *audited) pace(servers int32, s *sim.Span) float64 {
	l := sim.Layout{Servers: servers}
	for _, p := range s.Pools {
		l.Workers = append(l.Workers, int32(p.Ready))
	}
	best := 0.0
	for {
		best = max(best, x.rate(&l))
		p := 0
		for ; p < len(l.Workers) && l.Workers[p] == int32(s.Pools[p].Ready+s.Pools[p].Noticed); p++ {
			l.Workers[p] = int32(s.Pools[p].Ready)
		}
		if p == len(l.Workers) {
			return best
		}
		l.Workers[p]++
	}
}

// rate is that of the fastest layout on some workers, of which each may cover for another.
func (x *audited) rate(l *sim.Layout) float64 {
	l.Pipelines, l.Stages, l.Holes = 0, 0, 0
	best := x.job.Model.Rate(l).Progress
	if m, piped := x.job.Model.(sim.PipelineModel); piped {
		n := l.Total()
		for k := 1; k <= 2*n; k++ {
			d, s := m.Best(k)
			l.Pipelines, l.Stages, l.Holes = int32(d), int32(s), int32(max(d*s-n, 0))
			best = max(best, x.job.Model.Rate(l).Progress)
		}
	}
	return best
}

// auditedJobs are jobs of each kind of model, for the market of simtest.
func auditedJobs(t testing.TB) map[string]audited {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.BeginLoss = 4.6
	small, large := "g4dn.4xlarge", "p3.2xlarge"
	asp, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{small, small, small, large, large, large})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]audited{
		"servers": {job: sim.Job{Model: asp, Objective: sim.Objective{Loss: 0.52, Within: time.Hour}, ParameterServers: 1,
			ParameterServerPrice: 0.192}, servers: true},
		"data-parallel": {job: dataParallel(1)[0], workers: true, restart: 2 * time.Minute},
	}
	for name, needs := range map[string]policies.Needs{"restarting": policies.RestartingPipelines, "covered": policies.CoveredPipelines,
		"replicated": policies.ReplicatedPipelines, "migrating": policies.MigratingPipelines} {
		x := audited{job: inPipelines(needs)(1)[0], workers: true, restart: 70 * time.Second}
		if needs == policies.MigratingPipelines {
			x.servers, x.restart = true, 0
		}
		out[name] = x
	}
	return out
}

// runAudit runs one policy on one market and returns what was too cheap.
func runAudit(x *audited, seed uint64) error {
	a := &audit{}
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 8*time.Hour, sim.Never), Jobs: []sim.Job{x.job}, Seed: seed,
		Policy: tempted{sim.Rand{Seed: seed}, 0.01 + float64(seed%10)/20, seed%3 == 0}, Billing: sim.PerSecond(), Recorder: a})
	if err != nil {
		return err
	}
	return a.check(x, w.Run().Bill.Total())
}

// Whatever a policy says, it gets no more training than what it holds and pays for can do.
func TestNothingIsCheaperThanItShouldBe(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	for name, job := range auditedJobs(t) {
		for seed := range seeds {
			if err := runAudit(&job, seed); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				break
			}
		}
	}
}

func FuzzNothingIsCheaperThanItShouldBe(f *testing.F) {
	jobs := auditedJobs(f)
	names := slices.Sorted(maps.Keys(jobs))
	f.Add(uint64(1), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8) {
		name := names[int(kind)%len(names)]
		job := jobs[name]
		if err := runAudit(&job, seed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
}
