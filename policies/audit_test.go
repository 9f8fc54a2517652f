package policies_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// tempted tries all that a plan can say, as a function of the instant and its seed: a
// search for what comes out cheaper than it should.
type tempted struct {
	sim.Rand
	changing float64 // probability of a change at a decision
	flat     bool    // it never lays pipelines out
}

func (tempted) Name() string { return "tempted" }

func (w tempted) Decide(v sim.View, plan *sim.Plan) {
	draw := func(k int) float64 {
		return w.Uniform(sim.PurposeUser, uint64(v.Now()), uint64(2*k)+uint64(v.Trigger()/sim.TriggerAgain))
	}
	plan.WakeIn(time.Duration(1 + 600e9*draw(0)*draw(1)))
	for _, j := range v.ActiveJobs() {
		w.plan(v, &plan.Jobs[j], j, func(k int) float64 { return draw(k + 100*j) })
	}
	if v.Trigger()&sim.TriggerAgain == 0 && draw(15) < 0.2 {
		plan.AskAgain()
	}
}

// plan changes the plan of job j.
func (w tempted) plan(v sim.View, p *sim.JobPlan, j int, draw func(k int) float64) {
	change := func(k int) bool { return draw(k) < w.changing }
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
	} else if m, ok := v.Job(j).Model().(sim.PipelineModel); ok && draw(13) < 0.5 {
		p.Pipelines, p.Stages = m.Best(v.Job(j).Layout().Total())
	}
	for k := range p.Hold {
		if change(20 + k) {
			p.Hold[k] = int(draw(40+k) * float64(v.Pool(k).Quota+1))
		}
	}
	if draw(14) < 0.1*w.changing {
		clear(p.Hold)
	}
}

// audited is a job, and who holds what it has trained.
type audited struct {
	job              sim.Job
	workers, servers bool          // the ready instances; the parameter servers
	restart          time.Duration // before a job that nobody holds any more goes on
	planned          bool          // training begins where what is asked for says, by its number alone
}

// audit keeps what was held in a run, by which job, and what the plan said of servers and saves.
type audit struct {
	spans  []sim.Span
	plans  []auditedPlan
	events []auditedEvent
}

type auditedPlan struct {
	at   sim.Time
	jobs []sim.JobPlan
}

type auditedEvent struct {
	at      sim.Time
	j, p, n int
	what    sim.InstanceEvent
}

// Decision implements sim.Recorder.
func (a *audit) Decision(v sim.View, plan *sim.Plan, _ bool) {
	p := auditedPlan{v.Now(), slices.Clone(plan.Jobs)}
	for j := range p.jobs {
		p.jobs[j].Hold = slices.Clone(p.jobs[j].Hold)
	}
	a.plans = append(a.plans, p)
}

// Span implements sim.Recorder.
func (a *audit) Span(s *sim.Span) {
	c := *s
	c.Pools, c.Jobs = slices.Clone(s.Pools), slices.Clone(s.Jobs)
	a.spans = append(a.spans, c)
}

// Instance implements sim.InstanceRecorder.
func (a *audit) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	a.events = append(a.events, auditedEvent{now, j, p, n, what})
}

// Outage implements sim.InstanceRecorder.
func (*audit) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}

// check follows job j of the run from what it holds alone: the most that it can have trained.
func (a *audit) check(x *audited, j int, shared bool) error {
	servers := x.job.ParameterServers
	largest := x.job.Model.Begin(&sim.Layout{Workers: make([]int32, len(a.spans[0].Pools)), Servers: 1})
	saved, begun, gone, idle := largest, false, false, sim.Time(0)
	plans, held := a.plans, newHoldings(a.events, j, len(a.spans[0].Pools))
	setUp := setUp{x: x, j: j, plans: a.plans, shared: shared}
	for _, s := range a.spans {
		for len(plans) > 0 && plans[0].at <= s.From {
			servers = plans[0].jobs[j].Servers
			if plans[0].jobs[j].Save {
				saved = max(saved, largest)
			}
			plans = plans[1:]
		}
		n := held.until(s.From)
		if x.planned {
			more := setUp.gain(&s, held)
			largest, saved = largest+more, saved+more
		}
		switch holds := x.workers && n > 0 || x.servers && servers > 0; {
		case begun && !holds:
			gone, largest = true, saved
		case gone && n > 0:
			gone, idle = false, s.From.Add(x.restart)
		}
		if !gone {
			largest += x.pace(int32(servers), held) * max(s.To.Sub(max(s.From, idle)), 0).Seconds()
		}
		progress := -1.0
		if loss := s.Jobs[j].Loss; !math.IsInf(loss, 1) {
			begun, progress = true, x.job.Model.Goal(loss)
		}
		if s.Jobs[j].Activity == sim.Checkpointing {
			saved = largest
		}
		if s.Jobs[j].Rate > 0 && !(progress <= largest*(1+1e-9)+1e-6) { // what is lost is taken when training goes on
			return fmt.Errorf("job %d after %v: progress %v, what is held can have made %v", j, s.To.Sub(0), progress, largest)
		}
	}
	return nil
}

// setUp follows for how many instances the training of a job is set up.
type setUp struct {
	x      *audited
	j      int
	plans  []auditedPlan
	shared bool // with another job, or quotas over several pools
	begun  bool
	few    int // announced, until it trains on more
	asked  int // at least, once there were more
	begins float64
}

