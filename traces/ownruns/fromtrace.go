package ownruns

import (
	"maps"
	"math"
	"slices"

	"github.com/marigram/marigram/traces"
)

// fromTrace says which events of a trace's machines are which of a run's.
var fromTrace = map[string]Kind{
	"request":             Requested,
	traces.KindLaunch:     Launched,
	traces.KindLaunchFail: Refused,
	traces.KindRunning:    Ready,
	traces.KindNotice:     Notice,
	traces.KindRebalance:  Rebalance,
	traces.KindPreempt:    Preempted,
	traces.KindTerminate:  Terminated,
}

// FromTrace takes the machines' events and the prices of a trace for those of a run: what
// clouds tell about machines is imported by package formats. Machines of pools whose market
// is on_demand are on demand. Events of other kinds are left out, which a note says.
func FromTrace(set *traces.Set) (*Run, error) {
	var files []string
	for _, f := range set.Manifest.Source.Files {
		files = append(files, f.Path)
	}
	var events []Event
	left := map[string]bool{}
	for i := range set.InstanceEvents {
		x := &set.InstanceEvents[i]
		e := ofMachine(x, &set.Pools[x.PoolID])
		if e.Kind == None {
			left[x.Kind] = true
			continue
		}
		events = append(events, e)
	}
	for i := range set.Prices {
		price := &set.Prices[i]
		pool := &set.Pools[price.PoolID]
		if pool.InstanceType == "" {
			continue
		}
		events = append(events, Event{
			T:        price.T,
			Kind:     Price,
			Type:     pool.InstanceType,
			Zone:     pool.Zone,
			Value:    traces.USD(price.PriceNanoUSD),
			OnDemand: pool.Market == marketOnDemand,
			File:     price.SrcFile,
			Line:     line(price.SrcRow),
		})
	}
	r, err := New(set.Manifest.TraceID, set.Manifest.ClockKind == traces.ClockRelative, files, events)
	if err != nil {
		return nil, err
	}
	for _, kind := range slices.Sorted(maps.Keys(left)) {
		r.Note("events of machines of kind %q were left out", kind)
	}
	return r, nil
}

// marketOnDemand is what pools of machines on demand have for their market.
const marketOnDemand = "on_demand"

// ofMachine is one event of a trace's machine; its kind is None where a run has none.
func ofMachine(x *traces.InstanceEventRow, pool *traces.Pool) Event {
	e := Event{
		T:        x.T,
		Kind:     fromTrace[x.Kind],
		Instance: x.InstanceID,
		Type:     pool.InstanceType,
		Zone:     pool.Zone,
		Value:    math.NaN(),
		OnDemand: pool.Market == marketOnDemand,
		File:     x.SrcFile,
		Line:     line(x.SrcRow),
	}
	switch {
	case e.Kind == Terminated && x.Reason == traces.ReasonUser:
		e.Kind = Released
	case e.Kind == Terminated && x.Reason == traces.ReasonHostError:
		e.Kind = Failed
	case e.Kind == Notice && x.NoticeUs != nil:
		e.Value = float64(*x.NoticeUs) / 1e6
	}
	return e
}

// line is a row of a source as a line.
func line(row int64) int32 { return int32(max(0, min(row, math.MaxInt32))) }
