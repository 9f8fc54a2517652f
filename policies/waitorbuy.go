package policies

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// WaitOrBuy weighs waiting for queued capacity (Pool.Wait) against renting now, on demand or spot, and a capacity block that is there: it trains
// on one pool, where what is left costs least of those that are in time. A wait counts as its median until it is asked for, and then as it
// is announced; asking costs nothing. While nothing is granted it weighs again at every event, and what was announced and did not
// come counts no more. What is granted is kept until the job is done, or all of it is lost. It believes that prices stay, that nothing is
// lost and that boots take 95 of 100 times at most what they take; under this belief it costs no more than the cheapest pool alone.
type WaitOrBuy struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"number of instances; 0 takes what is cheapest in time"`
	Spot      bool          `set:"spot" doc:"spot is weighed, too, as if none was lost"`
	Patience  time.Duration `set:"patience_s" min:"1" max:"86400" doc:"how long a request for spot waits before it counts as refused"`

	saver  policyutil.LossSaver
	layout sim.Layout
	full   []wait // in pools that are left out, since they refused what was requested
}

func init() {
	register("one pool: on demand now, spot now, a capacity block that is there, or a queue that is waited for, whichever costs least in time",
		"marigram", MixedPools,
		func() sim.Policy {
			return &WaitOrBuy{Spot: true, Patience: 5 * time.Minute}
		})
}

// Name implements sim.Policy.
func (*WaitOrBuy) Name() string { return "wait-or-buy" }

// Decide implements sim.Policy.
func (w *WaitOrBuy) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		if !w.granted(v, j) {
			w.choose(v, j, plan)
		}
		w.saver.Tend(v, j, plan)
	}
}

// granted reports whether job j has instances of a pool that it wants.
func (w *WaitOrBuy) granted(v sim.View, j int) bool {
	for p := range v.Pools() {
		if h := v.Held(j, p); h.Want > 0 && h.Active() > 0 {
			return true
		}
	}
	return false
}

// wait is a way to get the rest of the job done: n instances of a pool.
type wait struct {
	pool, n      int
	usd          float64
	starts, ends float64 // s from now
	inTime       bool
}

// before reports whether a comes before b: in time, then cheaper; if neither is in time, sooner.
func (a *wait) before(b *wait) bool {
	switch {
	case a.inTime != b.inTime:
		return a.inTime
	case a.inTime && a.usd != b.usd:
		return a.usd < b.usd
	}
	return a.ends < b.ends
}

// choose requests what comes first of all pools, and looks again when that was announced to come. Pools that refused requests are left out,
// unless there is no other, or all others cost much more and the job insists: then it is the turn of the one that was asked the longest time ago.
func (w *WaitOrBuy) choose(v sim.View, j int, plan *sim.Plan) {
	best := wait{pool: -1, usd: math.Inf(1), ends: math.Inf(1)}
	cheapest, asked := best, best
	w.full = w.full[:0]
	for p := range v.Pools() {
		own := w.alone(v, j, p, plan)
		switch {
		case own.pool < 0:
		case v.Pool(p).Wait > 0 || v.Pool(p).From > v.Now() || !policyutil.Refused(v, j, p, w.Patience):
			if own.before(&best) {
				best = own
			}
		case v.Held(j, p).Waiting > 0:
			asked = own
		default:
			w.full = append(w.full, own)
			if own.before(&cheapest) {
				cheapest = own
			}
		}
	}
	if cheapest.inTime && policyutil.Insists(v, j, w.Patience) && !(best.inTime && best.usd <= policyutil.MuchMore*cheapest.usd) {
		best.pool = -1
		w.full = slices.DeleteFunc(w.full, func(x wait) bool { return !x.inTime || x.usd > policyutil.MuchMore*cheapest.usd })
	}
	if best.pool < 0 && len(w.full) > 0 {
		best = slices.MinFunc(w.full, func(a, b wait) int { return cmp.Compare(v.Seen(a.pool).RefusedAt, v.Seen(b.pool).RefusedAt) })
	}
	if best.pool < 0 {
		best = asked
	}
	hold := plan.Jobs[j].Hold
	clear(hold)
	if best.pool < 0 {
		plan.SetReason("no pool alone does the rest of the job")
		return
	}
	hold[best.pool] = best.n
	plan.Choose(v.Pool(best.pool).Name)
	switch pool := v.Pool(best.pool); {
	case pool.Wait > 0:
		plan.SetReason("the queue costs least in time")
		plan.WakeIn(time.Duration(best.starts*1e9) + time.Second)
	case pool.From > v.Now():
		plan.SetReason("the capacity block that begins later costs least in time")
		plan.WakeIn(time.Duration(best.starts*1e9) + w.Patience) // by then it is there, or it is not
	case pool.OnDemand:
		plan.SetReason("on demand now costs least in time")
	default:
		plan.SetReason("now costs least in time")
		policyutil.WakeOverdue(j, w.Patience, plan)
	}
}

// alone returns the best number of instances of pool p; pool -1 where none can do the rest.
func (w *WaitOrBuy) alone(v sim.View, j, p int, plan *sim.Plan) wait {
	own := wait{pool: -1, usd: math.Inf(1), ends: math.Inf(1)}
	for n := max(w.Instances, 1); n <= policyutil.Headroom(v, plan, j, p)+v.Held(j, p).Active(); n++ {
		if x, can := w.weigh(v, j, p, n); can && x.before(&own) {
			own = x
		}
		if w.Instances > 0 {
			break
		}
	}
	if own.pool >= 0 && plan.Recorded() {
		plan.AddCandidate(sim.Candidate{Name: v.Pool(p).Name, Score: own.usd, Unit: "USD", Note: lateNote[own.inTime]})
	}
	return own
}

// lateNote says whether a pool is in time; constant texts, so that nothing is put into words.
var lateNote = map[bool]string{true: "in time", false: "late"}

// weigh returns what n instances of pool p come to, false where they are not to be had, or cannot do the rest before they go.
func (w *WaitOrBuy) weigh(v sim.View, j, p, n int) (x wait, can bool) {
	pool, job, length := v.Pool(p), v.Job(j), math.Inf(1)
	x = wait{pool: p, n: n}
	switch held := v.Held(j, p); {
	case pool.Wait > 0 && held.Waiting > 0 && held.WaitingSince != sim.Never:
		if x.starts = held.WaitingSince.Sub(v.Now()).Seconds(); x.starts < 0 {
			return x, false // announced, and not there: there is no capacity
		}
	case pool.Wait > 0:
		x.starts = pool.Wait.Seconds()
	case pool.From > v.Now():
		x.starts = pool.From.Sub(v.Now()).Seconds()
	case pool.Until == 0 && !pool.OnDemand && !w.Spot:
		return x, false
	}
	if pool.Until > 0 {
		length = pool.Until.Sub(max(v.Now(), pool.From)).Seconds()
	}
	if pool.Length > 0 {
		length = pool.Length.Seconds()
	}
	seconds := w.rest(v, j, p, n)
	if seconds += policyutil.ReadyAfter(pool.Boot, n, 0.95); !(seconds <= length) || math.IsInf(seconds, 1) {
		return x, false
	}
	x.ends, x.usd = x.starts+seconds, float64(n)*v.Price(p)*seconds/3600
	x.inTime = v.Now().After(x.ends) <= job.Deadline()
	return x, true
}

// rest is how long what is left of job j takes on n instances of pool p, s; +Inf where they do not train it.
func (w *WaitOrBuy) rest(v sim.View, j, p, n int) float64 {
	job, l := v.Job(j), &w.layout
	m := job.Model()
	if len(l.Workers) != v.Pools() {
		l.Workers = make([]int32, v.Pools())
	}
	clear(l.Workers)
	l.Workers[p], l.Servers, l.Pipelines, l.Stages = int32(n), int32(job.Servers()), 0, 0
	if piped, is := m.(sim.PipelineModel); is {
		if _, workers := m.(sim.WorkerModel); !workers {
			pipelines, stages := piped.Best(n)
			l.Pipelines, l.Stages = int32(pipelines), int32(stages)
		}
	}
	rate := m.Rate(l).Progress
	if !(rate > 0) {
		return math.Inf(1)
	}
	from := m.Begin(l)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		from = m.Goal(loss)
	}
	return max(m.Goal(job.Objective().Loss)-from, 0) / rate
}
