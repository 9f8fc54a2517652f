package launchers

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// skyWorld is a random world on which SkyPilot's own code ran.
type skyWorld struct {
	ID        string
	Nodes     int
	Kind      string
	Resources []struct {
		UseSpot bool `json:"use_spot"`
		Region  string
	}
	Zones []struct {
		Region, Zone string
		Spot, OD     float64
		Capacity     [][2]float64
		ODCapacity   [][2]float64 `json:"od_capacity"`
	}
	Try        float64 `json:"try_s"`
	Provision  float64 `json:"provision_s"`
	TearDown   float64 `json:"teardown_s"`
	Check      float64 `json:"check_s"`
	Checkpoint float64 `json:"checkpoint_s"`
	Work       float64 `json:"work_s"`
	Horizon    float64 `json:"horizon_s"`
	Jitter     []float64
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// market returns the zones: spot first, then on demand.
func (w *skyWorld) market(t *testing.T) *sim.Market {
	t.Helper()
	pools := make([]sim.Trace, 2*len(w.Zones))
	for i, z := range w.Zones {
		pool := sim.Pool{
			Name: z.Zone + "[spot]", Region: z.Region, Zone: z.Zone, InstanceType: "x", Quota: 1000,
			Boot: sim.Boot{Median: seconds(w.Provision)},
		}
		pools[i] = sim.Trace{Pool: pool, Prices: []sim.Price{{USD: z.Spot}}, Capacity: capacity(z.Capacity)}
		pool.Name = z.Zone
		pool.OnDemand = true
		pools[len(w.Zones)+i] = sim.Trace{Pool: pool, Prices: []sim.Price{{USD: z.OD}}, Capacity: capacity(z.ODCapacity)}
	}
	market, err := sim.NewMarket(sim.At(w.Horizon), pools)
	if err != nil {
		t.Fatal(err)
	}
	return market
}

// policy returns SkyPilot with the world's times.
func (w *skyWorld) policy(strategy string) *SkyPilot {
	p := NewSkyPilot()
	p.Instances = w.Nodes
	p.Strategy = map[string]Strategy{"FAILOVER": Failover, "EAGER_NEXT_REGION(fixed)": AsDocumented}[strategy]
	p.Try = seconds(w.Try)
	p.SetUp = 0
	p.TearDown = seconds(w.TearDown)
	p.Check = seconds(w.Check)
	p.Ordered = w.Kind == "ordered"
	for _, r := range w.Resources {
		p.Entries = append(p.Entries, Entry{OnDemand: !r.UseSpot, Region: r.Region})
	}
	p.draw = func(k int) float64 {
		if k < len(w.Jitter) {
			return w.Jitter[k]
		}
		return 0
	}
	return p
}

// diary writes what a recorder is told in the form of the rows.
type diary struct {
	events []string
	asked  string
}

func (d *diary) Span(*sim.Span) {}

func (d *diary) add(v sim.View, format string, args ...any) {
	d.events = append(d.events, fmt.Sprintf("%.6f ", v.Now().Sub(v.Start()).Seconds())+fmt.Sprintf(format, args...))
}

func (d *diary) Decision(v sim.View, plan *sim.Plan, _ bool) {
	switch plan.Reason() {
	case "refused":
		d.add(v, "%s refused", d.asked)
		d.asked = ""
	case "the run fails: it is not retried after this", "the run fails: the time for retries is over":
		defer func() { d.add(v, "failed") }()
	case "the job runs":
		d.add(v, "run")
	}
	for _, input := range plan.Inputs() {
		if strings.HasPrefix(input.Name, "gap") || strings.HasPrefix(input.Name, "delay until") {
			d.add(v, "sleep %.3f", input.Value)
		}
		if strings.HasPrefix(input.Name, "instances left") {
			d.add(v, "preempted")
		}
	}
	var blocked []string
	chosen := ""
	for _, c := range plan.Candidates() {
		if c.Note == "blocked" {
			blocked = append(blocked, c.Name)
		}
		if c.Chosen {
			chosen = c.Name
		}
	}
	if chosen != "" {
		slices.Sort(blocked)
		d.asked = "try " + chosen
		if _, blocks := v.State().(*policyutil.Memory[skyJob, *skyJob]); blocks {
			d.asked += " blocked " + strings.Join(blocked, "+")
		}
	} else if d.asked != "" {
		d.add(v, "%s granted", d.asked)
		d.asked = ""
	}
}

// expected turns a recorded trace into the form of the diary.
func (w *skyWorld) expected(trace string) (events []string) {
	if trace == "" {
		return nil
	}
	for event := range strings.SplitSeq(trace, ";") {
		f := strings.Fields(event)
		at, _ := strconv.ParseFloat(f[0], 64)
		what := ""
		switch f[1] {
		case "try":
			blocked := ""
			if len(f) > 4 {
				blocked = strings.Join(w.blocked(f[4]), "+")
			}
			what = fmt.Sprintf("try %s blocked %s %s", f[2], blocked, f[3])
		case "sleep":
			s, _ := strconv.ParseFloat(f[2], 64)
			what = fmt.Sprintf("sleep %.3f", s)
		case "run", "preempted":
			what = f[1]
		default:
			continue
		}
		events = append(events, fmt.Sprintf("%.6f %s", at, what))
	}
	return events
}

// blocked returns the pools of blocked zones and regions.
func (w *skyWorld) blocked(list string) (pools []string) {
	for name := range strings.SplitSeq(list, "+") {
		place, spot := strings.CutSuffix(name, "[spot]")
		for _, z := range w.Zones {
			if z.Zone != place && z.Region != place {
				continue
			}
			pool := z.Zone
			if spot {
				pool += "[spot]"
			}
			pools = append(pools, pool)
		}
	}
	slices.Sort(pools)
	return slices.Compact(pools)
}

// TestSkyPilot compares the policy in the simulator with SkyPilot's own code: what it asked for, when, what was
// blocked, every gap, every run and loss, and the cost.
func TestSkyPilot(t *testing.T) {
	check := near.Count(t)
	var world skyWorld
	compared := 0
	for _, row := range testutil.Rows(t, "policies/launchers/testdata/skypilot.csv") {
		if strings.HasPrefix(row["world"], "{") {
			world = skyWorld{}
			if err := json.Unmarshal([]byte(row["world"]), &world); err != nil {
				t.Fatal(err)
			}
		}
		var got diary
		w, err := sim.New(sim.Config{
			Market: world.market(t), Policy: world.policy(row["strategy"]), Recorder: &got,
			Jobs: []sim.Job{{Model: &gang{n: world.Nodes, work: world.Work, save: world.Checkpoint},
				Objective: sim.Objective{Within: seconds(world.Horizon)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		totals := w.Run()
		want := world.expected(row["trace"])
		compared += compareEvents(t, check, world.ID+" "+row["strategy"], got.events, want)
		usd, _ := strconv.ParseFloat(row["usd"], 64)
		if check.Off(totals.Bill.Total(), usd, 1e-5) {
			t.Errorf("%s %s: %v USD, want %v", world.ID, row["strategy"], totals.Bill.Total(), usd)
		}
		finish, _ := strconv.ParseFloat(row["finish_s"], 64) // empty: not within the horizon
		if job := &totals.Jobs[0]; job.Finished != (finish > 0) || job.Finished && check.Off(job.Elapsed.Seconds(), finish, 1e-3) {
			t.Errorf("%s %s: finished %v after %v, want %v s", world.ID, row["strategy"], job.Finished, job.Elapsed, finish)
		}
	}
	t.Logf("%d events", compared)
}

// compareEvents compares events with a recorded beginning of them, and returns how many are equal.
func compareEvents(t *testing.T, check *near.Counter, name string, got, want []string) int {
	for i := range want {
		if i >= len(got) || !sameEvent(check, got[i], want[i]) {
			t.Errorf("%s: event %d\n%s\nwant\n%s", name, i, some(got, i), some(want, i))
			return i
		}
	}
	return len(want)
}

// sameEvent reports whether two events are the same, but for a few microseconds.
func sameEvent(check *near.Counter, got, want string) bool {
	at, what, _ := strings.Cut(got, " ")
	when, expected, _ := strings.Cut(want, " ")
	x, _ := strconv.ParseFloat(at, 64)
	y, _ := strconv.ParseFloat(when, 64)
	return what == expected && !check.Off(x, y, 1e-3)
}

func some(events []string, i int) string {
	return strings.Join(events[min(max(i-3, 0), len(events)):min(i+3, len(events))], "\n")
}
