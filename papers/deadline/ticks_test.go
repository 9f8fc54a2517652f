package deadline

import (
	"flag"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/deadline/reference"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/plugin/process"
)

var allRows = flag.Bool("rows", false, "TestTicks: all 501 rows of the oracle, not every 60th")

// asked is a rule of Can't Be Late that is asked of a plug-in: the tick model of its authors as views of a market
// of two pools.
type asked struct {
	t       *testing.T
	carrier plugin.Carrier
	world   int64
}

// Answer implements reference.Rule.
func (a *asked) Answer(s *deadline.State) deadline.Machine {
	v := message.View{Type: "decide", World: a.world, NowS: s.Now, Trigger: "wake", Prices: []float64{0.9731, 3.06},
		Jobs: []message.Job{{
			DeadlineS: s.Deadline, WithinS: s.Deadline, Done: s.Done / s.Work, Safe: true,
			Training: s.Running != deadline.NoMachine && s.Warming < 1e-3, Held: []message.Held{}}}}
	if s.Running != deadline.NoMachine {
		v.Jobs[0].Held = []message.Held{{Pool: int(s.Running) - 1, Want: 1, Ready: 1}}
	}
	plan := a.decide(&v, s)
	if plan.Again { // it requests spot, and is told what it was granted
		v.Trigger = "again"
		if s.Available && s.Running != deadline.SpotMachine {
			v.Jobs[0].Held = append([]message.Held{{Want: 1, Starting: 1}}, v.Jobs[0].Held...)
		}
		plan = a.decide(&v, s)
	}
	if len(plan.Jobs) == 1 {
		plan.JobPlan = plan.Jobs[0]
	}
	hold := make([]int, 2)
	if err := plan.Hold.Into(hold, []string{"spot", "dear"}); err != nil {
		a.t.Fatal(err)
	}
	switch {
	case hold[0] == 1 && hold[1] == 0:
		return deadline.SpotMachine
	case hold[0] == 0 && hold[1] == 1:
		return deadline.OnDemandMachine
	case hold[0]+hold[1] != 0:
		a.t.Fatalf("hold %v", hold)
	}
	return deadline.NoMachine
}

func (a *asked) decide(v *message.View, s *deadline.State) *message.Plan {
	plan, err := a.carrier.Decide(v, func(*message.Ask) message.Answer {
		return message.Answer{Type: "answer", WholeS: &s.Work, ReadyS: s.Changeover, Max: 1}
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return plan
}

// TestTicks runs the rules of Can't Be Late in Python, in the interface of its public code, through the adapter
// ticks.py: cost, end, launches and preemptions of every row are those of an independent implementation. All
// rows by go test ./papers/deadline -run TestTicks -rows.
func TestTicks(t *testing.T) {
	check := near.Count(t)
	rows := testutil.Rows(t, "papers/deadline/testdata/deadline_policies.csv")
	hostile, zones := map[string]plugin.Carrier{}, map[string][]bool{}
	checked := 0
	for i, r := range rows {
		if !*allRows && i%60 != 0 {
			continue
		}
		rule, zone := r["policy"], r["zone"]
		if hostile[rule] == nil {
			hostile[rule] = started(t, rule)
		}
		if zones[zone] == nil {
			for _, x := range testutil.PublishedTable(t, "skynomad-aws-v100-availability", zone+"_v100_1.csv")[1:] {
				zones[zone] = append(zones[zone], x[1] != "0")
			}
		}
		number := func(column string) float64 { return testutil.Number(t, r[column]) }
		job := reference.Job{TickS: number("tick_s"), WorkS: 3600 * number("work_h"), DeadlineS: 3600 * number("deadline_h"),
			ChangeoverS: 3600 * number("changeover_h"), SpotUSDPerH: 0.9731, OnDemandUSDPerH: 3.06}
		run := message.Begin{Type: "begin", Pools: []message.Pool{{Name: "spot", Quota: 1}, {Name: "dear", OnDemand: true, Quota: 1}}}
		if err := hostile[rule].Begin(&run); err != nil {
			t.Fatal(err)
		}
		got, err := job.Replay(&asked{t, hostile[rule], run.World}, zones[zone][int(number("start_row")):])
		if err != nil {
			t.Fatal(err)
		}
		hostile[rule].End(run.World)
		if check.Off(got.CostUSD, number("cost_usd"), 1e-6) || check.Off(got.CompletionS/3600, number("completion_observed_h"), 1e-6) ||
			strconv.Itoa(got.Launches) != r["launches"] || strconv.Itoa(got.Preemptions) != r["preemptions"] {
			t.Errorf("row %d: %+v, want %v", i+2, got, r)
		}
		checked++
	}
	t.Logf("%d of %d rows hold", checked, len(rows))
}

// started starts a rule in Python.
func started(t *testing.T, rule string) plugin.Carrier {
	t.Helper()
	python := testutil.Python(t)
	const dir = "../../python"
	carrier, err := process.Start(process.Command{Dir: dir, Policy: rule,
		Args: []string{python, "-m", "marigram.ticks", "../policies/plugin/templates/testdata/cantbelate.py", rule}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { carrier.Close() })
	return carrier
}
