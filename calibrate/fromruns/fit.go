package fromruns

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// ErrNoSpeed is the error of runs without a stretch of training on a known number of instances.
var ErrNoSpeed = errors.New("no stretch between two recorded numbers of steps on the same instances, " +
	"so that no speed can be fitted: expected at least two steps in a run while its instances, " +
	"which have to be recorded too, stay the same")

// Fit fits to the runs. idle are the instance types that do not train.
func Fit(runs []Run, idle []string) (*Fitted, error) {
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].Progress = gains(runs[i].Progress)
	}
	out := &Fitted{Idle: idle, Min: 1}
	out.fitBoots(runs)
	all := make([]clock, len(runs))
	var cells []cell
	mixed := 0.0
	unready := 0
	for i := range runs {
		out.Runs = append(out.Runs, runs[i].Name)
		fleet, unknown := newFleet(&runs[i], out.isIdle, out.GangStart.Mean())
		unready += unknown
		more, seconds := fleet.cells(&runs[i], i)
		mixed += seconds
		cells = append(cells, more...)
		all[i] = clock{number: i, run: &runs[i], fleet: &fleet, speed: out.speedIn(more)}
	}
	if len(cells) == 0 {
		return nil, ErrNoSpeed
	}
	out.speeds = fitSpeeds(cells, len(runs))
	out.fitMin(all)
	var found stops
	for i := range all {
		all[i].min = out.Min
		all[i].stops(&found)
	}
	out.fitStops(&found)
	out.noteSpeeds(mixed)
	if unready > 0 {
		out.note("instances without the instant at which they could train: %d, taken to do so %s after their grant",
			unready, span(out.GangStart.Mean()))
	}
	return out, nil
}

func (f *Fitted) isIdle(kind string) bool { return slices.Contains(f.Idle, kind) }

func (f *Fitted) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

func span(seconds float64) string { return time.Duration(seconds * 1e9).Round(time.Second).String() }

// speedIn returns the speeds of one run: its own where it shows them.
func (f *Fitted) speedIn(own []cell) func(kind string, n int) float64 {
	return func(kind string, n int) float64 {
		for _, one := range own {
			if one.kind == kind && one.workers == n {
				return one.steps / one.seconds
			}
		}
		if log, known := f.speeds.log(kind, n); known {
			return math.Exp(log)
		}
		return 0
	}
}

// observed fits a time, or says what stands in its place.
func (f *Fitted) observed(of *sample, seconds, sigma float64, what, why string) Quantity {
	switch len(of.values) {
	case 0:
		f.note("%s: not observed (%s); taken as %s", what, why, span(seconds))
		return assume(seconds, sigma)
	case 1:
		f.note("%s: one observation; the standard deviation of its logarithm is taken as %v", what, DefaultSigma)
	}
	return of.estimate()
}

// fitBoots fits what instances take to come and to train, and the notice before they go.
func (f *Fitted) fitBoots(runs []Run) {
	var boots, gangs, notices sample
	for i := range runs {
		own, gang := runs[i].boots(f.isIdle)
		boots.add(i, own...)
		gangs.add(i, gang...)
		for _, instance := range runs[i].Instances {
			if instance.Taken && instance.Gone > instance.Noticed {
				notices.add(i, instance.Gone-instance.Noticed)
			}
		}
	}
	usual := sim.DefaultBoot()
	f.Boot = assume(usual.Median.Seconds(), usual.Sigma)
	if len(boots.values) > 0 {
		f.Boot = f.observed(&boots, 0, 0, boot, "")
	} else if len(gangs.values) > 0 {
		f.note("boot: not observed (no instance with its grant and the instant at which it was ready itself); " +
			"the start of the gang is")
	}
	f.GangStart = f.observed(&gangs, usual.Median.Seconds(), usual.Sigma, gangStart,
		"no instance with its grant and the instant at which it could train")
	f.Notice = f.observed(&notices, sim.DefaultNotice("aws").Seconds(), 0, "notice", "no announced loss")
}

// fitStops fits how long training stands.
func (f *Fitted) fitStops(s *stops) {
	f.Losses = s.losses
	f.Rollbacks = s.back
	f.Restart = f.observed(&s.restarts, 0, 0, "restart", "no loss of an instance between two recorded numbers of steps")
	f.Resize = f.observed(&s.resizes, 0, 0, "resize", "no instance joined between two recorded numbers of steps")
	f.Save = f.observed(&s.saves, 0, 0, "save", "no saves recorded")
}

// noteSpeeds says what of the speeds could not be fitted.
func (f *Fitted) noteSpeeds(mixed float64) {
	if f.speeds.assumed {
		f.note("spread of runs: too few runs; the standard deviation of the logarithm of their speed is taken as %v",
			DefaultSpread)
	}
	var single []string
	for _, kind := range f.speeds.types() {
		if len(f.speeds.of(kind)) == 1 {
			single = append(single, kind)
		}
	}
	if single != nil {
		f.note("speed by size: one size only of %s; other sizes are taken in proportion to the number of instances",
			strings.Join(single, ", "))
	}
	if mixed > 0 {
		f.note("%s of training on instances of several types: not used for speeds; the speed of such a cluster is "+
			"taken to be the sum of what each instance does among as many of its own type", span(mixed))
	}
}

// fitMin looks for numbers of instances on which runs stood although they were there for long.
func (f *Fitted) fitMin(all []clock) {
	trained := map[int]bool{}
	stood := map[int]bool{}
	for _, c := range all {
		progress := c.run.Progress
		var gaps []float64
		for k := 1; k < len(progress); k++ {
			gaps = append(gaps, progress[k].At-progress[k-1].At)
		}
		if len(gaps) < 2 {
			continue
		}
		long := 5 * stats.Median(gaps)
		edges := append(slices.Clone(c.fleet.changes), progress[len(progress)-1].At)
		for k := 1; k < len(edges); k++ {
			from := max(edges[k-1], c.fleet.begun)
			to := edges[k]
			n, _ := c.fleet.at(from)
			if n == 0 || to <= from {
				continue
			}
			if gained(progress, from, to) {
				trained[n] = true
			} else if to-from > long {
				stood[n] = true
			}
		}
	}
	for n := range stood {
		if !trained[n] {
			f.Min = max(f.Min, n+1)
		}
	}
	for n := range trained {
		f.Min = min(f.Min, n)
	}
	if f.Min > 1 {
		f.note("runs stood on fewer than %d instances: they are taken to train on no fewer", f.Min)
	}
}

// gains leaves out points at which no more steps are done than at the one before.
func gains(points []Point) (out []Point) {
	for _, point := range points {
		if n := len(out); n == 0 || out[n-1].Steps != point.Steps {
			out = append(out, point)
		}
	}
	return out
}

// gained reports whether steps were done between two points within a span.
func gained(points []Point, from, to float64) bool {
	for i := 1; i < len(points); i++ {
		if points[i-1].At >= from && points[i].At <= to && points[i].Steps > points[i-1].Steps {
			return true
		}
	}
	return false
}
