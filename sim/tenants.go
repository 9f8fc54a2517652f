package sim

import (
	"slices"
	"time"
)

// stage is where a job is between hosts.
type stage uint8

const (
	away     stage = iota // not all of its tasks are launched
	launched              // all are: it trains, or starts to
	stopping              // it trains on until a stop takes effect
	leaving               // it saves, and then leaves
)

// tenant is how the tasks of a job are placed.
type tenant struct {
	model   TaskModel
	stage   stage
	began   bool    // a task has been launched
	to      []int32 // by task: the host of the plan, Nowhere for none
	on      []int32 // by task: the host where it has room, Nowhere for none
	up      []Time  // by task: when its launch is complete; longAgo once that was noted
	since   []Time  // by task: from when it has had room; Never once a recorder was told
	next    Time    // when the stop takes effect, or the job has left; Never in other stages
	leaving int32   // tasks that have room still, though the job is over
	keeps   float64 // part of its speed beside its neighbours
	alone   float64 // its progress a second without them
}

// longAgo is before any launch.
const longAgo Time = -1

// what the landlord's timer is set for.
type errand uint8

const (
	returning errand = iota // a host goes
	vacating                // tasks of jobs that are done leave a host
)

// due is an errand of the landlord.
type due struct {
	at   Time
	host int32
	what errand
	job  int32 // whose tasks leave
}

// packing is the hosts of a Packer's world, and who is on them. The landlord is a job of the world's own behind those of the
// run: it holds the instances, so that requests, grants, notices and bills are those of any job.
type packing struct {
	landlord int    // -1 where jobs have instances of their own
	hosts    []host // ascending by number
	tenants  []tenant
	dues     []due // ascending
	emptied  bool  // a host may be empty that is to end
	packed   []Job // memory of specs
	paying   []payer
}

// landlordModel is the model of a job that holds hosts.
type landlordModel struct{}

func (landlordModel) Rate(*Layout) Rate              { return Rate{} }
func (landlordModel) Begin(*Layout) float64          { return 0 }
func (landlordModel) Goal(float64) float64           { return 1 }
func (landlordModel) Loss(float64) float64           { return 0 }
func (landlordModel) Change(*Change) Pause           { return Pause{} }
func (landlordModel) SaveTime(*Layout) time.Duration { return 0 }
func (landlordModel) Gang() int                      { return 1 }
func (landlordModel) Work() float64                  { return 1 }
func (landlordModel) Weight() float64                { return 1 }

// withLandlord returns the jobs of a Packer's world.
func (x *packing) withLandlord(jobs []Job) []Job {
	x.packed = append(append(x.packed[:0], jobs...), Job{Name: "hosts", Model: landlordModel{}})
	return x.packed
}

// hostPool is the job that holds hosts, below 0 if there is none.
func (x *packing) hostPool() int { return x.landlord }

// reset makes all tasks wait.
func (x *packing) reset(t *training, packs bool) {
	x.hosts, x.dues, x.emptied, x.tenants, x.landlord = x.hosts[:0], x.dues[:0], false, x.tenants[:0], -1
	if !packs {
		return
	}
	x.landlord = len(t.jobs) - 1
	t.jobs[x.landlord].layer = hostLayer{}
	x.tenants = extend(x.tenants, x.landlord)
	for j := range x.tenants {
		x.admit(t, j)
	}
}

// admit makes all tasks of a job wait, if there are hosts for them.
func (x *packing) admit(jobs *training, j int) {
	if x.landlord < 0 {
		return
	}
	jobs.jobs[j].byTasks = true
	t, m := &x.tenants[j], jobs.specs[j].Model.(TaskModel)
	n := m.Gang()
	*t = tenant{model: m, next: Never, to: resize(t.to, n), on: resize(t.on, n), up: resize(t.up, n), since: resize(t.since, n)}
	for k := range n {
		t.to[k], t.on[k], t.up[k], t.since[k] = Nowhere, Nowhere, Never, Never
	}
}

