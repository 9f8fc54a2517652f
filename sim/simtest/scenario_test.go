package simtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// Scenario is a small world written as text, with what must come out of it.
// One statement a line; # begins a comment. Spans and instants are written as
// 90s, 30m, 1h30m, dollars per hour as plain numbers.
//
//	pool NAME price=3.6 quota=2 [notice=120s] [boot=60s] [on-demand] [missing=1] [victim=newest] [wait=1h] [length=2h] [increment=1h] [minimum=60s]
//	commit NAME 2 usd=1.5 from=0s [until=24h]    instances that are paid whether used or not
//	limit 2 NAME NAME           a quota over several pools
//	price NAME 30m 7.2          from then on
//	capacity NAME 30m 1         from then on
//	node NAME 30m up|down 0
//	job work=7200 [rate=1] [within=2h] [least=2] [most=4] [stall=30s] [reshape=30s] [rollback] [save=60s] [ps=0.192]
//	    [gb=10] [gb-month=0.1] [checkpoint=500 keep=2 checkpoint-month=0.02] [redundant=0.5] [served=2]
//	    [chief=rolls-back|master] [ahead=600]
//	job work=7200 pipelines=2 stages=2 [rate=1] [stall=30s] [reshape=10s] [save=60s] [persist=15s]    a Piped model
//	refill at=10m               the policy wants the holes filled
//	hold NAME 2 [at=10m]        what the policy wants from then on
//	workers 1                   for which it sets training up; all that it wants if absent
//	servers 2 at=10m            parameter servers that the policy wants from then on
//	save at=10m
//	save every=10m              of training without one
//	billing [increment=1s] [minimum=60s] [free-first-hour] [disk=0.02] [tax=0.2]
//	move FROM TO [usd=5] [time=30s]    of the job's state between pools, in one direction; others are free
//	horizon 5h
//	expect KEY VALUE            KEY: finish, end, bill, spot, on-demand, ps, storage, transfers, moves, disks, checkpoints, commitments, tax, top-up, refund,
//	                            preemptions, notices, unannounced, quota-refusals, grants, requests, done, lost, or an
//	                            activity (a span)
type Scenario struct {
	traces  []sim.Trace
	limits  []sim.Limit
	job     sim.Job
	script  script
	billing sim.Billing
	moves   moves
	horizon time.Duration
	expects []expectation
}

type expectation struct {
	line       int
	key, value string
}

// moves are what a scenario says of moves between pools, by their names.
type moves map[[2]string]sim.Move

// Move implements sim.Mover.
func (m moves) Move(_ *sim.Job, from, to *sim.Pool) sim.Move { return m[[2]string{from.Name, to.Name}] }

// script is a policy that follows a time table for job 0.
type script struct {
	holds   []scriptHold // in the order of time
	servers []scriptHold // of parameter servers
	saves   []time.Duration
	workers int           // for which training is set up
	every   time.Duration // saves when the last is so long ago; 0 does not
	refills []time.Duration
	// pipelines and Stages lay the job out.
	pipelines, stages int
}

// scriptHold wants N instances of Pool from At on.
type scriptHold struct {
	at   time.Duration
	pool int
	n    int
}

// Name implements sim.Policy.
func (s script) Name() string { return "script" }

// Decide implements sim.Policy.
func (s script) Decide(v sim.View, plan *sim.Plan) {
	elapsed := v.Now().Sub(v.Start())
	wake := func(at time.Duration) {
		if at > elapsed {
			plan.WakeIn(at - elapsed)
		}
	}
	for _, h := range s.holds {
		if h.at <= elapsed {
			plan.Jobs[0].Hold[h.pool] = h.n
		}
		wake(h.at)
	}
	for _, h := range s.servers {
		if h.at <= elapsed {
			plan.Jobs[0].Servers = h.n
		}
		wake(h.at)
	}
	plan.Jobs[0].Pipelines, plan.Jobs[0].Stages, plan.Jobs[0].Workers = s.pipelines, s.stages, s.workers
	for _, at := range s.refills {
		plan.Jobs[0].Refill = plan.Jobs[0].Refill || at == elapsed
		wake(at)
	}
	for _, at := range s.saves {
		plan.Jobs[0].Save = plan.Jobs[0].Save || at == elapsed
		wake(at)
	}
	if job := v.Job(0); s.every > 0 {
		due := job.LastSave().Add(s.every).Sub(v.Start())
		plan.Jobs[0].Save = plan.Jobs[0].Save || job.Training() && due <= elapsed
		wake(due)
	}
}

