package market

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// repairedAfter is the median time that InfiniteHBD's servers were down: of a repair where the spec says nothing.
const repairedAfter = 20.4 * 3600

// readFailures reads the failures of a spec, with recorded faults.
func (m *Markets) readFailures() error {
	m.failures = failures{}
	s := m.spec
	for _, x := range s.Failures() {
		of, err := m.failuresOf(&x)
		if err != nil {
			return err
		}
		m.failures[x.Failures] = of
	}
	return nil
}

// failuresOf makes the failures that are at a place of the spec.
func (m *Markets) failuresOf(x *spec.PlacedFailures) (*sim.Failures, error) {
	of := &sim.Failures{
		PerHour:      x.Per1000NodeDays / 1000 / 24,
		Shape:        x.Shape,
		OnlyTraining: x.OnlyWhileTraining,
		Detect:       units.Seconds(x.DetectS),
		Undiagnosed:  x.Undiagnosed,
		Misdiagnosed: x.Misdiagnosed,
		Standbys:     x.Standbys,
	}
	if x.Law == "lognormal" {
		of.Sigma = x.Sigma
	}
	if x.Bad != nil {
		of.BadShare = x.Bad.Share
		of.BadTimes = x.Bad.Times
	}
	if x.Spares != nil {
		of.Spares = x.Spares.Count
		of.SpareWait = units.Seconds(x.Spares.WaitS)
	}
	if x.Retire != nil {
		of.Retire = x.Retire.After
		of.Within = units.Seconds(x.Retire.WithinH * 3600)
	}
	for _, stage := range x.Repair {
		of.Repairs = append(of.Repairs, sim.Repair{
			Boot:  sim.Boot{Median: units.Seconds(stage.MedianH * 3600), Sigma: stage.Sigma},
			Mean:  units.Seconds(stage.MeanH * 3600),
			Ends:  stage.Share,
			Works: stage.Works,
		})
	}
	if len(x.Repair) == 0 {
		of.Repairs = []sim.Repair{{Boot: sim.Boot{Median: units.Seconds(repairedAfter)}, Works: 1}}
	}
	if x.Trace == "" {
		return of, nil
	}
	set, err := Load(m.spec, &spec.Trace{Path: x.Trace})
	if err == nil {
		of.Outages, err = outages(set, x.Machines)
	}
	if err == nil {
		seen := time.Duration(set.Manifest.TEndUs-set.Manifest.TStartUs) * time.Microsecond
		if horizon := m.spec.Horizon(); seen < horizon {
			err = fmt.Errorf("the faults were observed for %.1f h, expected at least the horizon, %.1f h",
				seen.Hours(), horizon.Hours())
		}
	}
	if err != nil {
		return nil, m.spec.ErrorAt(x.Place+".trace", "%s: %v", x.Trace, err)
	}
	m.Inputs = append(m.Inputs, set.Manifest.Source.Files...)
	return of, nil
}

// outages returns when the machines of a set of one pool were down. They are numbered in an order that has nothing to
// do with their faults: that of the hashes of their names.
func outages(set *traces.Set, machines int) ([]sim.Outage, error) {
	if len(set.Pools) != 1 || len(set.InstanceEvents) == 0 {
		return nil, fmt.Errorf("%d pools and %d events of machines, expected one pool whose machines come and go",
			len(set.Pools), len(set.InstanceEvents))
	}
	number := map[string]int{}
	var names []string
	for i := range set.InstanceEvents {
		if name := set.InstanceEvents[i].InstanceID; number[name] == 0 {
			number[name] = 1
			names = append(names, name)
		}
	}
	if len(names) < machines {
		return nil, fmt.Errorf("%d machines, expected at least those of the spec with standbys and spares: %d",
			len(names), machines)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(sim.NameEntity(a), sim.NameEntity(b)), cmp.Compare(a, b))
	})
	for k, name := range names {
		number[name] = k
	}
	var all []sim.Outage
	down := map[string]int{} // place in all, plus 1
	for i := range set.InstanceEvents {
		e := &set.InstanceEvents[i]
		at := sim.Time(e.T - set.Manifest.TStartUs)
		switch k := down[e.InstanceID]; {
		case e.Goes() && k == 0:
			all = append(all, sim.Outage{Machine: number[e.InstanceID], From: at, Until: sim.Never})
			down[e.InstanceID] = len(all)
		case e.Comes() && k > 0:
			all[k-1].Until = max(at, all[k-1].From+1)
			delete(down, e.InstanceID)
		}
	}
	return all, nil
}

// failWhole makes the servers of an entry of the spec fail, each as a whole.
func (f failures) failWhole(x *cluster.Servers, servers []sim.Trace) {
	if x.Failures == nil {
		return
	}
	of := *f[x.Failures]
	of.Whole = true
	for i := range servers {
		servers[i].Failures = &of
		servers[i].Reserved = false
	}
}
