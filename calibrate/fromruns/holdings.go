package fromruns

import (
	"math"
	"slices"
)

// fleet is the workers of a run over time, each from when it trains.
type fleet struct {
	workers []worker
	changes []float64 // ascending: a worker came, or went
	losses  []float64 // those at which some were taken
	joins   []float64 // those at which some came after training had begun, as recorded
	begun   float64   // training began
}

type worker struct {
	kind        string
	from, until float64
}

// ready returns from when an instance trains, NaN if that is not recorded. Where training began after all instances
// that were there first were ready, or where a run does not say when any of them was, they train from then on: what
// there was to wait for and to set up is the start of the gang.
func (r *Run) ready(x *Instance, begun float64) float64 {
	if len(r.Progress) == 0 || x.Launched > begun || x.Ready > begun {
		return x.Ready
	}
	said := false
	late := false
	for i := range r.Instances {
		other := &r.Instances[i]
		if other.Launched <= begun {
			said = said || other.Ready <= begun
			late = late || other.Ready > begun
		}
	}
	if late || said && math.IsNaN(x.Ready) {
		return x.Ready
	}
	return begun
}

// boots returns how long the instances of a run took from the grant until each was ready itself, as far as that is
// recorded, and gangs how long until it trained, for which the first wait until the slowest of them is ready, and all
// is set up. Instances that were ready when the run began say nothing.
func (r *Run) boots(idle func(kind string) bool) (boots, gangs []float64) {
	begun := r.begun()
	for i := range r.Instances {
		instance := &r.Instances[i]
		if idle(instance.Type) || instance.Ready <= 0 {
			continue
		}
		if instance.Ready >= instance.Launched {
			boots = append(boots, instance.Ready-instance.Launched)
		}
		if at := r.ready(instance, begun); at >= instance.Launched {
			gangs = append(gangs, at-instance.Launched)
		}
	}
	return boots, gangs
}

// newFleet works out when the workers of a run came and went. Instances of which it is not recorded when they could
// train took start seconds; unknown counts them.
func newFleet(r *Run, idle func(kind string) bool, start float64) (f fleet, unknown int) {
	f.begun = r.begun()
	for i := range r.Instances {
		instance := &r.Instances[i]
		if idle(instance.Type) {
			continue
		}
		ready := r.ready(instance, f.begun)
		known := !math.IsNaN(ready)
		if !known && instance.Gone < r.End &&
			slices.ContainsFunc(r.Instances, func(y Instance) bool { return y.Ready > 0 }) {
			continue // the run says when others were ready: it went before it was
		}
		if !known {
			ready = instance.Launched + start
			unknown++
		}
		if !(ready < instance.Gone) {
			continue
		}
		f.workers = append(f.workers, worker{instance.Type, ready, instance.Gone})
		f.changes = append(f.changes, ready)
		if known && ready > f.begun {
			f.joins = append(f.joins, ready)
		}
		if instance.Gone < r.End {
			f.changes = append(f.changes, instance.Gone)
			if instance.Taken && instance.Gone > f.begun {
				f.losses = append(f.losses, instance.Gone)
			}
		}
	}
	for _, list := range []*[]float64{&f.changes, &f.losses, &f.joins} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f, unknown
}

// begun returns when training began: at the first point, less what its steps took.
func (r *Run) begun() float64 {
	if len(r.Progress) == 0 {
		return r.End
	}
	first := r.Progress[0]
	if from, _ := r.Steps(); from == 0 && first.Steps > 0 && len(r.Progress) > 1 {
		if next := r.Progress[1]; next.Steps > first.Steps {
			first.At -= first.Steps / (next.Steps - first.Steps) * (next.At - first.At)
		}
	}
	return math.Max(first.At, 0)
}

// at returns how many workers train at an instant, those that come at it included, and of which type they are: "" if
// of several.
func (f *fleet) at(t float64) (n int, kind string) {
	for _, one := range f.workers {
		if one.from <= t && t < one.until {
			if n == 0 {
				kind = one.kind
			} else if one.kind != kind {
				kind = ""
			}
			n++
		}
	}
	return n, kind
}

// steady reports whether no worker comes or goes between two instants, the ends left out.
func (f *fleet) steady(from, to float64) bool {
	i, found := slices.BinarySearch(f.changes, from)
	if found {
		i++
	}
	return i >= len(f.changes) || f.changes[i] >= to
}
