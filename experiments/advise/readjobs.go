package advise

import (
	"fmt"
	"maps"
	"slices"

	"github.com/marigram/marigram/sim"
)

// jobsReading reads what many jobs hold, which is instances that the state lists, or GPUs by pool.
type jobsReading struct {
	*reading
	named map[string]*life // instances of the state by their names
	all   []*life
}

func (m *manyJobs) read(in *reading, out *record) error {
	if !in.state.listsJobs() {
		return nil
	}
	r := jobsReading{reading: in, named: map[string]*life{}}
	for i := range in.state.Instances {
		l, err := in.life(fmt.Sprintf("$.instances[%d]", i), &in.state.Instances[i])
		if err != nil {
			return err
		}
		in.ask(&l)
		r.all = append(r.all, &l)
		r.named[l.id] = &l
	}
	out.heldBy = make([][]*life, len(m.list))
	out.begins = make([]sim.Time, len(m.list))
	for i := range in.state.Jobs {
		if err := r.job(i, m, out); err != nil {
			return err
		}
	}
	if err := m.checkOwners(r.all); err != nil {
		return err
	}
	out.inOrder = r.all
	out.order()
	return nil
}

// job reads what the i-th job of the state holds, and since when.
func (r *jobsReading) job(i int, m *manyJobs, out *record) error {
	said := &r.state.Jobs[i]
	path := fmt.Sprintf("$.jobs[%d]", i)
	j := m.numberOf(said.ID)
	submitted := r.started.Add(m.list[j].Submit)
	since, err := r.optional(path+".since", said.Since, submitted, "its submission")
	if err != nil {
		return err
	}
	if since == sim.Never {
		since = submitted
	}
	held, err := r.holds(path, said, since, submitted)
	if err != nil {
		return err
	}
	from := max(since, latest(held))
	if len(held) > 0 && from >= r.now {
		return r.state.errorAt(path,
			"%s runs since now: expected an earlier since, or neither on nor instances, as of a job that waits",
			said.ID)
	}
	gang := m.sims[j].Model.(sim.GangModel)
	least, most := sim.RangeOf(gang)
	switch {
	case len(held) == 0 || least <= len(held) && len(held) <= most:
	case least < most:
		return r.state.errorAt(path, "%s holds %d GPUs, and trains on %d to %d: expected as many, or none", said.ID, len(held),
			least, most)
	default:
		return r.state.errorAt(path,
			"%s holds %d of the %d GPUs that it needs all at once: expected %d, or none",
			said.ID, len(held), gang.Gang(), gang.Gang())
	}
	out.heldBy[j] = held
	out.begins[j] = from
	for _, l := range held {
		l.jobs = append(l.jobs, j)
	}
	return nil
}

// holds returns the instances of a job.
func (r *jobsReading) holds(path string, said *Job, since, submitted sim.Time) ([]*life, error) {
	switch {
	case len(said.On) > 0 && len(said.Instances) > 0:
		return nil, r.state.errorAt(path, "on and instances, expected one of them")
	case said.Instances != nil:
		return r.find(path+".instances", said.Instances, submitted)
	}
	return r.hold(path+".on", said.On, since)
}

// hold makes the instances of a job that has GPUs of pools since an instant.
func (r *jobsReading) hold(path string, by map[string]int, since sim.Time) (held []*life, err error) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		p, err := r.pool(path+"."+name, &location{pool: name})
		if err != nil {
			return nil, err
		}
		if n, quota := by[name], r.market.Pool(p).Quota; n < 1 || n > quota {
			return nil, r.state.errorAt(path+"."+name, "%d, expected 1 to the %d that there are", n, quota)
		}
		for range by[name] {
			l := &life{pool: p, released: sim.Never}
			l.Life = sim.Life{Granted: since, Ready: since, Noticed: sim.Never, Gone: sim.Never}
			r.ask(l)
			held = append(held, l)
		}
	}
	r.all = append(r.all, held...)
	return held, nil
}

// find finds the instances of a job by their names.
func (r *jobsReading) find(path string, ids []string, submitted sim.Time) (held []*life, err error) {
	for k, id := range ids {
		at := fmt.Sprintf("%s[%d]", path, k)
		l := r.named[id]
		switch {
		case l == nil:
			return nil, r.state.errorAt(at, "no instance %q: expected the id of one in instances", id)
		case l.Granted < submitted:
			return nil, r.state.errorAt(at, "%q is held since before the job was submitted", id)
		case l.end() <= r.now:
			return nil, r.state.errorAt(at, "%q is gone: expected instances that the job has now", id)
		}
		held = append(held, l)
	}
	return held, nil
}

// latest is the last grant of some instances.
func latest(held []*life) (at sim.Time) {
	for _, l := range held {
		at = max(at, l.Granted)
	}
	return at
}

// ask notes when an instance was asked for: in pools where a grant takes its time so long before, which is not before
// the run.
func (r *reading) ask(l *life) {
	wait := r.market.Pool(l.pool).Wait
	l.Granted = max(l.Granted, r.started.Add(wait))
	l.Ready = max(l.Ready, l.Granted)
	l.asked = l.Granted.Add(-wait)
}

// checkOwners checks that every instance has the jobs that it can have.
func (m *manyJobs) checkOwners(all []*life) error {
	state := m.adviser.state
	for _, l := range all {
		switch {
		case len(l.jobs) > 1:
			return state.errorAt("$.jobs",
				"instance %q is of %s and of %s: expected one job", l.id, m.list[l.jobs[0]].ID, m.list[l.jobs[1]].ID)
		case len(l.jobs) == 0:
			return state.errorAt("$.instances", "instance %q is of no job: expected it in the instances of one of jobs",
				l.id)
		}
	}
	return nil
}
