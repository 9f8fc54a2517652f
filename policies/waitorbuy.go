package policies

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// WaitOrBuy weighs waiting for queued capacity (Pool.Wait) against renting now, on demand or spot, and a capacity
// block that is there: it trains on one pool, where what is left costs least of those that are in time. A wait counts
// as its median until it is asked for, and then as it is announced; asking costs nothing. While nothing is granted it
// weighs again at every event, and what was announced and did not come counts no more. What is granted is kept until
// the job is done, or all of it is lost. It believes that prices stay, that nothing is lost and that boots take 95 of
// 100 times at most what they take; under this belief it costs no more than the cheapest pool alone.
type WaitOrBuy struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"number of instances; 0 takes what is cheapest in time"`
	Spot      bool          `set:"spot" doc:"spot is weighed, too, as if none was lost"`
	Patience  time.Duration `set:"patience_s" min:"1" max:"86400" doc:"how long a request for spot waits before it counts as refused. Longer waits for cheap pools: on regions 1200 costs 5 % less than 300, and takes 5 % longer"`

	saver  policyutil.LossSaver
	layout sim.Layout
	full   []wait // in pools that are left out, since they refused what was requested
}

func init() {
	register("one pool: on demand now, spot now, a capacity block that is there, or a queue that is waited for, "+
		"whichever costs least in time",
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
		if !w.isGranted(v, j) {
			w.choose(v, j, plan)
		}
		w.saver.Tend(v, j, plan)
	}
}

// isGranted reports whether job j has instances of a pool that it wants.
func (w *WaitOrBuy) isGranted(v sim.View, j int) bool {
	for p := range v.Pools() {
		held := v.Held(j, p)
		if held.Want > 0 && held.Active() > 0 {
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

// isBetter reports whether a wait comes before another: in time, then cheaper; if neither is in time, sooner.
func (a *wait) isBetter(b *wait) bool {
	if a.inTime != b.inTime {
		return a.inTime
	}
	if a.inTime && a.usd != b.usd {
		return a.usd < b.usd
	}
	return a.ends < b.ends
}

// noWait is worse than all others.
func noWait() wait { return wait{pool: -1, usd: math.Inf(1), ends: math.Inf(1)} }

// choose requests what comes first of all pools, and looks again when that was announced to come. Pools that refused
// requests are left out, unless there is no other, or all others cost much more and the job insists: then it is the
// turn of the one that was asked the longest time ago.
func (w *WaitOrBuy) choose(v sim.View, j int, plan *sim.Plan) {
	best := w.findBest(v, j, plan)
	hold := plan.Jobs[j].Hold
	clear(hold)
	if best.pool < 0 {
		plan.SetReason("no pool alone does the rest of the job")
		return
	}
	hold[best.pool] = best.n
	pool := v.Pool(best.pool)
	plan.Choose(pool.Name)
	switch {
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

// findBest returns what comes first of all pools, pool -1 where none alone does the rest of the job.
func (w *WaitOrBuy) findBest(v sim.View, j int, plan *sim.Plan) wait {
	best := noWait()
	cheapest := noWait() // of those that refused requests
	asked := noWait()
	w.full = w.full[:0]
	for p := range v.Pools() {
		own := w.findNumber(v, j, p, plan)
		if own.pool < 0 {
			continue
		}
		if v.Pool(p).Wait > 0 || v.Pool(p).From > v.Now() || !policyutil.Refused(v, j, p, w.Patience) {
			if own.isBetter(&best) {
				best = own
			}
		} else if v.Held(j, p).Waiting > 0 {
			asked = own
		} else {
			w.full = append(w.full, own)
			if own.isBetter(&cheapest) {
				cheapest = own
			}
		}
	}
	maxUSD := policyutil.MuchMore * cheapest.usd
	if cheapest.inTime && policyutil.Insists(v, j, w.Patience) && !(best.inTime && best.usd <= maxUSD) {
		best.pool = -1
		w.full = slices.DeleteFunc(w.full, func(x wait) bool { return !x.inTime || x.usd > maxUSD })
	}
	if best.pool < 0 && len(w.full) > 0 {
		best = slices.MinFunc(w.full, func(a, b wait) int {
			return cmp.Compare(v.Seen(a.pool).RefusedAt, v.Seen(b.pool).RefusedAt)
		})
	}
	if best.pool < 0 {
		return asked
	}
	return best
}

// findNumber returns the best number of instances of pool p; pool -1 where none can do the rest.
func (w *WaitOrBuy) findNumber(v sim.View, j, p int, plan *sim.Plan) wait {
	best := noWait()
	for n := max(w.Instances, 1); n <= policyutil.Headroom(v, plan, j, p)+v.Held(j, p).Active(); n++ {
		found, can := w.weigh(v, j, p, n)
		if can && found.isBetter(&best) {
			best = found
		}
		if w.Instances > 0 {
			break
		}
	}
	if best.pool >= 0 && plan.Recorded() {
		note := "late"
		if best.inTime {
			note = "in time"
		}
		plan.AddCandidate(sim.Candidate{Name: v.Pool(p).Name, Score: best.usd, Unit: "USD", Note: note})
	}
	return best
}

// weigh returns what n instances of pool p come to, false where they are not to be had, or cannot do the rest before
// they go.
func (w *WaitOrBuy) weigh(v sim.View, j, p, n int) (found wait, can bool) {
	starts, can := w.startsIn(v, j, p)
	if !can {
		return wait{}, false
	}
	pool := v.Pool(p)
	length := math.Inf(1)
	if pool.Until > 0 {
		length = pool.Until.Sub(max(v.Now(), pool.From)).Seconds()
	}
	if pool.Length > 0 {
		length = pool.Length.Seconds()
	}
	seconds := w.rest(v, j, p, n) + policyutil.ReadyAfter(pool.Boot, n, 0.95)
	if !(seconds <= length) || math.IsInf(seconds, 1) {
		return wait{}, false
	}
	found = wait{pool: p, n: n, starts: starts, ends: starts + seconds, usd: float64(n) * v.Price(p) * seconds / 3600}
	found.inTime = v.Now().After(found.ends) <= v.Job(j).Deadline()
	return found, true
}

// startsIn returns in how many seconds instances of pool p would come, false where they are not to be had.
func (w *WaitOrBuy) startsIn(v sim.View, j, p int) (seconds float64, can bool) {
	pool := v.Pool(p)
	held := v.Held(j, p)
	switch {
	case pool.Wait > 0 && held.Waiting > 0 && held.WaitingSince != sim.Never:
		seconds = held.WaitingSince.Sub(v.Now()).Seconds()
		return seconds, seconds >= 0 // else announced, and not there: there is no capacity
	case pool.Wait > 0:
		return pool.Wait.Seconds(), true
	case pool.From > v.Now():
		return pool.From.Sub(v.Now()).Seconds(), true
	}
	return 0, pool.Until > 0 || pool.OnDemand || w.Spot
}

// rest is how long what is left of job j takes on n instances of pool p, with its saves, s; +Inf where they do not
// train it.
func (w *WaitOrBuy) rest(v sim.View, j, p, n int) float64 {
	job := v.Job(j)
	model := job.Model()
	layout := &w.layout
	layout.Workers = policyutil.Resize(layout.Workers, v.Pools())
	clear(layout.Workers)
	layout.Workers[p] = int32(n)
	layout.Servers = int32(job.Servers())
	layout.Pipelines = 0
	layout.Stages = 0
	piped, isPiped := model.(sim.PipelineModel)
	_, sideBySide := model.(sim.WorkerModel)
	if isPiped && !sideBySide {
		pipelines, stages := piped.Best(n)
		layout.Pipelines = int32(pipelines)
		layout.Stages = int32(stages)
	}
	rate := model.Rate(layout).Progress
	if !(rate > 0) {
		return math.Inf(1)
	}
	from := model.Begin(layout)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		from = model.Goal(loss)
	}
	return max(model.Goal(job.Objective().Loss)-from, 0) / rate * w.saver.Longer(v, j, layout)
}