// ParseScenario reads a scenario. Errors name the line.
func ParseScenario(r io.Reader) (*Scenario, error) {
	s := &Scenario{job: sim.Job{Name: "job", Objective: sim.Objective{Within: time.Hour}}, horizon: 24 * time.Hour, moves: moves{}}
	scan := bufio.NewScanner(r)
	for line := 1; scan.Scan(); line++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if words[0] == "expect" && len(words) == 3 {
			s.expects = append(s.expects, expectation{line, words[1], words[2]})
			continue
		}
		if err := s.statement(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return s, scan.Err()
}

func (s *Scenario) statement(words []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", strings.Join(words, " "), r)
		}
	}()
	opts := options(words[1:])
	switch words[0] {
	case "pool":
		s.traces = append(s.traces, poolTrace(words[1], opts))
	case "commit":
		h, until := s.trace(words[1]), sim.Never
		if opts.has("until") {
			until = sim.Time(0).Add(opts.span("until"))
		}
		h.Commitments = append(h.Commitments, sim.Commitment{Instances: int(number(words[2])), USDPerHour: opts.number("usd", 0),
			From: sim.Time(0).Add(opts.span("from")), Until: until})
	case "limit":
		l := sim.Limit{Name: strings.Join(words[2:], " "), Instances: int(number(words[1]))}
		for _, name := range words[2:] {
			l.Pools = append(l.Pools, s.pool(name))
		}
		s.limits = append(s.limits, l)
	case "price":
		h := s.trace(words[1])
		h.Prices = append(h.Prices, sim.Price{At: at(words[2]), USD: number(words[3])})
	case "capacity":
		h := s.trace(words[1])
		h.Capacity = append(h.Capacity, sim.Capacity{At: at(words[2]), N: int(number(words[3]))})
	case "node":
		h := s.trace(words[1])
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: at(words[2]), Up: words[3] == "up", Node: int(number(words[4]))})
	case "job":
		s.setJob(opts)
	case "hold":
		s.script.holds = append(s.script.holds, scriptHold{at: opts.span("at"), pool: s.pool(words[1]), n: int(number(words[2]))})
	case "workers":
		s.script.workers = int(number(words[1]))
	case "servers":
		s.script.servers = append(s.script.servers, scriptHold{at: opts.span("at"), n: int(number(words[1]))})
	case "save":
		if opts.has("every") {
			s.script.every = opts.span("every")
		} else {
			s.script.saves = append(s.script.saves, opts.span("at"))
		}
	case "refill":
		s.script.refills = append(s.script.refills, opts.span("at"))
	case "billing":
		s.billing = sim.Billing{Increment: opts.span("increment"), Minimum: opts.span("minimum"), FreeFirstHour: opts.has("free-first-hour"),
			DiskUSDPerHour: opts.number("disk", 0), Tax: opts.number("tax", 0)}
	case "move":
		s.moves[[2]string{words[1], words[2]}] = sim.Move{USD: opts.number("usd", 0), Time: opts.span("time")}
	case "horizon":
		s.horizon = duration(words[1])
	default:
		return fmt.Errorf("unknown statement %q", words[0])
	}
	return nil
}

type option map[string]string

func options(words []string) option {
	o := option{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		o[k] = v
	}
	return o
}

func (o option) has(key string) bool { _, ok := o[key]; return ok }

func (o option) span(key string) time.Duration {
	if !o.has(key) {
		return 0
	}
	return duration(o[key])
}

func (o option) number(key string, otherwise float64) float64 {
	if !o.has(key) {
		return otherwise
	}
	return number(o[key])
}

func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

func at(s string) sim.Time { return sim.Time(0).Add(duration(s)) }

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return x
}

func poolTrace(name string, o option) sim.Trace {
	p := sim.Pool{Name: name, InstanceType: name, Quota: int(o.number("quota", 0)), Notice: o.span("notice"),
		Boot: sim.Boot{Median: o.span("boot")}, OnDemand: o.has("on-demand"), NoticeMissing: o.number("missing", 0),
		Wait: o.span("wait"), Length: o.span("length")}
	if o.has("increment") || o.has("minimum") {
		p.Granularity = &sim.Granularity{Increment: o.span("increment"), Minimum: o.span("minimum")}
	}
	for v := sim.VictimRandom; v <= sim.VictimOldest; v++ {
		if v.String() == o["victim"] {
			p.Victim = v
		}
	}
	return sim.Trace{Pool: p, Prices: []sim.Price{{USD: o.number("price", 0)}}}
}

func (s *Scenario) pool(name string) int {
	for i := range s.traces {
		if s.traces[i].Name == name {
			return i
		}
	}
	panic("no pool " + name)
}

func (s *Scenario) trace(name string) *sim.Trace { return &s.traces[s.pool(name)] }

