package experiments

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Systems puts checkpoint and restart, CheckFreq, Varuna, Bamboo and Oobleck on
// the same recorded machines, each training the same network at the speed that
// Oobleck's artifact measured of it (checkpoint and CheckFreq: of Varuna).
type Systems struct {
	Network  string        // of Oobleck's artifact: BERT-Large or GPT-2
	USDPerH  float64       // price of an instance, which such histories do not have
	Notice   time.Duration // before a machine goes
	Boot     time.Duration // of a machine
	Every    time.Duration // between two starts in the history
	Span     time.Duration // of each run
	Interval time.Duration // between the saves of Bamboo and Oobleck; the others have their own rules
	Prior    time.Duration // mean time between losses that checkpoint takes for its interval at first
	Settle   time.Duration // after a save or pause before checkpoint, CheckFreq and Varuna grow
	Snapshot float64       // share of a save for which CheckFreq stops training: an assumption
}

// system is one of them.
type system struct {
	policy   sim.Policy
	table    calibrate.NodeTable
	recovery calibrate.Recovery
}

// unending is a job that no run completes, samples.
const unending = 1e12

// Run makes a run of each system from each start and returns them by system,
// then start. Samples are those that count at the end.
func (s *Systems) Run(set *traces.Set) ([]results.Summary, error) {
	if s.Span <= 0 || s.Every <= 0 {
		return nil, fmt.Errorf("runs of %v every %v, expected more than 0", s.Span, s.Every)
	}
	list, err := s.list()
	if err != nil {
		return nil, err
	}
	market, err := s.market(set)
	if err != nil {
		return nil, err
	}
	var rows []results.Summary
	var w sim.World
	for _, x := range list {
		model, err := x.table.Model(unending, x.recovery)
		if err != nil {
			return nil, err
		}
		job := sim.Job{Model: model, Objective: sim.Objective{Within: s.Span}}
		for start := sim.Time(0); start.Add(s.Span) <= market.End(); start = start.Add(s.Every) {
			if err := w.Reset(sim.Config{Market: market, Policy: x.policy, Start: start, Horizon: s.Span, Billing: sim.PerSecond(), Jobs: []sim.Job{job}}); err != nil {
				return nil, err
			}
			rows = append(rows, s.summary(len(rows), x.policy.Name(), set.Manifest.TraceID, w.Run()))
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("the history lasts %v, expected at least %v", market.End().Sub(0), s.Span)
	}
	return rows, nil
}

func (s *Systems) list() ([]system, error) {
	tables := map[string]calibrate.NodeTable{}
	for _, name := range []string{"varuna", "bamboo", "oobleck"} {
		t, err := calibrate.OobleckTable(name, s.Network)
		if err != nil {
			return nil, err
		}
		tables[name] = t
	}
	restarts := tables["varuna"].Recovery(0)
	phased := restarts
	phased.Save = time.Duration(s.Snapshot * float64(restarts.Save))
	phased.Persist = restarts.Save - phased.Save
	recovery := map[string]calibrate.Recovery{"checkpoint": restarts, "checkfreq": phased, "varuna": restarts}
	for _, name := range []string{"bamboo", "oobleck"} { // which save as Varuna does
		r := tables[name].Recovery(restarts.Restart)
		r.Save = restarts.Save
		recovery[name] = r
	}
	tables["checkpoint"], tables["checkfreq"] = tables["varuna"], tables["varuna"]
	var list []system
	for _, p := range []sim.Policy{
		&policies.Checkpoint{Prior: s.Prior, Settle: s.Settle},
		&policies.CheckFreq{Budget: 0.035, Settle: s.Settle},
		&policies.Varuna{Steps: 10, OnNotice: 1, Settle: s.Settle},
		&policies.Bamboo{Risk: 0.05, Interval: s.Interval, Spread: 1},
		&policies.Oobleck{Interval: s.Interval, Grow: 1},
	} {
		list = append(list, system{p, tables[p.Name()], recovery[p.Name()]})
	}
	return list, nil
}

// market makes one pool of the machines of a set.
func (s *Systems) market(set *traces.Set) (*sim.Market, error) {
	pool := sim.Pool{Name: "machines", Notice: s.Notice, Boot: sim.Boot{Median: s.Boot}}
	h := sim.History{Pool: pool, Prices: []sim.Price{{USD: s.USDPerH}}}
	m := &set.Manifest
	nodes := map[string]int{}
	for _, r := range set.InstanceEvents {
		up := r.Kind == traces.KindRunning
		if up {
			nodes[r.InstanceID] = h.Quota
			h.Quota++
		}
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.Time(r.T - m.TStartUs), Node: nodes[r.InstanceID], Up: up})
	}
	return sim.NewMarket(sim.Time(m.TEndUs-m.TStartUs), []sim.History{h})
}

func (s *Systems) summary(run int, policy, trace string, t *sim.Totals) results.Summary {
	j := &t.Jobs[0]
	hours := func(a sim.Activity) float64 { return j.Activities[a].Hours() }
	return results.Summary{
		Run: int64(run), Scenario: s.Network, Policy: policy, Market: trace, Replay: "per_event",
		ObjectiveS: s.Span.Seconds(), HorizonS: s.Span.Seconds(), LossReached: j.Loss, Samples: max(unending-j.Loss, 0),
		CostUSD: t.Bill.Total(), CostSpotUSD: t.Bill.Spot, CostTopupUSD: t.Bill.TopUp, Preemptions: t.Preemptions, InstanceH: j.InstanceTime.Hours(),
		UsefulH: hours(sim.Useful), RedundantH: hours(sim.Redundant), CheckpointingH: hours(sim.Checkpointing), RestoringH: hours(sim.Restoring),
		ReconfiguringH: hours(sim.Reconfiguring), RedoneH: hours(sim.Redone), WaitingH: hours(sim.Waiting), StartingH: hours(sim.Starting),
	}
}
