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
	left := x.arrivals(each)
	var job sim.Job
	for {
		if more, err := left.Next(&job); err != nil || !more {
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

	job     Job // the last one
	chosen  int // that from_s, until_s and limit leave
	begins  time.Duration
	number  int // of the next
	dropped int
}

func (x *Jobs) arrivals(reported func(int, *Job)) *arrivals {
	return &arrivals{jobs: x, build: newBuilder(x.of, x.market), in: x.jobs.from(0), reported: reported}
}

// Fork implements sim.Arrivals. A fork tells nobody.
func (a *arrivals) Fork() sim.Arrivals {
	fork := *a
	fork.build = newBuilder(a.jobs.of, a.jobs.market)
	fork.in = a.jobs.jobs.from(a.in.at)
	fork.reported = nil
	return &fork
}

// Next implements sim.Arrivals.
func (a *arrivals) Next(job *sim.Job) (bool, error) {
	if more, err := a.choose(); err != nil || !more {
		return false, err
	}
	j := &a.job
	spec := a.jobs.of.spec.Jobs
	gang, _ := job.Model.(*throughput.Gang)
	if gang == nil {
		gang = new(throughput.Gang)
	}
	a.giveDeadline(j)
	a.build.giveRange(j)
	if err := a.build.gang(gang, j); err != nil {
		return false, fmt.Errorf("%s%w", a.jobs.of.place(j), err)
	}
	if spec.Believed == cluster.Requested && j.requested == 0 {
		return false, fmt.Errorf("%sjob %s has no time that was requested, expected one above 0, or no jobs.believed: "+
			"requested", a.jobs.of.place(j), j.ID)
	}
	*job = sim.Job{
		Name:      j.ID,
		Submit:    j.Submit,
		Model:     gang,
		Belief:    a.belief(job.Belief, gang, j),
		Objective: j.objective(),
		User:      j.User,
		Kind:      j.Kind,
	}
	if a.jobs.of.claims != nil {
		if err := a.claim(job, j); err != nil {
			return false, err
		}
	}
	if a.reported != nil {
		a.reported(a.number, j)
	}
	a.number++
	return true, nil
}

// claim notes what the user of a job asks of its scheduler; its queue is its vc then.
func (a *arrivals) claim(job *sim.Job, j *Job) (err error) {
	if job.Claim, j.VC, err = a.jobs.of.claims.Claim(j.User, j.VC, j.Kind); err != nil {
		return fmt.Errorf("%sjob %s: %w", a.jobs.of.place(j), j.ID, err)
	}
	return nil
}

// choose reads on to the next job that the spec leaves; false after the last.
func (a *arrivals) choose() (bool, error) {
	j := &a.job
	spec := a.jobs.of.spec.Jobs
	for {
		more, err := a.in.next(j)
		if err != nil || !more || spec.Limit > 0 && a.chosen == spec.Limit {
			return false, err
		}
		at := j.Submit.Seconds() - a.jobs.shifted().Seconds()
		a.build.time(j)
		if at < spec.FromS || spec.LongestS > 0 && j.duration.Seconds() > spec.LongestS {
			continue
		}
		if spec.UntilS != nil && at >= *spec.UntilS {
			return false, nil
		}
		a.shift(j, spec)
		if !spec.DropTooLarge || !a.build.tooLarge(j) {
			return true, nil
		}
		a.dropped++
	}
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
	rule := a.jobs.of.spec.Jobs.Deadlines
	if rule == nil || j.Deadline != 0 || j.duration <= 0 {
		return
	}
	draws := sim.Rand{Seed: uint64(a.jobs.seed)}.Stream(purposeDeadline, sim.NameEntity(j.ID))
	j.Deadline = rule.Of(j.duration, draws.Uniform(0))
}

// purposeBelief draws how long jobs are believed to take.
const purposeBelief = sim.PurposeUser + 451

// belief is a job as schedulers believe it to be, in the memory of an earlier one; nil where they know it.
func (a *arrivals) belief(old sim.Model, gang *throughput.Gang, j *Job) sim.Model {
	spec := a.jobs.of.spec.Jobs
	if !spec.Believes() {
		return nil
	}
	believed, _ := old.(*throughput.Gang)
	if believed == nil {
		believed = new(throughput.Gang)
	}
	*believed = *gang
	switch spec.Believed {
	case cluster.Requested:
		believed.Total *= j.requested.Seconds() / a.build.seconds(gang, j)
	case cluster.Unknown:
		believed.Total *= time.Hour.Seconds() / a.build.seconds(gang, j)
	}
	draws := sim.Rand{Seed: uint64(a.jobs.seed)}
	z := draws.Stream(purposeBelief, sim.NameEntity(j.ID)).Normal(0) // as jobs.believed_sigma says
	believed.Total *= math.Exp(spec.BelievedSigma * z)
	return believed
}

// shift counts the time of a job from the first that is left, or from from_s on where jobs follow the start of the run,
// at the load that is wanted.
func (a *arrivals) shift(j *Job, spec *cluster.Jobs) {
	if a.chosen == 0 {
		a.begins = j.Submit
		if spec.FollowStart {
			a.begins = sim.At(spec.FromS).Sub(0) + a.jobs.start
		}
	}
	a.chosen++
	j.Submit -= a.begins
	if spec.Load != nil {
		j.Submit = time.Duration(float64(j.Submit) / *spec.Load).Round(time.Microsecond)
	}
	j.Submit += time.Duration(spec.FirstS * float64(time.Second)).Round(time.Microsecond)
}