func (s *Scenario) setJob(o option) {
	model := Linear{PerWorker: o.number("rate", 1), Min: int(o.number("least", 1)), Max: int(o.number("most", 0)),
		Redundant: o.number("redundant", 0), Stall: o.span("stall"), Reshape: o.span("reshape"),
		Rollback: o.has("rollback"), Save: o.span("save"), Served: int(o.number("served", 0)), Ahead: o.number("ahead", 0),
		Chief: map[string]Chief{"rolls-back": ChiefRollsBack, "master": ChiefIsMaster}[o["chief"]]}
	s.job.Model = model
	if o.has("stages") {
		s.job.Model = Piped{Linear: model, Persist: o.span("persist")}
		s.script.pipelines, s.script.stages = int(o.number("pipelines", 1)), int(o.number("stages", 1))
	}
	s.job.Objective.Loss = LossAt(o.number("work", 0))
	if o.has("within") {
		s.job.Objective.Within = o.span("within")
	}
	if o.has("ps") {
		s.job.ParameterServers, s.job.ParameterServerPrice = 1, o.number("ps", 0)
	}
	s.job.StorageGB, s.job.StoragePrice = o.number("gb", 0), o.number("gb-month", 0)
	s.job.Checkpoints = sim.Checkpoints{GB: o.number("checkpoint", 0), Keep: int(o.number("keep", 0)), Price: o.number("checkpoint-month", 0)}
}

// Run runs the scenario under the policy that it scripts.
func (s *Scenario) Run() (*sim.Totals, error) {
	market, err := sim.NewMarket(sim.Time(0).Add(s.horizon), s.traces, s.limits...)
	if err != nil {
		return nil, err
	}
	w, err := sim.New(sim.Config{Market: market, Jobs: []sim.Job{s.job}, Policy: s.script, Billing: s.billing, Moves: s.moves})
	if err != nil {
		return nil, err
	}
	return w.Run(), nil
}

// Check runs the scenario and returns what did not come out as expected.
func (s *Scenario) Check() error {
	if len(s.expects) == 0 {
		return fmt.Errorf("expects nothing")
	}
	t, err := s.Run()
	if err != nil {
		return err
	}
	return said(s.unmet(t))
}

// unmet says which expectations are not met, a line each.
func (s *Scenario) unmet(t *sim.Totals) (wrong []string) {
	for _, e := range s.expects {
		if got, ok := e.met(t); !ok {
			wrong = append(wrong, fmt.Sprintf("line %d: %s is %s, expected %s", e.line, e.key, got, e.value))
		}
	}
	return wrong
}

// said is an error of lines, nil if there are none.
func said(wrong []string) error {
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n"))
}

// activity reports whether the time of a job in the activity of a name is as expected.
func (e expectation) activity(t *sim.JobTotals, span func(time.Duration) (string, bool)) (got string, ok bool) {
	for a := sim.Activity(0); a < sim.Activities; a++ {
		if a.String() == e.key {
			return span(t.Activities[a].Span())
		}
	}
	return "not a thing that can be expected", false
}

// dollars is a part of a bill, or all of it, by its name in scenarios.
func dollars(b *sim.Bill, part string) (usd float64, is bool) {
	usd, is = map[string]float64{"bill": b.Total(), "spot": b.Spot, "on-demand": b.OnDemand, "ps": b.ParameterServers, "storage": b.Storage,
		"transfers": b.Transfers, "disks": b.Disks, "checkpoints": b.Checkpoints, "commitments": b.Commitments, "tax": b.Tax, "top-up": b.TopUp,
		"refund": b.Refund}[part]
	return usd, is
}

func (e expectation) met(t *sim.Totals) (got string, ok bool) {
	span := func(d time.Duration) (string, bool) {
		want, err := time.ParseDuration(e.value)
		diff := d - want
		return d.String(), err == nil && diff >= -2*time.Microsecond && diff <= 2*time.Microsecond
	}
	count := func(n int64) (string, bool) { return fmt.Sprint(n), fmt.Sprint(n) == e.value }
	usd := func(x float64) (string, bool) {
		want, err := strconv.ParseFloat(e.value, 64)
		return fmt.Sprint(x), err == nil && near.Is(x, want, 1e-8*max(1, math.Abs(want)))
	}
	if x, is := dollars(&t.Bill, e.key); is {
		return usd(x)
	}
	job := &t.Jobs[0]
	switch e.key {
	case "finish":
		if !job.Finished {
			return "never", e.value == "never"
		}
		return span(job.Elapsed)
	case "end":
		return span(t.End.Sub(0))
	case "moves":
		return count(t.Moves)
	case "lost":
		return fmt.Sprint(job.Lost), fmt.Sprint(job.Lost) == e.value
	case "done":
		return usd(job.Done)
	case "preemptions":
		return count(t.Preemptions)
	case "notices":
		return count(t.Notices)
	case "unannounced":
		return count(t.Unannounced)
	case "suspensions":
		return count(t.Suspensions)
	case "quota-refusals":
		return count(t.QuotaRefusals)
	case "grants":
		return count(t.Grants)
	case "requests":
		return count(t.Requests)
	}
	return e.activity(job, span)
}
