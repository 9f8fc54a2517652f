package launchers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// SkyPilot launches and recovers a job as the managed jobs of SkyPilot do (sky/jobs/recovery_strategy.py,
// sky/backends/cloud_vm_ray_backend.py and sky/optimizer.py at commit 000bb579 of 13 February 2026). A launch asks one
// pool after the other for all instances, the cheapest first, and forgets at its end which refused. It sees no notices,
// looks for losses on a grid, and stays where it runs whatever the prices. Of several instance types only the cheapest
// is asked for.
//
// It is told of a refusal Try after it asks. Where a pool has a part of what is asked for, that part is held for no
// time, and costs what the cloud bills at least.
type SkyPilot struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"num_nodes: instances of one pool that the job trains on; 0 takes as many as it uses"`
	Strategy   Strategy      `set:"strategy" names:"as-released,as-documented,failover" doc:"as-released: EAGER_NEXT_REGION as it runs, which blocks no region (skypilot #10021); as-documented: the region of the cluster that was lost is left out of three launches; failover: FAILOVER, three launches in that region, then anywhere"`
	Resources  Resources     `set:"resources" names:"spot,any_of,ordered" doc:"spot: use_spot; any_of: spot and on demand by price alone; ordered: on demand after all spot"`
	Regions    Regions       `set:"regions" names:"any,named,ordered" doc:"any: the task names no region; named: it does, and nothing is blocked for it; ordered: each region of the spec's pools is an entry of an ordered list"`
	Try        time.Duration `set:"try_s" min:"0" max:"3600" doc:"time until a pool without capacity has refused" assumed:"not published"`
	SetUp      time.Duration `set:"runtime_s" min:"0" max:"86400" doc:"time from instances that are ready until the job runs" assumed:"not published"`
	TearDown   time.Duration `set:"teardown_s" min:"0" max:"3600" doc:"time that it takes to terminate a cluster, which is not billed" assumed:"not published"`
	Check      time.Duration `set:"check_s" min:"1" max:"3600" doc:"time between looks at a job that runs"`
	Looks      int           `set:"looks" min:"1" max:"100" doc:"looks in a row that have to find a part of the cluster gone; 3 since the middle of 2026"`
	Catalog    time.Duration `set:"catalog_s" min:"0" max:"604800" doc:"the prices by which pools are ordered are so old at most; 25200 is how often the catalog is pulled; 0: those of now" assumed:"the age of a user's catalog is not known"`
	Gap        time.Duration `set:"gap_s" min:"1" max:"86400" doc:"time between the first two launches; it grows by 1.6 each time, and is drawn within 40 %"`
	LargestGap time.Duration `set:"gap_max_s" min:"1" max:"86400" doc:"largest time between two launches, before it is drawn"`

	// Entries, if there are any, replace Resources and Regions: what the task's resources list.
	Entries []Entry
	// Ordered says that Entries are an ordered list, not any_of.
	Ordered bool

	saver policyutil.LossSaver
	turn  skyTurn             // scratch
	draw  func(k int) float64 // of a test: in place of random numbers, -1 to 1
}

// The numbers of launches: before it takes a rest, in the first stage of a recovery, and of a job that never ran
// (recovery_strategy.py).
const (
	freeLaunches  = 240
	firstLaunches = 3
	forEver       = math.MaxInt
)

// restAfterFailure is how long it rests when all launches have failed.
const restAfterFailure = time.Minute

// NewSkyPilot returns the policy with the constants of SkyPilot, and what is assumed where it publishes none.
func NewSkyPilot() *SkyPilot {
	return &SkyPilot{
		Try: 10 * time.Second, SetUp: time.Minute, Check: 15 * time.Second, Looks: 1,
		Gap: time.Minute, LargestGap: 5 * time.Minute,
	}
}

// Name implements sim.Policy.
func (*SkyPilot) Name() string { return "skypilot" }

// skyJob is what is remembered of a job.
type skyJob struct {
	cluster
	blocked []bool  // pools that refused in this launch
	begun   bool    // it was decided on
	pinned  bool    // FAILOVER: this stage asks the region of the cluster only
	avoided bool    // as documented: this stage leaves that region out
	topsUp  bool    // FAILOVER: instances are left, and the same pool is asked for the others
	left    int     // launches of this stage
	place   int     // pool of the cluster that was lost; none
	gap     float64 // the last one, in seconds; 0: none in this stage
	gaps    int     // drawn in the run
	ending  ending  // of the wait that is under way
}

// ending is what follows the wait that is under way.
type ending uint8

const (
	known     ending = iota // a refusal is: the pool is blocked
	tornDown                // what a launch that failed had is terminated
	mayLaunch               // the next launch is due
)

// NewState implements sim.Stateful.
func (s *SkyPilot) NewState(from, used any) any {
	return policyutil.NewMemory[skyJob, *skyJob](s, from, used)
}

// Pools implements policyutil.Kept.
func (k *skyJob) Pools() int { return len(k.blocked) }

// Restart implements policyutil.Kept.
func (k *skyJob) Restart(pools int) {
	if len(k.blocked) != pools {
		k.blocked = make([]bool, pools)
	}
	clear(k.blocked)
	*k = skyJob{blocked: k.blocked, cluster: cluster{pool: none}, place: none}
}

// CopyFrom implements policyutil.Kept.
func (k *skyJob) CopyFrom(src *skyJob) {
	*k = *src
	k.blocked = slices.Clone(src.blocked)
}

// Decide implements sim.Policy.
func (s *SkyPilot) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[skyJob, *skyJob])
	for _, j := range v.ActiveJobs() {
		t := &s.turn
		t.s = s
		t.k = memory.Job(j, v.Pools())
		t.turn = turn{View: v, plan: plan, j: j, hold: plan.Jobs[j].Hold, cluster: &t.k.cluster}
		t.timing = timing{setUp: s.SetUp, check: s.Check, part: time.Duration(s.Looks-1) * s.Check}
		t.decide()
		s.saver.SaveUnwarned(v, j, plan)
	}
}

// skyTurn is one decision on one job.
type skyTurn struct {
	turn
	s *SkyPilot
	k *skyJob
}

func (t *skyTurn) decide() {
	k := t.k
	if !k.begun {
		k.begun = true
		k.nodes = sizeOf(t.View, t.j, t.s.Instances, t.usesOnDemand())
		idleOn(t.View, t.j, t.plan)
		t.enter(forEver)
		t.ends(mayLaunch, 0)
	}
	for {
		switch t.advance() {
		case nothing:
			return
		case free:
			t.goOn()
		case refused:
			t.explain(none, k.blocked, "blocked")
			t.ends(known, t.s.Try)
		case started:
			t.plan.SetReason("the job runs")
			k.place = k.pool
			k.topsUp = false
			clear(k.blocked)
		case failed:
			t.plan.SetReason("lost before the job ran: the launch failed")
			t.fail()
		case seenLoss:
			t.plan.SetReason("the loss is seen")
			t.recover()
		}
		if k.phase == asked {
			return
		}
	}
}

// ends waits for a span, at whose end something is so.
func (t *skyTurn) ends(with ending, span time.Duration) {
	t.k.ending = with
	t.pause(span)
}

// enter begins a stage of so many launches.
func (t *skyTurn) enter(launches int) {
	t.k.left = launches
	t.k.gap = 0
	t.k.pinned = false
	t.k.avoided = false
}

// goOn goes on after a wait.
func (t *skyTurn) goOn() {
	k := t.k
	switch k.ending {
	case known:
		if k.topsUp {
			t.fail()
			return
		}
		k.blocked[k.pool] = true
		t.askNext()
	case tornDown:
		t.afterFailure()
	case mayLaunch:
		t.askNext()
	}
}

// recover begins with what is left of a cluster of which a part is gone.
func (t *skyTurn) recover() {
	k := t.k
	region := t.Pool(k.place).Region
	switch {
	case t.s.Strategy == Failover:
		t.enter(firstLaunches)
		k.pinned = true
		if t.total() > 0 {
			k.topsUp = true
			t.ask(k.pool)
			t.plan.SetReason("instances are left: asks for the others in their zone")
			t.explain(k.pool, k.blocked, "blocked")
			return
		}
		t.release()
		t.ends(mayLaunch, 0)
	case t.s.Strategy == AsDocumented && t.namesNoRegion():
		t.release()
		t.enter(firstLaunches)
		k.avoided = true
		t.avoid(region)
		t.ends(mayLaunch, t.s.TearDown)
	default:
		t.release()
		t.enter(freeLaunches)
		t.ends(mayLaunch, t.s.TearDown)
	}
}

// fail ends a launch: what it got is terminated, and what refused is forgotten.
func (t *skyTurn) fail() {
	k := t.k
	t.release()
	k.topsUp = false
	clear(k.blocked)
	if k.left != forEver {
		k.left--
	}
	t.ends(tornDown, t.s.TearDown)
}

// afterFailure waits for the next launch, of this stage or of the next one.
func (t *skyTurn) afterFailure() {
	k := t.k
	if k.left > 0 {
		if k.avoided {
			t.avoid(t.Pool(k.place).Region)
		}
		gap := t.nextGap()
		t.plan.AddInput("gap between two launches", gap.Seconds(), "s")
		t.plan.SetReason("the launch failed: waits for the next one")
		t.ends(mayLaunch, gap)
		return
	}
	wait := restAfterFailure
	if k.pinned {
		wait = t.s.TearDown
	} else if k.avoided {
		wait = 0
	}
	t.plan.SetReason("the launches of this stage failed: goes on to the next stage")
	t.enter(freeLaunches)
	t.ends(mayLaunch, wait)
}

// nextGap draws the time until the next launch (Backoff of sky/utils/common_utils.py).
func (t *skyTurn) nextGap() time.Duration {
	k := t.k
	const growth = 1.6
	const jitter = 0.4
	next := t.s.Gap.Seconds()
	if k.gap > 0 {
		next = min(k.gap*growth, t.s.LargestGap.Seconds())
	}
	k.gap = next * (1 + jitter*t.jitter())
	k.gaps++
	return time.Duration(math.Round(k.gap * 1e9))
}

// jitter draws a number within -1 and 1.
func (t *skyTurn) jitter() float64 {
	if t.s.draw != nil {
		return t.s.draw(t.k.gaps)
	}
	return 2*t.Random(uint64(t.Job(t.j).ID())).Uniform(uint64(t.k.gaps)) - 1
}

// askNext asks the next pool of the launch, which fails if there is none.
func (t *skyTurn) askNext() {
	for {
		p := t.choose()
		if p == none {
			t.fail()
			return
		}
		if t.fits(p) {
			t.ask(p)
			t.plan.SetReason("asks the cheapest pool that is left")
			t.explain(p, t.k.blocked, "blocked")
			return
		}
		t.k.blocked[p] = true // a quota: it fails without being asked
	}
}

// choose returns the pool to ask next: the cheapest that is not blocked, of any entry or of the first that has one.
func (t *skyTurn) choose() int {
	best := none
	at := t.catalogDate()
	for i := range t.entries() {
		q := t.cheapest(t.entry(i), at)
		if q == none {
			continue
		}
		if best == none || t.PriceAt(q, at) < t.PriceAt(best, at) {
			best = q
		}
		if t.isOrdered() {
			break
		}
	}
	return best
}

// catalogDate is the instant of whose prices the tool knows.
func (t *skyTurn) catalogDate() sim.Time {
	if t.s.Catalog == 0 {
		return t.Now()
	}
	return t.Now().Add(-(t.Now().Sub(t.Start()) % t.s.Catalog))
}

// cheapest returns the cheapest pool of an entry that is not blocked, of the instance type that is cheapest.
func (t *skyTurn) cheapest(e Entry, at sim.Time) int {
	first := none
	for p := range t.Pools() {
		if t.offers(p, e) && (first == none || t.PriceAt(p, at) < t.PriceAt(first, at)) {
			first = p
		}
	}
	best := none
	for p := range t.Pools() {
		if !t.offers(p, e) || t.k.blocked[p] || t.Pool(p).InstanceType != t.Pool(first).InstanceType {
			continue
		}
		if best == none || t.PriceAt(p, at) < t.PriceAt(best, at) {
			best = p
		}
	}
	return best
}

// offers reports whether a pool is one of an entry's. Pools that nobody may use, and queues, are none.
func (t *skyTurn) offers(p int, e Entry) bool {
	pool := t.Pool(p)
	if pool.Quota == 0 || pool.Wait > 0 || pool.OnDemand != e.OnDemand || e.Region != "" && e.Region != pool.Region {
		return false
	}
	if !t.k.pinned {
		return true
	}
	was := t.Pool(t.k.place)
	return pool.Region == was.Region && pool.Cloud == was.Cloud && pool.OnDemand == was.OnDemand &&
		pool.InstanceType == was.InstanceType
}

// avoid blocks a region for the entries that name none.
func (t *skyTurn) avoid(region string) {
	for i := range t.entries() {
		e := t.entry(i)
		for p := range t.Pools() {
			pool := t.Pool(p)
			if e.Region == "" && pool.Region == region && pool.OnDemand == e.OnDemand {
				t.k.blocked[p] = true
			}
		}
	}
}
