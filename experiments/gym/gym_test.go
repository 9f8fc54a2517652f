package gym

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// open returns the environments of the quickstart's second objective, six hours.
func open(t testing.TB, rules Rules) *Study {
	t.Helper()
	s, err := spec.Open("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	rules.Objective = 1
	g, err := New(study, rules)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// random draws an action, mostly of few instances.
func random(g *Study, r *rand.Rand) []int32 {
	hold := make([]int32, len(g.Pools()))
	for range 3 {
		p := r.IntN(len(hold))
		hold[p] = int32(r.IntN(g.Pools()[p].Quota + 1))
	}
	return hold
}

// onDemand holds what is on demand of the first type.
func onDemand(g *Study) []int32 {
	hold := make([]int32, len(g.Pools()))
	for p, of := range g.Pools() {
		if of.OnDemand && of.InstanceType == g.Pools()[0].InstanceType {
			hold[p] = int32(of.Quota)
		}
	}
	return hold
}

// TestRewardsAreDollars runs the same decisions as an episode and as a run of the simulator: rewards add
// up to the bill, and the price of lateness comes on top.
func TestRewardsAreDollars(t *testing.T) {
	check := near.Count(t)
	for _, events := range []bool{false, true} {
		g := open(t, Rules{Step: 10 * time.Minute, Events: events, LateUSD: 100, LateUSDPerHour: 10})
		e, ends := g.New(), map[End]int{}
		for seed := range int64(12) {
			r := rand.New(rand.NewPCG(uint64(seed), 0))
			if err := e.Reset(seed, 0); err != nil {
				t.Fatal(err)
			}
			tape, sum, last := &taped{}, 0.0, Outcome{}
			for last.End == Running {
				v, err := e.View()
				if err != nil {
					t.Fatal(err)
				}
				hold := random(g, r)
				if seed%2 == 0 { // in time
					hold = onDemand(g)
				}
				tape.at, tape.hold = append(tape.at, v.Now()), append(tape.hold, hold)
				if last, err = e.Act(hold); err != nil {
					t.Fatal(err)
				}
				sum += last.Reward
			}
			ends[last.End]++
			config, err := g.config(seed, 0, tape)
			if err != nil {
				t.Fatal(err)
			}
			w, err := sim.New(config)
			if err != nil {
				t.Fatal(err)
			}
			total, want := w.Run(), 0.0
			if total.Bill.Total() != last.USD {
				t.Errorf("seed %d: %v USD, the run %v", seed, last.USD, total.Bill.Total())
			}
			if met := total.Jobs[0].Finished && total.Jobs[0].Elapsed <= 6*time.Hour; !met {
				want = 100 + 10*max(total.End.Sub(0).Hours()-6, 0)
			} else if last.End != Met {
				t.Errorf("seed %d ends with %d, expected %d", seed, last.End, Met)
			}
			if want += last.USD; check.Off(sum, -want, 1e-9*want) {
				t.Errorf("seed %d: rewards of %v, expected %v", seed, sum, -want)
			}
		}
		if len(ends) < 2 {
			t.Errorf("episodes ended as %v only: nothing was compared", ends)
		}
	}
}

// A job in layouts over GPU types has episodes as others have: what an agent pays is the bill of the same run, traffic
// and moves included.
func TestLayoutsAreObserved(t *testing.T) {
	pulled.Dir(t, "sailor")
	s, err := spec.Parse("layouts", []byte(`{"name": "layouts", "model": {"layout": {"profiles": "pulled:sailor", "network": "OPT-350", "samples": 20000,
		"global_batch": 256, "gpus": [{"type": "p3.2xlarge", "gpu": "V100-16"}], "links": {"zone_gb_per_s": 1.2, "region_gb_per_s": 0.6,
		"usd_per_gb": 0.01}}}, "objectives": [{"within": "8h"}], "policies": [{"name": "sailor"}], "market": {"synthetic": {"zones": 2},
		"pools": [{"type": "p3.2xlarge", "quota": 4, "on_demand_quota": 4, "on_demand_usd_per_h": 3.06}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(study, Rules{Step: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	e, tape, last, r := g.New(), &taped{}, Outcome{}, rand.New(rand.NewPCG(1, 0))
	if err := e.Reset(1, 0); err != nil {
		t.Fatal(err)
	}
	for last.End == Running {
		v, err := e.View()
		if err != nil {
			t.Fatal(err)
		}
		hold := random(g, r)
		tape.at, tape.hold = append(tape.at, v.Now()), append(tape.hold, hold)
		if last, err = e.Act(hold); err != nil {
			t.Fatal(err)
		}
	}
	config, err := g.config(1, 0, tape)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	total := w.Run()
	if total.Bill.Total() != last.USD || total.Bill.Transfers == 0 || !total.Jobs[0].Finished {
		t.Errorf("%v USD, the run %+v", last.USD, total.Bill)
	}
}

// taped takes actions at the instants at which an agent took them.
type taped struct {
	agent plugin.Agent
	at    []sim.Time
	hold  [][]int32
	i     int
}

func (*taped) Name() string { return "taped" }

func (p *taped) Decide(v sim.View, plan *sim.Plan) {
	for p.i < len(p.at) && p.at[p.i] <= v.Now() {
		p.agent.Hold = p.agent.Hold[:0]
		for _, n := range p.hold[p.i] {
			p.agent.Hold = append(p.agent.Hold, int(n))
		}
		p.i++
	}
	p.agent.Step = 10 * time.Minute
	p.agent.Decide(v, plan)
}

// TestForks goes on from the middle of an episode twice, alike, while the original goes another way.
func TestForks(t *testing.T) {
	g := open(t, Rules{Step: 10 * time.Minute})
	e, a, b := g.New(), g.New(), g.New()
	if err := e.Reset(3, 0); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 9 {
		if _, err := e.Act(random(g, r)); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []*Env{a, b} {
		if err := e.Fork(to); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // the original, on nothing
		if _, err := e.Act(make([]int32, len(g.Pools()))); err != nil {
			t.Fatal(err)
		}
	}
	differ := false
	for {
		hold := random(g, r)
		x, err := a.Act(hold)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := b.Act(hold); err != nil || x != y || !slices.Equal(a.Observe(nil), b.Observe(nil)) {
			t.Fatalf("two forks under the same actions: %+v and %+v, %v", x, y, err)
		}
		differ = differ || x.USD != e.usd
		if x.End != Running {
			break
		}
	}
	if !differ {
		t.Error("the original goes as its forks do, under other actions")
	}
	if _, err := a.Act(make([]int32, len(g.Pools()))); err != ErrOver {
		t.Errorf("an action after the end: %v, expected %v", err, ErrOver)
	}
}

// TestObservations are of n numbers as there are fields, within their bounds, and those of
// the first step are known.
func TestObservations(t *testing.T) {
	g := open(t, Rules{Step: 10 * time.Minute})
	fields, e := g.Fields(), g.New()
	if err := e.Reset(5, 0); err != nil {
		t.Fatal(err)
	}
	first := e.Observe(nil)
	for i, want := range []float64{0, 6, 0, 0, 1000, 0, 1000} {
		if first[i] != want {
			t.Errorf("at first %s is %v, expected %v", fields[i].Name, first[i], want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for end := Running; end == Running; {
		x := e.Observe(nil)
		if len(x) != len(fields) {
			t.Fatalf("%d numbers, expected %d", len(x), len(fields))
		}
		for i, f := range fields {
			if !(x[i] >= f.Low && x[i] <= f.High) {
				t.Errorf("%s is %v, expected %v to %v", f.Name, x[i], f.Low, f.High)
			}
		}
		out, err := e.Act(random(g, r))
		if err != nil {
			t.Fatal(err)
		}
		end = out.End
	}
}

// client speaks to a server.
type client struct{ bytes.Buffer }

func (c *client) send(kind uint32, n int, rest ...any) {
	var b bytes.Buffer
	for _, x := range append([]any{kind, uint32(n)}, rest...) {
		_ = binary.Write(&b, binary.LittleEndian, x)
	}
	_ = binary.Write(c, binary.LittleEndian, uint32(b.Len()))
	c.Write(b.Bytes())
}

// TestServe resets, steps, forks, looks and asks, and makes every mistake once.
func TestServe(t *testing.T) {
	g := open(t, Rules{Step: 10 * time.Minute})
	pools := len(g.Pools())
	hold, many := make([]uint32, pools), make([]uint32, pools)
	hold[0], many[1] = 1, 1000
	var c client
	c.send(KindReset, 2, uint32(0), int64(7), math.NaN(), uint32(1), int64(8), 0.0)
	c.send(KindStep, 1, uint32(0), hold)
	c.send(KindFork, 1, uint32(0), uint32(5))
	c.send(KindView, 5)
	c.send(KindAsk, 5, []byte(`{"instances":4}`))
	mistakes := []string{"kind 77", "environment 1: 1000 instances", "environment 9: the episode is over", "a start of -1", "4 bytes, expected",
		"expected a number below", "a question: "}
	c.send(77, 0)
	c.send(KindStep, 1, uint32(1), many)
	c.send(KindStep, 1, uint32(9), hold)
	c.send(KindReset, 1, uint32(0), int64(7), -1.0)
	c.send(KindStep, 1, uint32(0))
	c.send(KindFork, 1, uint32(5), uint32(MaxEnvs))
	c.send(KindAsk, 5, []byte("no question"))
	var out bytes.Buffer
	if err := g.Serve(&c, &out); err != nil {
		t.Fatal(err)
	}
	var w Welcome
	line, _ := out.ReadBytes('\n')
	if err := json.Unmarshal(line, &w); err != nil || len(w.Pools) != pools || w.StepS != 600 || w.WithinS != 21600 {
		t.Fatalf("%v, %+v", err, w)
	}
	row := 8 * (len(w.Fields) + 4)
	for i, want := range []int{8 + 2*row, 8 + row, 8 + row} {
		if m := frame(t, &out); len(m) != want || binary.LittleEndian.Uint32(m) != KindRows {
			t.Fatalf("answer %d has %d bytes, expected %d: %q", i, len(m), want, m)
		}
	}
	for range 2 {
		if m := frame(t, &out); binary.LittleEndian.Uint32(m) != KindMessage {
			t.Errorf("%q, expected a message", m)
		}
	}
	for _, want := range mistakes {
		m := frame(t, &out)
		if kind := binary.LittleEndian.Uint32(m); kind != KindError || !strings.Contains(string(m), want) {
			t.Errorf("kind %d, %q, expected an error with %q", kind, m[4:], want)
		}
	}
}

func frame(t *testing.T, r io.Reader) []byte {
	t.Helper()
	m, err := read(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// FuzzServe: whatever comes in, a server answers or ends.
func FuzzServe(f *testing.F) {
	var c client
	c.send(KindReset, 1, uint32(0), int64(7), 0.0)
	c.send(KindStep, 1, uint32(0), make([]uint32, 15))
	c.send(KindFork, 1, uint32(0), uint32(5))
	c.send(KindView, 5)
	f.Add(c.Bytes())
	g := open(f, Rules{Step: time.Hour})
	f.Fuzz(func(_ *testing.T, in []byte) {
		_ = g.Serve(bytes.NewReader(in), io.Discard)
	})
}

// BenchmarkSteps is a step of one of 64 environments, without the pipe.
func BenchmarkSteps(b *testing.B) {
	g := open(b, Rules{Step: 10 * time.Minute})
	s, reset, act := &Server{study: g, hold: make([]int32, len(g.Pools()))}, client{}, client{}
	var seeds, holds []any
	hold := make([]uint32, len(g.Pools()))
	hold[0] = 2
	for i := range 64 {
		seeds = append(seeds, uint32(i), int64(i), 0.0)
		holds = append(holds, uint32(i), hold)
	}
	reset.send(KindReset, 64, seeds...)
	act.send(KindStep, 64, holds...)
	steps := 0
	for b.Loop() {
		s.out = s.out[:0]
		if steps%20 == 0 {
			if err := s.answer(reset.Bytes()[4:]); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.answer(act.Bytes()[4:]); err != nil {
			b.Fatal(err)
		}
		steps++
	}
	b.ReportMetric(float64(64*steps)/b.Elapsed().Seconds(), "steps/s")
}
