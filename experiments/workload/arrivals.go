package workload

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim"
)

// Open implements sim.Source.
func (x *Jobs) Open() sim.Arrivals { return x.arrivals(nil) }

// Telling returns the jobs as a source that also tells of each, before it is submitted, what the spec says of it. Jobs
// are numbered from 0.
func (x *Jobs) Telling(reported func(number int, j *Job)) sim.Source { return telling{x, reported} }

type telling struct {
	*Jobs
	reported func(int, *Job)
}

func (t telling) Open() sim.Arrivals { return t.arrivals(t.reported) }

// Each calls each for all jobs.
func (x *Jobs) Each(each func(number int, j *Job)) error {
	a, job := x.arrivals(each), sim.Job{}
	for {
		if more, err := a.Next(&job); err != nil || !more {
			return err
		}
	}
}

// arrivals is what is left of the jobs. It implements sim.Arrivals.
type arrivals struct {
	jobs     *Jobs
	build    *builder
	in       cursor
	reported func(int, *Job)

	job             Job // the last one
	chosen          int // that from_s, until_s and limit leave
	begins          time.Duration
	number, dropped int
}

func (x *Jobs) arrivals(reported func(int, *Job)) *arrivals {
	return &arrivals{jobs: x, build: newBuilder(x.of, x.market), in: x.jobs.from(0), reported: reported}
}

// Fork implements sim.Arrivals. A fork tells nobody.
func (a *arrivals) Fork() sim.Arrivals {
	c := *a
	c.build, c.in, c.reported = newBuilder(a.jobs.of, a.jobs.market), a.jobs.jobs.from(a.in.at), nil
	return &c
}

// Next implements sim.Arrivals.
func (a *arrivals) Next(job *sim.Job) (bool, error) {
	j, x := &a.job, a.jobs.of.spec.Jobs
	for {
		more, err := a.in.next(j)
		if err != nil || !more || x.Limit > 0 && a.chosen == x.Limit {
			return false, err
		}
		at := j.Submit.Seconds() - a.jobs.shifted().Seconds()
		a.build.time(j)
		if at < x.FromS || x.LongestS > 0 && j.duration.Seconds() > x.LongestS {
			continue
		}
		if x.UntilS != nil && at >= *x.UntilS {
			return false, nil
		}
		a.shift(j, x)
		if !x.DropTooLarge || !a.build.tooLarge(j) {
			break
		}
		a.dropped++
	}
	gang, _ := job.Model.(*throughput.Gang)
	if gang == nil {
		gang = new(throughput.Gang)
	}
	a.giveDeadline(j)
	if err := a.build.gang(gang, j); err != nil {
		return false, fmt.Errorf("%s%w", a.jobs.of.place(j), err)
	}
	if x.Believed == cluster.Requested && j.requested == 0 {
		return false, fmt.Errorf("%sjob %s has no time that was requested, expected one above 0, or no jobs.believed: requested", a.jobs.of.place(j), j.ID)
	}
	*job = sim.Job{Name: j.ID, Submit: j.Submit, Model: gang, Belief: a.belief(job.Belief, gang, j), Objective: j.within(), User: j.User, Kind: j.Kind}
	if a.reported != nil {
		a.reported(a.number, j)
	}
	a.number++
	return true, nil
}

// shifted is how much later in the trace the jobs of a run are, because it starts later.
func (x *Jobs) shifted() time.Duration {
	if x.of.spec.Jobs.FollowStart {
		return x.start
	}
	return 0
}

// purposeDeadline draws the factors of deadlines.
const purposeDeadline = sim.PurposeUser + 450

// giveDeadline gives a deadline to a job of a known duration that has none, if the spec has a rule for it.
func (a *arrivals) giveDeadline(j *Job) {
	if d := a.jobs.of.spec.Jobs.Deadlines; d != nil && j.Deadline == 0 && j.duration > 0 {
		draws := sim.Rand{Seed: uint64(a.jobs.seed)}.Stream(purposeDeadline, sim.NameEntity(j.ID))
		j.Deadline = d.Of(j.duration, draws.Uniform(0))
	}
}

// purposeBelief draws how long jobs are believed to take.
const purposeBelief = sim.PurposeUser + 451

// belief is a job as schedulers believe it to be, in the memory of an earlier one; nil where they know it.
func (a *arrivals) belief(old sim.Model, gang *throughput.Gang, j *Job) sim.Model {
	x := a.jobs.of.spec.Jobs
	if !x.Believes() {
		return nil
	}
	believed, _ := old.(*throughput.Gang)
	if believed == nil {
		believed = new(throughput.Gang)
	}
	*believed = *gang
	switch x.Believed {
	case cluster.Requested:
		believed.Total *= j.requested.Seconds() / a.build.seconds(gang, j)
	case cluster.Unknown:
		believed.Total *= time.Hour.Seconds() / a.build.seconds(gang, j)
	}
	z := sim.Rand{Seed: uint64(a.jobs.seed)}.Stream(purposeBelief, sim.NameEntity(j.ID)).Normal(0)
	believed.Total *= math.Exp(x.BelievedSigma * z)
	return believed
}

// shift counts the time of a job from the first that is left, or from from_s on where jobs follow the start of the run,
// at the load that is wanted.
func (a *arrivals) shift(j *Job, x *cluster.Jobs) {
	if a.chosen == 0 {
		a.begins = j.Submit
		if x.FollowStart {
			a.begins = sim.At(x.FromS).Sub(0) + a.jobs.start
		}
	}
	a.chosen++
	j.Submit -= a.begins
	if x.Load != nil {
		j.Submit = time.Duration(float64(j.Submit) / *x.Load).Round(time.Microsecond)
	}
	j.Submit += time.Duration(x.FirstS * float64(time.Second)).Round(time.Microsecond)
}