// isLeaving reports whether tasks of a job that is over have room still.
func (x *packing) isLeaving(j int) bool { return x.landlord >= 0 && x.tenants[j].leaving > 0 }

// copyFrom makes x the packing of a fork of src.
func (x *packing) copyFrom(src *packing) {
	old := *x
	*x = *src
	x.hosts = extend(old.hosts[:0], len(src.hosts))
	for k := range src.hosts {
		h, o := src.hosts[k], x.hosts[k]
		h.on, h.coming, h.images = append(o.on[:0], h.on...), append(o.coming[:0], h.coming...), append(o.images[:0], h.images...)
		x.hosts[k] = h
	}
	x.tenants = extend(old.tenants[:0], len(src.tenants))
	for j := range src.tenants {
		t, o := src.tenants[j], x.tenants[j]
		t.to, t.on, t.up, t.since = append(o.to[:0], t.to...), append(o.on[:0], t.on...), append(o.up[:0], t.up...), append(o.since[:0], t.since...)
		x.tenants[j] = t
	}
	x.dues = append(old.dues[:0], src.dues...)
	x.packed, x.paying = append(old.packed[:0], src.packed...), old.paying
}

// later adds an errand of the landlord.
func (w *World) later(x due) {
	k, _ := slices.BinarySearchFunc(w.dues, x.at, func(d due, at Time) int {
		if d.at <= at {
			return -1
		}
		return 1
	})
	w.dues = slices.Insert(w.dues, k, x)
	w.timers.Set(w.jobSlot(w.landlord), w.dues[0].at)
}

// errands does what the landlord's timer was set for.
func (w *World) errands() {
	w.changed()
	for len(w.dues) > 0 && w.dues[0].at <= w.now {
		d := w.dues[0]
		w.dues = slices.Delete(w.dues, 0, 1)
		h := w.hostOf(d.host)
		switch {
		case h == nil: // the cloud took it
		case d.what == returning:
			w.release(h.inst)
		default:
			h.on = slices.DeleteFunc(h.on, func(g guest) bool { return g.job == d.job && w.leftOver(g) })
			w.emptied = w.emptied || h.ending
			w.stir(h)
		}
	}
	at := Never
	if len(w.dues) > 0 {
		at = w.dues[0].at
	}
	w.timers.Set(w.jobSlot(w.landlord), at)
	w.supply = true
}

// leftOver reports whether the job of a task that has room still is done, and counts it as gone then.
func (w *World) leftOver(g guest) bool {
	if w.isOver(g) {
		w.tenants[g.job].leaving--
		return true
	}
	return false
}

// stir has the jobs of a host looked at: there may be room for tasks, or other neighbours.
func (w *World) stir(h *host) {
	for _, list := range [2][]guest{h.on, h.coming} {
		for _, g := range list {
			if !w.isOver(g) {
				w.addDirty(int(g.job))
			}
		}
	}
	w.supply, w.dirty = true, true
}

// countGuests brings the numbers of tasks of the jobs of a host up to date that start and are ready.
func (w *World) countGuests(h *host) {
	for _, list := range [2][]guest{h.on, h.coming} {
		for _, g := range list {
			if !w.isOver(g) {
				w.countTasks(int(g.job))
			}
		}
	}
}

// countTasks brings the numbers of a job's tasks up to date: those on hosts, and those whose hosts start.
func (w *World) countTasks(j int) {
	w.accountJob(j, w.now)
	s, t := &w.jobs[j], &w.tenants[j]
	s.ready, s.starting, s.want = 0, 0, 0
	for k := range t.to {
		if t.to[k] != Nowhere {
			s.want++
		}
		if t.on[k] != Nowhere {
			s.ready++
		} else if h := w.hostOf(t.to[k]); h != nil && h.inst != noInstance {
			if h.ready {
				s.ready++
			} else {
				s.starting++
			}
		}
	}
}
