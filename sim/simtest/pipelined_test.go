package simtest

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// piped trains one step a second on each pipeline of two stages. A hole is
// covered at half speed unless its neighbour is one, too; then all since the
// last save is lost, in a minute. Laying out anew takes ten seconds and the step
// under way.
type piped struct {
	Linear
	persist time.Duration
}

func (m piped) Pace(l *sim.Layout) sim.Pace {
	if l.Pipelines == 0 || l.Total() < int(l.Pipelines*l.Stages)-int(l.Holes) {
		return sim.Pace{}
	}
	v := float64(l.Pipelines)
	if l.Holes > 0 {
		v /= 2
	}
	return sim.Pace{Progress: v, Iterations: v, Samples: v, Working: l.Pipelines*l.Stages - l.Holes, Step: 1}
}

func (m piped) Change(c *sim.Change) sim.Pause {
	if len(c.Hit) > 1 && c.Hit[0].Pipeline == c.Hit[1].Pipeline {
		return sim.Pause{Stall: time.Minute, As: sim.Restoring, Rollback: true}
	}
	if len(c.Hit) > 0 && !c.Anew {
		return sim.Pause{Cover: true}
	}
	if c.Anew || c.From.Pipelines != c.To.Pipelines {
		return sim.Pause{Stall: 10 * time.Second, As: sim.Reconfiguring, DropStep: true}
	}
	return sim.Pause{}
}

func (m piped) PersistTime(*sim.Layout) time.Duration { return m.persist }

// pipes wants so many instances in two pipelines, relays at one instant and
// saves at others.
type pipes struct {
	hold  int
	relay sim.Time
	saves []sim.Time
}

func (*pipes) Name() string { return "pipes" }

func (p *pipes) Decide(v sim.View, plan *sim.Plan) {
	j := &plan.Jobs[0]
	j.Hold[0], j.Pipelines, j.Stages = p.hold, 2, 2
	for _, at := range append([]sim.Time{p.relay}, p.saves...) {
		if at > v.Now() {
			plan.WakeIn(at.Sub(v.Now()))
		}
	}
	j.Relay = v.Now() == p.relay
	for _, at := range p.saves {
		j.Save = j.Save || v.Now() == at
	}
}

func second(s int) sim.Time { return sim.Time(0).Add(time.Duration(s) * time.Second) }

func TestPipelines(t *testing.T) {
	nodes := func(down ...int) []sim.NodeEvent { // node i goes at the i-th of down, in order; 0: never
		var up, gone []sim.NodeEvent
		for i, at := range down {
			up = append(up, sim.NodeEvent{Node: i, Up: true})
			if at > 0 {
				gone = append(gone, sim.NodeEvent{At: second(at), Node: i})
			}
		}
		return append(up, gone...)
	}
	for _, c := range []struct {
		name    string
		nodes   []sim.NodeEvent
		policy  pipes
		persist time.Duration
		steps   float64 // after 100 s
		redone  time.Duration
	}{
		{"undisturbed", nodes(0, 0, 0, 0), pipes{hold: 4}, 0, 200, 0},
		{"covered to the end", nodes(0, 40, 0, 0), pipes{hold: 4}, 0, 40*2 + 60, 0},
		{"covered, then the spare fills the hole", nodes(0, 40, 0, 0, 0), pipes{hold: 5, relay: second(60)}, 0, 40*2 + 20 + 30*2, 0},
		{"two stages of one pipeline, no save", nodes(40, 40, 0, 0, 0, 0), pipes{hold: 6}, 0, 0, 0},
		{"a stage each of two pipelines", nodes(0, 40, 40, 0), pipes{hold: 4}, 0, 40*2 + 60, 0},
		{"saved at 30, safe", nodes(50, 50, 0, 0, 0, 0), pipes{hold: 6, saves: []sim.Time{second(30)}}, 15 * time.Second, 60, 0},
		{"saved at 10 and 40, the second not safe", nodes(50, 50, 0, 0, 0, 0), pipes{hold: 6, saves: []sim.Time{second(10), second(40)}}, 15 * time.Second, 20, 0},
		{"a save while another is not safe is not made", nodes(50, 50, 0, 0, 0, 0), pipes{hold: 6, saves: []sim.Time{second(10), second(20)}}, 15 * time.Second, 20, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := sim.NewMarket(second(100), []sim.History{{Pool: sim.Pool{Name: "p", Quota: 6}, Prices: []sim.Price{{USD: 1}}, Nodes: c.nodes}})
			if err != nil {
				t.Fatal(err)
			}
			w, err := sim.New(sim.Config{Market: m, Policy: &c.policy, Jobs: []sim.Job{{
				Model: piped{persist: c.persist}, Objective: sim.Objective{Loss: LossAt(1000), Within: time.Hour}}}})
			if err != nil {
				t.Fatal(err)
			}
			w.Run()
			if got := 1/w.Totals().Jobs[0].Loss - 1; math.Abs(got-c.steps) > 1e-6 {
				t.Errorf("%v steps, want %v", got, c.steps)
			}
		})
	}
}
