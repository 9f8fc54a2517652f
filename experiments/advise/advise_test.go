package advise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/sim"
)

const specText = `
name: recorded
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{name: in-4h, loss: 0.6, time_s: 14400}]
policies: [{name: spotdnn}, {name: reactive}]
market:
  traces: [{name: h, path: zones, format: availability-csv, polarity: "1=available"}]
  replay: {adapter: count_cap, notice_s: 120}
  pools:
    - {type: p3.2xlarge, zone: us-east-1a, quota: 4, on_demand_quota: 2, on_demand_usd_per_h: 3.06, prices: {trace: h, pool: ` +
	`us-east-1a/p3.2xlarge, usd_per_h: 0.9}, capacity: {trace: h, pool: us-east-1a/p3.2xlarge}}
    - {type: p3.2xlarge, zone: us-east-1c, quota: 4, prices: {trace: h, pool: us-east-1c/p3.2xlarge, usd_per_h: 1}, capacity: {trace: ` +
	`h, pool: us-east-1c/p3.2xlarge}}
`

const stateText = `
now: 2026-02-03T02:00:30Z
started: 2026-02-03T01:00:00Z
done: 0.1
instances:
  - {id: i-1, type: p3.2xlarge, zone: us-east-1a, since: 2026-02-03T01:00:00Z, ready: 2026-02-03T01:02:05Z}
  - {id: i-2, type: p3.2xlarge, zone: us-east-1c, since: 2026-02-03T01:00:00Z, ready: 2026-02-03T01:02:00Z, released: 2026-02-03T01:30:00Z}
  - {id: i-3, type: p3.2xlarge, zone: us-east-1a, since: 2026-02-03T01:40:00Z}
requests:
  - {type: p3.2xlarge, zone: us-east-1c, n: 1, since: 2026-02-03T01:50:00Z}
`

