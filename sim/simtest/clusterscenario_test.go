package simtest

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// ClusterScenario is a small world of many jobs written as text, with what must come out of it: pool (a server),
// price, capacity, move, billing, horizon and expect as in a Scenario, and
//
//	pool NAME quota=4 [gpu=v100] [rack=r0] [above=pod/hall] …
//	                                             quota: its GPUs; price: of a GPU-hour; above: what the rack is in; it is a server,
//	                                             or spot or on-demand
//	apart 2 [usd=3] [time=5m]                    what a move between pools so far apart takes (sim.Market.Apart)
//	job NAME gpus=2 work=1h [at=10m] [restart=30s] [save=60s] [lossy] [weight=2] [within=2h]
//	                                             lossy: what the cloud takes leads back to the last save
//	         [keeps=1/0.8/0.5]                   part of its speed on one server, in one rack, then tier by tier, and beyond all
//	scheduler NAME [setting=value]               who decides; or, by a time table:
//	place JOB POOL 2 [at=10m]                    from then on, as soon as the job is there
//	stop JOB [at=20m]
//	save JOB at=10m
//	priority JOB 3 [at=10m]                      of requests that wait
//	expect JOB KEY VALUE                         KEY: start, finish (both from the start of the run; or never), waited,
//	                                             suspensions, preemptions, moves, usd, transfers, done, or an activity (GPU time)
//	expect suspensions 3                         of all jobs
type ClusterScenario struct {
	Scenario
	jobs      []sim.Job
	table     []clusterStep
	scheduler string
	settings  map[string]string
	ofJobs    []jobExpectation
	spreads   []*Spread
	apart     apart
}

// apart is moves by how far apart pools are, where a scenario has them.
type apart struct {
	moves  map[int]sim.Move
	market *sim.Market
}

// Move implements sim.Mover.
func (a *apart) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	of := func(x *sim.Pool) int {
		for p := range a.market.Pools() {
			if a.market.Pool(p).Name == x.Name {
				return p
			}
		}
		return -1
	}
	return a.moves[a.market.Apart(of(from), of(to))]
}

type jobExpectation struct {
	expectation
	job int
}

// clusterStep is a line of a time table.
type clusterStep struct {
	what    string
	at      time.Duration
	job     int
	pool, n int
}

// ParseClusterScenario reads a scenario. Errors name the line.
func ParseClusterScenario(r io.Reader) (*ClusterScenario, error) {
	s := &ClusterScenario{Scenario: Scenario{horizon: 24 * time.Hour, moves: moves{}}}
	scan := bufio.NewScanner(r)
	for line := 1; scan.Scan(); line++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := s.line(line, words); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return s, scan.Err()
}

// line reads one line.
func (s *ClusterScenario) line(n int, words []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", strings.Join(words, " "), r)
		}
	}()
	opts := options(words[1:])
	switch words[0] {
	case "expect":
		if len(words) == 3 {
			s.expects = append(s.expects, expectation{n, words[1], words[2]})
		} else {
			s.ofJobs = append(s.ofJobs, jobExpectation{expectation{n, words[2], words[3]}, s.job(words[1])})
		}
	case "pool":
		h := poolTrace(words[1], opts)
		h.GPU, h.Region, h.Reserved = opts["gpu"], opts["rack"], !options(words[2:]).has("spot") && !opts.has("on-demand")
		if opts.has("above") {
			h.Above = strings.Split(opts["above"], "/")
		}
		s.traces = append(s.traces, h)
	case "apart":
		if s.apart.moves == nil {
			s.apart.moves = map[int]sim.Move{}
		}
		s.apart.moves[int(number(words[1]))] = sim.Move{USD: opts.number("usd", 0), Time: opts.span("time")}
	case "job":
		g := Gang{GPUs: int(number(opts["gpus"])), Seconds: opts.span("work").Seconds(), Restart: opts.span("restart"), Save: opts.span("save"),
			Lossy: opts.has("lossy"), Share: opts.number("weight", 1)}
		if opts.has("keeps") {
			g.Spread = &Spread{}
			for part := range strings.SplitSeq(opts["keeps"], "/") {
				g.Spread.Keeps = append(g.Spread.Keeps, number(part))
			}
			s.spreads = append(s.spreads, g.Spread)
		}
		j := sim.Job{Name: words[1], Model: g, Submit: opts.span("at"), Objective: sim.Objective{Within: s.horizon}}
		if opts.has("within") {
			j.Objective.Within = opts.span("within")
		}
		s.jobs = append(s.jobs, j)
	case "scheduler":
		s.scheduler, s.settings = words[1], options(words[2:])
	case "place":
		s.table = append(s.table, clusterStep{words[0], opts.span("at"), s.job(words[1]), s.pool(words[2]), int(number(words[3]))})
	case "stop", "save":
		s.table = append(s.table, clusterStep{what: words[0], at: opts.span("at"), job: s.job(words[1])})
	case "priority":
		s.table = append(s.table, clusterStep{what: words[0], at: opts.span("at"), job: s.job(words[1]), n: int(number(words[2]))})
	default:
		return s.statement(words)
	}
	return nil
}