// gain returns by how much further training may have begun than was thought before a span:
// less where it trains on more than was announced.
func (u *setUp) gain(s *sim.Span, held *holdings) float64 {
	ready := 0 // without those under notice, which may have left the layout
	for _, n := range held.ready {
		ready += int(n)
	}
	train := max(held.total(), held.peak) // some may have been given back at once
	for len(u.plans) > 1 && u.plans[1].at < s.From {
		u.plans = u.plans[1:]
	}
	asked, announced, few, all := math.MaxInt, math.MaxInt, 0, true // of the plans that may have been in force
	for i := range u.plans {
		if p := &u.plans[i].jobs[u.j]; u.plans[i].at <= s.From {
			asked, few, all = min(asked, p.Total()), max(few, p.Workers), all && p.Workers > 0
			if p.Workers > 0 {
				announced = min(announced, p.Workers)
			}
		}
	}
	if !all {
		few = 0
	}
	for _, p := range s.Pools {
		asked -= p.Noticed // they are part of the quota
	}
	if asked = max(asked, ready, 1); u.shared {
		asked, few = 1, 0 // quotas leave less than what is asked for
	}
	switch begun := !math.IsInf(s.Jobs[u.j].Loss, 1); {
	case begun && !u.begun:
		u.begun, u.few, u.asked = true, few, asked
		u.begins = u.begin(min(asked, announced))
		return u.begins
	case u.few > 0 && train > u.few:
		if u.asked = min(u.asked, asked); s.Jobs[u.j].Rate == 0 || ready <= u.few {
			break // it may have trained at an instant before this span
		}
		u.few = 0
		return min(u.begin(max(u.asked/2, 1))-u.begins, 0) // quotas may leave less than what is asked for
	}
	return 0
}

// begin is where training begins that is set up for n instances.
func (u *setUp) begin(n int) float64 {
	return u.x.job.Model.Begin(&sim.Layout{Workers: []int32{int32(n)}, Servers: 1})
}

// holdings are the instances that a job has that can train, by pool.
type holdings struct {
	events         []auditedEvent // that are still to come
	ready, noticed []int32
	peak           int                          // the most that could train at the last instant at which that changed
	states         map[[2]int]sim.InstanceEvent // of starting and ready instances
}

// newHoldings are those of job j, at first.
func newHoldings(events []auditedEvent, j, pools int) *holdings {
	h := &holdings{ready: make([]int32, pools), noticed: make([]int32, pools), states: map[[2]int]sim.InstanceEvent{}}
	for _, e := range events {
		if e.j == j {
			h.events = append(h.events, e)
		}
	}
	return h
}

// until goes on to an instant, and returns how many instances there are then that can train.
func (h *holdings) until(at sim.Time) (n int) {
	h.peak = 0
	for ; len(h.events) > 0 && h.events[0].at <= at; h.events = h.events[1:] {
		e := &h.events[0]
		key := [2]int{e.p, e.n}
		switch was := h.states[key]; e.what {
		case sim.InstanceReady:
			h.peak = max(h.peak, h.total()+1)
			if was == sim.InstanceNoticed {
				h.noticed[e.p]++
				h.states[key] = noticedReady
			} else {
				h.ready[e.p]++
				h.states[key] = sim.InstanceReady
			}
		case sim.InstanceNoticed:
			h.states[key] = sim.InstanceNoticed
			if was == sim.InstanceReady {
				h.ready[e.p]--
				h.noticed[e.p]++
				h.states[key] = noticedReady
			}
		case sim.InstanceRevoked, sim.InstanceReleased:
			switch was {
			case sim.InstanceReady:
				h.ready[e.p]--
			case noticedReady:
				h.noticed[e.p]--
			}
			delete(h.states, key)
		}
	}
	return h.total()
}

func (h *holdings) total() (n int) {
	for p := range h.ready {
		n += int(h.ready[p] + h.noticed[p])
	}
	return n
}

// noticedReady is the state of an instance under notice that can train.
const noticedReady = sim.InstanceEvent(99)

// pace is the fastest that the job can train: what is under notice may have left the layout.
func (x *audited) pace(servers int32, h *holdings) float64 {
	l := sim.Layout{Servers: servers, Workers: slices.Clone(h.ready)}
	best := 0.0
	for {
		best = max(best, x.rate(&l))
		p := 0
		for ; p < len(l.Workers) && l.Workers[p] == h.ready[p]+h.noticed[p]; p++ {
			l.Workers[p] = h.ready[p]
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
	coef.BeginLoss = 0
	planned, err := ps.NewASP(profile, coef, ps.FormFigures, []string{small, small, small, small, small, small})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]audited{
		"planned": {job: sim.Job{Model: planned, Objective: sim.Objective{Loss: 0.52, Within: time.Hour}, ParameterServers: 1,
			ParameterServerPrice: 0.192}, servers: true, planned: true},
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
	a, world := &audit{}, worldOf(seed)
	jobs := []sim.Job{x.job}
	if world.jobs == 2 {
		jobs = append(jobs, x.job)
		jobs[1].Submit = secondJob
	}
	w, err := sim.New(sim.Config{Market: world.market, Jobs: jobs, Seed: seed, Billing: world.billing, Moves: world.moves, Recorder: a,
		Policy: tempted{sim.Rand{Seed: seed}, 0.01 + float64(seed%10)/20, seed%3 == 0}})
	if err != nil {
		return err
	}
	t := w.Run()
	for j := range jobs {
		if err := a.check(x, j, len(jobs) > 1 || world.market.Limits() != nil); err != nil {
			return err
		}
	}
	return world.check(a, x, t)
}

// With -args -audits 20000 n random policies look for what is cheaper than it should be, on each kind of job.
var audits = flag.Uint64("audits", 10, "seeds of policies that try everything, for each kind of job")

// Whatever a policy says, it gets no more training than what it holds and pays for can do.
func TestNothingIsCheaperThanItShouldBe(t *testing.T) {
	for name, job := range auditedJobs(t) {
		for seed := range *audits {
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