// write makes the spec and its traces, of four days up to an instant with a row a quarter of an hour, with what later
// says of the rows after it; empty: there are none.
func write(t *testing.T, until time.Time, later string) *spec.Spec {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "zones"), 0o777); err != nil {
		t.Fatal(err)
	}
	for zone, shift := range map[string]int{"us-east-1a": 0, "us-east-1c": 3} {
		var b strings.Builder
		b.WriteString("date,availability\n")
		at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		for k := 0; at.Before(time.Date(2026, 2, 5, 0, 0, 0, 0, time.UTC)); k++ {
			n := fmt.Sprint((k/7 + shift + k*k/50) % 5)
			if at.After(until) {
				n = later
			}
			if n != "" {
				fmt.Fprintf(&b, "%s,%s\n", at.Format(time.DateTime), n)
			}
			at = at.Add(15 * time.Minute)
		}
		if err := os.WriteFile(filepath.Join(dir, "zones", zone+"_v100_1.csv"), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(path, []byte(specText), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var known = time.Date(2026, 2, 3, 2, 0, 30, 0, time.UTC)

func advised(t *testing.T, s *spec.Spec, state string) (a *Advice, text string) {
	t.Helper()
	x, err := Parse("state.yaml", []byte(state))
	if err == nil {
		AddOnDemand(s)
		a, err = Advise(t.Context(), s, x, Options{Continuations: 40})
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(out)
}

// Nothing after now is read: rows that are added later, or that are others, change no byte.
func TestCausal(t *testing.T) {
	a, want := advised(t, write(t, known, ""), stateText)
	if len(a.Policies) != 3 || a.Policies[2].Policy != "ondemand from now" || a.Continuations != 40 || a.TraceAgeS > 3600 {
		t.Errorf("%+v", a)
	}
	for _, later := range []string{"0", "4", "99999"} {
		if _, got := advised(t, write(t, known, later), stateText); got != want {
			t.Errorf("rows of %s after now change\n%s\ninto\n%s", later, want, got)
		}
	}
	if _, got := advised(t, write(t, known.Add(-5*time.Hour), "0"), stateText); got == want {
		t.Error("rows before now change nothing")
	}
	if a, _ := advised(t, write(t, known.Add(-40*time.Hour), ""), stateText); !strings.Contains(strings.Join(a.Warnings, "\n"), "stale") {
		t.Errorf("%q: nothing is said of a trace that ended 40 hours ago", a.Warnings)
	}
}

// The same state gives the same bytes on any number of processors.
func TestSameBytes(t *testing.T) {
	s := write(t, known, "")
	_, want := advised(t, s, stateText)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, got := advised(t, s, stateText); got != want {
		t.Errorf("on one processor\n%s\non more\n%s", got, want)
	}
}

// What is spent and done is what the state says, and on demand from now costs what arithmetic says.
func TestFigures(t *testing.T) {
	s := write(t, known, "")
	a, _ := advised(t, s, strings.Replace(stateText, "done: 0.1", "done: 0.25\nspent_usd: 100", 1))
	if a.SpentUSD != 100 || a.Done != 0.25 || a.ElapsedS != 3630 || a.DeadlineS != 14400 {
		t.Errorf("%+v", a)
	}
	for _, r := range a.Policies {
		if *r.USD.P05 < 100 || r.MetLow > r.Met || r.Met > r.MetHigh {
			t.Errorf("%+v", r)
		}
	}
	b, _ := advised(t, s, strings.Replace(stateText, "done: 0.1", "done: 0.25", 1))
	for i := range a.Policies {
		if more := a.Policies[i].MeanUSD - b.Policies[i].MeanUSD - 100 + b.SpentUSD; more > 1e-9 || more < -1e-9 {
			t.Errorf("%s costs %v more than what is spent more", a.Policies[i].Policy, more)
		}
	}
	half, _ := advised(t, s, strings.Replace(stateText, "done: 0.1", "done: 0.25\nspeed: 0.5", 1))
	if x, y := half.Policies[1].FinishS.P50, b.Policies[1].FinishS.P50; x != nil && *x <= *y {
		t.Errorf("at half the speed it ends after %v, at the whole after %v", *x, *y)
	}
	if got := quantilesOf([]float64{3, 1, 2}); *got.P05 != 1 || *got.P50 != 2 || *got.P95 != 3 {
		t.Errorf("%+v", got)
	}
}

// The plan names what is to be released, and keeps requests that wait.
func TestPlan(t *testing.T) {
	var d decision
	s := write(t, known, "")
	state, err := Parse("state.yaml", []byte(stateText))
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(s, state, Options{Continuations: 1})
	if err != nil {
		t.Fatal(err)
	}
	var world sim.World
	config := a.config(0)
	config.Recorder = &jobRecorder{record: a.record, into: &d}
	if err := a.record.follow(&world, config, holding{1, 2}); err != nil {
		t.Fatal(err)
	}
	world.RunUntil(a.record.now)
	if len(d.Changes) != 2 {
		t.Fatalf("%+v", d.Changes)
	}
	first, second := d.Changes[0], d.Changes[1]
	if first.Keep != 1 || first.Release != 1 || fmt.Sprint(first.IDs) != "[i-3]" || first.Request != 0 || first.Market != "spot" {
		t.Errorf("%+v, expected i-3, which boots, to be released", first)
	}
	if second.Keep != 0 || second.Wait != 1 || second.Request != 1 || second.Cancel != 0 || second.Release != 0 {
		t.Errorf("%+v, expected one request more", second)
	}
}

// Where by the model the job is over before now, the policy is not asked about it: one that looks closer and closer at
// the end would be asked until now.
func TestOverByTheModel(t *testing.T) {
	s, err := spec.Open("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	state, err := Parse("state.yaml", []byte("{now: 20000, started: 0, done: 0.4, instances: [{id: a, type: p3.2xlarge, on_demand: true, since: 0, "+
		"ready: 200}, {id: b, type: p3.2xlarge, on_demand: true, since: 0, ready: 200}, {id: c, type: p3.2xlarge, on_demand: true, since: 0, ready: 200}]}"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(s, state, Options{Continuations: 1})
	if err != nil {
		t.Fatal(err)
	}
	var world sim.World
	closer := &closing{}
	if err := a.record.follow(&world, a.config(0), closer); err != nil {
		t.Fatal(err)
	}
	if closer.asked == 0 || closer.asked > 100 || world.View().Job(0).Done() < 1 {
		t.Errorf("asked %d times, %v done", closer.asked, world.View().Job(0).Done())
	}
}

// closing looks again after five minutes, and once the job is done each second.
type closing struct{ asked int }

func (*closing) Name() string { return "closing" }

func (c *closing) Decide(v sim.View, plan *sim.Plan) {
	c.asked++
	if plan.WakeIn(5 * time.Minute); v.Job(0).Done() == 1 {
		plan.WakeIn(time.Second)
	}
}

// holding is a policy that holds n instances of the first pools.
type holding []int

func (holding) Name() string { return "holding" }

func (h holding) Decide(_ sim.View, plan *sim.Plan) {
	clear(plan.Jobs[0].Hold)
	copy(plan.Jobs[0].Hold, h)
}

// A state that cannot be meant is refused, with its line and the way out.
func TestStateErrors(t *testing.T) {
	s := write(t, known, "")
	for _, x := range []struct{ was, is, want string }{
		{"done: 0.1", "dun: 0.1", `did you mean "done"`},
		{"done: 0.1", "", "expected one of done and loss; none is given"},
		{"done: 0.1", "done: 1", "state.yaml:4:7: done: 1, expected at least 0 and less than 1"},
		{"done: 0.1", "done: 0.1\nloss: 1", "expected one of done and loss, not both"},
		{"done: 0.1", "loss: 0.1", "or below, or none that the model can reach"},
		{"done: 0.1", "done: 0.1\nspeed: -1", "expected 0.01 to 100"},
		{"done: 0.1", "done: 0.1\nspeed: 0", "expected 0.01 to 100"},
		{"done: 0.1", "done: 0.1\nobjective: x", "is not one of the spec's"},
		{"now: 2026-02-03T02:00:30Z", "now: soon", `"soon", expected an instant`},
		{"now: 2026-02-03T02:00:30Z", "", "now is missing"},
		{"now: 2026-02-03T02:00:30Z", "now: -3", "expected 0 to"},
		{"now: 2026-02-03T02:00:30Z", "now: 2026-01-03T02:00:30Z", "nothing is known"},
		{"started: 2026-02-03T01:00:00Z", "started: 2026-02-03T03:00:00Z", "after now"},
		{"zone: us-east-1a, since", "zone: us-east-1b, since", `no pool of type "p3.2xlarge" in zone "us-east-1b"`},
		{"i-1, type: p3.2xlarge, zone: us-east-1a", "i-1, pool: us-east-1a/p3.2xlrge", `did you mean "us-east-1a/p3.2xlarge"?`},
		{"ready: 2026-02-03T01:02:05Z", "ready: 2026-02-03T00:02:05Z", "instances[0].ready: 2026-02-03T00:02:05Z is before since"},
		{"ready: 2026-02-03T01:02:05Z", "ready: 2026-02-03T01:02:05Z, noticed: 2026-02-03T01:50:00Z", "expected gone"},
		{"id: i-3", "id: i-1", `"i-1" is instances[0], too`},
		{"n: 1,", "n: 9,", "expected 1 to the spec's quota of 4"},
		{"requests:", "requests:\n  - {pool: us-east-1a/p3.2xlarge, n: 4, since: 2026-02-03T01:50:00Z}", "but the spec's quota is 4"},
	} {
		if !strings.Contains(stateText, x.was) {
			t.Fatal(x.was)
		}
		state, err := Parse("state.yaml", []byte(strings.Replace(stateText, x.was, x.is, 1)))
		if err == nil {
			_, err = Advise(t.Context(), s, state, Options{Continuations: 1})
		}
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s -> %s: %v, expected %q", x.was, x.is, err, x.want)
		}
	}
}

// Continuations begin with the present, keep what is held for the notice, and end what was told to end.
func TestHeldInContinuations(t *testing.T) {
	s := write(t, known, "")
	state, err := Parse("state.yaml", []byte(strings.Replace(stateText, "ready: 2026-02-03T01:02:05Z",
		"ready: 2026-02-03T01:02:05Z, noticed: 2026-02-03T01:59:30Z", 1)))
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(s, state, Options{Continuations: 1})
	if err == nil {
		err = a.openPast()
	}
	if err != nil {
		t.Fatal(err)
	}
	var world sim.World
	if err := a.record.follow(&world, a.config(0), holding{2}); err != nil {
		t.Fatal(err)
	}
	c := a.continuation(world.View())
	for k := range uint64(20) {
		outlooks := c.draw(k)
		hold(world.View(), 0, a.record.now, 4, &outlooks[0], nil)
		records := outlooks[0].Capacity
		if records[0] != (sim.Capacity{At: a.record.now, N: 4}) || records[1] != (sim.Capacity{At: a.record.now.Add(time.Minute), N: 1}) {
			t.Fatalf("%+v, expected room for 4 now and for what is left after the notice", records[:2])
		}
		for i, x := range records[2:] {
			if x.At <= records[i+1].At || x.At <= a.record.now.Add(2*time.Minute) {
				t.Fatalf("%+v: a change within the notice, or out of order", records)
			}
		}
	}
}

// The instants of a market are those of the calendar.
func TestClock(t *testing.T) {
	m, err := market.Known(write(t, known, "7"), market.Instant{Calendar: known}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.Clock(known)
	if back, ok := m.Calendar(at); err != nil || !ok || !back.Equal(known) || at.Sub(0) != 50*time.Hour+30*time.Second {
		t.Error(at, back, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(stateText))
	f.Add([]byte(`{"now": 3600, "started": 0, "done": 0, "instances": [{"pool": "a/b", "since": "1e3"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		if at := s.Until(); at.Since < 0 {
			t.Error(at)
		}
	})
}