// job returns the place of a job.
func (s *ClusterScenario) job(name string) int {
	j := slices.IndexFunc(s.jobs, func(x sim.Job) bool { return x.Name == name })
	if j < 0 {
		panic("no such job")
	}
	return j
}

// Check runs the scenario, under a scheduler that schedulers makes by its name and settings if it has no time
// table of its own, and compares what comes out.
func (s *ClusterScenario) Check(schedulers func(name string, settings map[string]string) (sim.Policy, error)) error {
	if len(s.expects)+len(s.ofJobs) == 0 {
		return fmt.Errorf("expects nothing")
	}
	policy := sim.Policy(timeTable{s.table})
	if s.scheduler != "" {
		var err error
		if policy, err = schedulers(s.scheduler, s.settings); err != nil {
			return err
		}
	}
	market, err := sim.NewMarket(sim.Time(0).Add(s.horizon), s.traces, s.limits...)
	if err != nil {
		return err
	}
	for _, x := range s.spreads {
		if n := len(market.Tiers()) + 2; len(x.Keeps) != n {
			return fmt.Errorf("keeps has %d numbers, expected %d", len(x.Keeps), n)
		}
		x.On = market
	}
	moves := sim.Mover(s.Scenario.moves)
	if s.apart.market = market; s.apart.moves != nil {
		moves = &s.apart
	}
	w, err := sim.New(sim.Config{Market: market, Jobs: s.jobs, Policy: policy, Billing: s.billing, Moves: moves})
	if err != nil {
		return err
	}
	return s.compare(w.Run())
}

// compare says which expectations are not met.
func (s *ClusterScenario) compare(t *sim.Totals) error {
	wrong := s.unmet(t)
	for _, e := range s.ofJobs {
		if got, ok := e.metBy(&t.Jobs[e.job], s.jobs[e.job].Submit); !ok {
			wrong = append(wrong, fmt.Sprintf("line %d: %s of %s is %s, expected %s", e.line, e.key, s.jobs[e.job].Name, got, e.value))
		}
	}
	return said(wrong)
}

// metBy reports what came out for a job, and whether it is what was expected.
func (e jobExpectation) metBy(t *sim.JobTotals, submit time.Duration) (got string, ok bool) {
	span := func(d time.Duration) (string, bool) { return d.String(), e.value != "never" && d == duration(e.value) }
	count := func(n int64) (string, bool) { return fmt.Sprint(n), fmt.Sprint(n) == e.value }
	real := func(x float64) (string, bool) {
		return fmt.Sprint(x), near.Is(number(e.value), x, 1e-8*max(1, math.Abs(x)))
	}
	switch e.key {
	case "start":
		if t.Started < 0 {
			return "never", e.value == "never"
		}
		return span(submit + t.Started)
	case "finish":
		if !t.Finished {
			return "never", e.value == "never"
		}
		return span(submit + t.Elapsed)
	case "waited":
		return span(t.Waited)
	case "suspensions":
		return count(t.Suspensions)
	case "preemptions":
		return count(t.Preemptions)
	case "moves":
		return count(t.Moves)
	case "usd":
		return real(t.Bill.Spot + t.Bill.OnDemand)
	case "transfers":
		return real(t.Bill.Transfers)
	case "done":
		return real(t.Done)
	}
	return e.activity(t, span)
}

// timeTable is a scheduler that follows the lines of a scenario.
type timeTable struct{ steps []clusterStep }

// Name implements sim.Policy.
func (timeTable) Name() string { return "time table" }

// Traits says what the policy is.
func (timeTable) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts}
}

// NewState implements sim.Stateful: which steps are done.
func (t timeTable) NewState(_, _ any) any { return make([]bool, len(t.steps)) }

// Decide implements sim.Policy.
func (t timeTable) Decide(v sim.View, plan *sim.Plan) {
	done, elapsed := v.State().([]bool), v.Now().Sub(v.Start())
	for i, s := range t.steps {
		switch {
		case done[i]:
			continue
		case s.at > elapsed:
			plan.WakeIn(s.at - elapsed)
			continue
		case !v.Job(s.job).Active():
			continue
		}
		done[i] = true
		switch s.what {
		case "place":
			plan.Place(s.job, s.pool, s.n)
		case "stop":
			plan.Stop(s.job)
		case "save":
			plan.Job(s.job).Save = true
		case "priority":
			plan.Job(s.job).Priority = s.n
		}
	}
}
