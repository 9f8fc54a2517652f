package backtest_test

import (
	"math"
	"strconv"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/ownruns"
)

// began is when the runs begin, us since 1970: 1 June 2026.
const began = 1780272000e6

// journal writes down what a cluster and a trainer would record.
type journal struct {
	truth  *Truth
	events []ownruns.Event
	done   float64  // steps at the end of the last span
	saving sim.Time // since when it saves
	saves  bool
}

func (j *journal) add(at sim.Time, kind ownruns.Kind, instance string, value float64) {
	e := ownruns.Event{T: began + int64(at), Kind: kind, Instance: instance, Value: value}
	if instance != "" {
		e.Type, e.Zone = j.truth.Type, Zone
	}
	j.events = append(j.events, e)
}

// Decision implements sim.Recorder.
func (*journal) Decision(sim.View, *sim.Plan, bool) {}

// Instance implements sim.InstanceRecorder.
func (j *journal) Instance(now sim.Time, _, _, n int, what sim.InstanceEvent) {
	name := "i-" + strconv.Itoa(n)
	switch what {
	case sim.InstanceGranted:
		j.add(now, ownruns.Launched, name, math.NaN())
	case sim.InstanceReady:
		j.add(now, ownruns.Ready, name, math.NaN())
	case sim.InstanceRevoked:
		j.add(now, ownruns.Preempted, name, math.NaN())
	case sim.InstanceReleased:
		j.add(now, ownruns.Released, name, math.NaN())
	}
}

// Outage implements sim.InstanceRecorder.
func (*journal) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}

// Span implements sim.Recorder: steps are recorded when a multiple of LogEvery is done, and saves when they are
// complete.
func (j *journal) Span(s *sim.Span) {
	x := &s.Jobs[0]
	end := x.Done * j.truth.Steps
	if saves := x.Activity == sim.Checkpointing; saves != j.saves {
		if j.saves {
			j.add(s.From, ownruns.Save, "", s.From.Sub(j.saving).Seconds())
		}
		j.saves, j.saving = saves, s.From
	}
	if x.Rate > 0 {
		begin := end - x.Rate*s.To.Sub(s.From).Seconds()
		for k := math.Floor(begin/j.truth.LogEvery) + 1; k*j.truth.LogEvery <= end; k++ {
			at := s.To.Add(-span((end - k*j.truth.LogEvery) / x.Rate))
			j.add(at, ownruns.Step, "", k*j.truth.LogEvery)
		}
	}
	j.done = end
}

// end writes down how the run began and ended.
func (j *journal) end(at sim.Time) {
	j.add(0, ownruns.Start, "", math.NaN())
	if n := len(j.events); n > 0 {
		j.add(at, ownruns.Step, "", j.truth.Steps)
	}
	j.add(at, ownruns.End, "", math.NaN())
	e := ownruns.Event{T: began, Kind: ownruns.Price, Type: j.truth.Type, Zone: Zone, Value: j.truth.USDPerH}
	j.events = append(j.events, e)
	j.bill()
}

// bill writes down what each instance cost, from its grant on.
func (j *journal) bill() {
	since := map[string]int64{}
	for _, e := range j.events {
		switch {
		case e.Kind == ownruns.Launched:
			since[e.Instance] = e.T
		case e.Kind.Goes():
			c := e
			c.T, c.Kind, c.Value = since[e.Instance], ownruns.Charge, float64(e.T-since[e.Instance])/3600e6*j.truth.USDPerH
			j.events = append(j.events, c)
		}
	}
}
