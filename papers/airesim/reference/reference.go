// Package reference simulates one job on servers that fail by the rules of the public simulator AIReSim, number for
// number: its runs under a seed of Python's generator have the same counters here. The rules are those of
// karthikp-ubc/airesim at commit 7b139c7; what surprises in them is said where it is done.
package reference

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/marigram/marigram/internal/pyrandom"
)

// Config is what a run depends on, by AIReSim's names. Times are in minutes, rates per minute of a server.
type Config struct {
	RandomRate    float64 `col:"random_failure_rate"`
	Multiplier    float64 `col:"systematic_failure_rate_multiplier"` // a bad server has that many times the random rate in addition
	BadShare      float64 `col:"systematic_failure_fraction"`
	Recovery      float64 `col:"recovery_time"`
	SelectionTime float64 `col:"host_selection_time"`
	JobSize       int     `col:"job_size"`
	JobLength     float64 `col:"job_length"`
	Standbys      int     `col:"warm_standbys"`
	Working       int     `col:"working_pool_size"`
	Spares        int     `col:"spare_pool_size"`
	SpareWait     float64 `col:"preemption_wait_time"`
	AutoTime      float64 `col:"auto_repair_time"`   // mean
	ManualTime    float64 `col:"manual_repair_time"` // mean
	Escalated     float64 `col:"prob_auto_to_manual"`
	AutoFails     float64 `col:"auto_repair_fail_prob"` // says that it repaired, and did not
	ManualFails   float64 `col:"manual_repair_fail_prob"`
	Law           string  `col:"failure_distribution"` // exponential, weibull, lognormal; its mean is one over the rate
	Shape         float64 `col:"weibull_shape"`
	Sigma         float64 `col:"lognormal_sigma"`
	Diagnosed     float64 `col:"diagnosis_probability"` // else the server goes on without a repair
	Misdiagnosed  float64 `col:"diagnosis_uncertainty"` // of diagnosed failures: another server is repaired

	Selection   string  `col:"host_selection"` // default, fewest (failures first), score (highest first)
	Retire      string  `col:"retire"`         // empty: never; threshold: RetireAfter failures in Window; score
	RetireAfter int     // failures within the window
	Window      float64 // minutes
	Score       Score
}

// Score is a server's score of reliability, for Config.Selection and Config.Retire.
type Score struct {
	Initial, Penalty, Increment, Period, Threshold float64
}

// Paper is the setting of AIReSim's Table 1: 4,096 of 4,160 servers for 256 days.
func Paper() Config {
	return Config{
		RandomRate: 0.01 / (24 * 60), Multiplier: 5, BadShare: 0.15, Recovery: 20, SelectionTime: 3, JobSize: 4096, JobLength: 256 * 24 * 60,
		Standbys: 16, Working: 4160, Spares: 200, SpareWait: 20, AutoTime: 120, ManualTime: 2880, Escalated: 0.8, AutoFails: 0.4, ManualFails: 0.2,
		Law: "exponential", Shape: 1, Sigma: 1, Diagnosed: 1, Selection: "default",
	}
}

// Stats is what a run counted, by AIReSim's names. Times are in minutes.
type Stats struct {
	Failures, Random, Systematic       int
	Auto, Manual, Repaired, Unrepaired int
	Retired, Preemptions               int
	Stalls, Selections                 int
	Training, Compute                  float64
	Recovery, Selection, Wait          float64
	Depleted                           bool
}

// Effective is AIReSim's effective training ratio: computing per time until the job is done.
func (s *Stats) Effective() float64 { return s.Compute / s.Training }

type server struct {
	bad, pooled bool
	failures    int
	at          []float64 // of the failures, where they retire it
	score       float64
}

type run struct {
	Config
	Stats
	rng      *pyrandom.Rand
	now      float64
	issued   int // events so far: those at one instant happen in the order in which they were made
	pending  repairs
	servers  []server
	rates    []float64 // by server, failures per minute
	pool     []int32   // the working pool, in its order
	spares   []int32
	active   []int32
	standby  []int32
	until    []float64 // sum of the rates of active servers up to each
	summed   int       // until is right before it
	repaired bool      // a server came back since the job last waited for one
}

// Run simulates one run under a seed.
func Run(c Config, seed int64) (Stats, error) {
	if c.Working < c.JobSize+c.Standbys {
		return Stats{}, fmt.Errorf("a working pool of %d servers, expected at least those of the job and its standbys: %d", c.Working, c.JobSize+c.Standbys)
	}
	switch c.Law {
	case "exponential", "weibull", "lognormal":
	default:
		return Stats{}, fmt.Errorf("a law %q of failures, expected exponential, weibull or lognormal", c.Law)
	}
	r := &run{Config: c, rng: pyrandom.New(seed), servers: make([]server, c.Working+c.Spares), rates: make([]float64, c.Working+c.Spares)}
	order := make([]int32, len(r.servers))
	bad := int(float64(len(order)) * c.BadShare)
	for i := range order {
		order[i] = int32(i)
		r.servers[i] = server{score: c.Score.Initial}
		r.turn(int32(i), i < bad)
	}
	r.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	r.pool = append(make([]int32, 0, len(order)), order[:c.Working]...)
	r.spares = order[c.Working:]
	for _, s := range r.pool {
		r.servers[s].pooled = true
	}
	r.job()
	for len(r.pending) > 0 { // repairs go on after the job
		r.repair()
	}
	return r.Stats, nil
}

// job runs the job to its end, or until no number of repairs could bring enough servers.
func (r *run) job() {
	for left := r.JobLength; left > 0; {
		if !r.selectHosts() {
			if !r.gather() {
				return
			}
			if !r.selectHosts() {
				r.Stalls++
				r.sleep(r.timer(1))
				continue
			}
		}
		r.sleep(r.timer(r.SelectionTime))
		r.Stats.Selection += r.SelectionTime
		for left > 0 {
			span, failed := r.firstFailure(left)
			r.sleep(r.timer(span))
			if failed >= 0 {
				r.count(r.active[failed])
			}
			left -= span
			r.Compute += span
			r.credit(span, failed)
			if failed < 0 || left <= 0 {
				break
			}
			if !r.recover(failed) {
				break
			}
		}
	}
	r.Training = r.now
}

// gather brings spares to the working pool, and waits for repairs, until there are as many servers as the job and its
// standbys need. It reports false where that cannot be, or no repair is under way.
func (r *run) gather() bool {
	need := r.JobSize + r.Standbys
	for len(r.pool) < need {
		if len(r.spares) > 0 {
			r.sleep(r.timer(r.SpareWait))
			r.Stats.Wait += r.SpareWait
			s := r.spares[0]
			r.spares = r.spares[1:]
			r.giveBack(s)
			r.Preemptions++
			continue
		}
		r.Stalls++
		if len(r.servers)-r.Retired < need {
			r.Depleted, r.Training = true, r.now
			return false
		}
		for !r.repaired { // one that came back long ago counts, once
			if len(r.pending) == 0 {
				return false
			}
			r.repair()
		}
		r.repaired = false
	}
	return true
}

// recover replaces an active server that failed, or the one that is taken for it, and reports whether a standby took
// its place.
func (r *run) recover(failed int) bool {
	s := r.active[failed]
	r.take(s)
	if r.Diagnosed < 1 && r.rng.Random() >= r.Diagnosed {
		r.giveBack(s)
		r.offer(s)
		r.repaired = true
		wake := r.timer(r.Config.Recovery)
		r.sleep(wake)
	} else {
		if r.Misdiagnosed > 0 && r.rng.Random() < r.Misdiagnosed && len(r.active) > 1 {
			other := r.rng.Below(len(r.active) - 1)
			if other >= failed {
				other++
			}
			r.giveBack(s) // the one that failed goes on
			r.repaired = true
			failed, s = other, r.active[other]
		}
		r.take(s)
		r.servers[s].score -= r.Score.Penalty
		wake := r.timer(r.Config.Recovery)
		r.push(expovariate(r.rng, 1/r.AutoTime), s, false)
		r.sleep(wake)
	}
	r.Stats.Recovery += r.Config.Recovery
	copy(r.active[failed:], r.active[failed+1:])
	r.active = r.active[:len(r.active)-1]
	r.summed = min(r.summed, failed)
	if len(r.standby) == 0 {
		return false
	}
	r.active = append(r.active, r.standby[0])
	r.standby = append(r.standby[:0], r.standby[1:]...)
	return true
}

// take takes a server out of the working pool, if it is there.
func (r *run) take(s int32) {
	if !r.servers[s].pooled {
		return
	}
	r.servers[s].pooled = false
	for i, x := range r.pool {
		if x == s {
			r.pool = append(r.pool[:i], r.pool[i+1:]...)
			return
		}
	}
}

// giveBack puts a server at the end of the working pool.
func (r *run) giveBack(s int32) {
	if !r.servers[s].pooled {
		r.servers[s].pooled = true
		r.pool = append(r.pool, s)
	}
}

// offer makes a server that came back a standby, if one is missing.
func (r *run) offer(s int32) {
	if len(r.standby) < r.Standbys {
		r.standby = append(r.standby, s)
	}
}

// credit raises the scores of the servers that ran without a failure.
func (r *run) credit(span float64, failed int) {
	periods := 1.0
	if r.Score.Period > 0 {
		periods = math.Trunc(span / r.Score.Period)
	}
	if periods == 0 || r.Score.Increment == 0 {
		return
	}
	for i, s := range r.active {
		if i != failed {
			r.servers[s].score += periods * r.Score.Increment
		}
	}
}

// count counts the failure of a server.
func (r *run) count(s int32) {
	x := &r.servers[s]
	r.Failures++
	systematic := x.bad && r.rng.Random() < r.systematic()/r.rates[s]
	if systematic {
		r.Systematic++
	} else {
		r.Random++
	}
	x.failures++
	if r.Retire == "threshold" {
		x.at = append(x.at, r.now)
	}
}

func (r *run) systematic() float64 { return r.Multiplier * r.RandomRate }

// turn makes a server a bad one or a good one.
func (r *run) turn(s int32, bad bool) {
	r.servers[s].bad, r.rates[s] = bad, r.RandomRate
	if bad {
		r.rates[s] += r.systematic()
	}
}

// timer makes an event after a span.
func (r *run) timer(span float64) repair {
	r.issued++
	return repair{at: r.now + span, order: r.issued}
}

// sleep lets time pass until an event: all repairs before it end.
func (r *run) sleep(until repair) {
	for len(r.pending) > 0 && r.pending[0].before(&until) {
		r.repair()
	}
	r.now = until.at
}

// push begins a repair.
func (r *run) push(span float64, s int32, manual bool) {
	x := r.timer(span)
	x.server, x.manual = s, manual
	heap.Push(&r.pending, x)
}

// repair ends the repair that ends first.
func (r *run) repair() {
	x := heap.Pop(&r.pending).(repair)
	r.now = x.at
	s := &r.servers[x.server]
	fails := r.ManualFails
	if x.manual {
		r.Manual++
	} else {
		r.Auto++
		if r.rng.Random() < r.Escalated {
			r.push(expovariate(r.rng, 1/r.ManualTime), x.server, true)
			return
		}
		fails = r.AutoFails
	}
	if r.rng.Random() >= fails {
		r.turn(x.server, false)
		r.Repaired++
	} else {
		r.Unrepaired++
	}
	r.repaired = true
	if r.retires(s) {
		r.Retired++
		return
	}
	r.giveBack(x.server)
	r.offer(x.server)
}

// retires reports whether a server is not used again.
func (r *run) retires(s *server) bool {
	switch r.Retire {
	case "threshold":
		n := 0
		for _, at := range s.at {
			if at >= r.now-r.Window {
				n++
			}
		}
		return n >= r.RetireAfter
	case "score":
		return s.score <= r.Score.Threshold
	}
	return false
}

// repair is a stage of a repair that ends at an instant, or an event of the job.
type repair struct {
	at     float64
	order  int
	server int32
	manual bool
}

func (x *repair) before(y *repair) bool { return x.at < y.at || x.at == y.at && x.order < y.order }

// repairs is a heap of them.
type repairs []repair

func (h repairs) Len() int           { return len(h) }
func (h repairs) Less(i, j int) bool { return h[i].before(&h[j]) }
func (h repairs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *repairs) Push(x any)        { *h = append(*h, x.(repair)) }
func (h *repairs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// selectHosts chooses the servers of the job and its standbys from the working pool, in which those that the job has
// are, too. It reports false where there are fewer than the job needs.
func (r *run) selectHosts() bool {
	need := r.JobSize + r.Standbys
	var list []int32
	switch r.Config.Selection {
	case "fewest":
		list = r.ranked(func(s *server) float64 { return float64(s.failures) })
	case "score":
		list = r.ranked(func(s *server) float64 { return -s.score })
	default: // the first of the pool, in any order
		list = slices.Clone(r.pool[:min(need, len(r.pool))])
		r.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	list = list[:min(need, len(list))]
	if len(list) < r.JobSize {
		return false
	}
	r.active = append(r.active[:0], list[:r.JobSize]...)
	r.standby = append(r.standby[:0], list[r.JobSize:]...)
	r.summed = 0
	r.Selections++
	return true
}

// ranked is the working pool in ascending order of a key, ties by draws.
func (r *run) ranked(key func(s *server) float64) []int32 {
	type place struct {
		key, tie float64
		server   int32
	}
	all := make([]place, len(r.pool))
	for i, s := range r.pool {
		all[i] = place{key(&r.servers[s]), r.rng.Random(), s}
	}
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].key < all[j].key || all[i].key == all[j].key && all[i].tie < all[j].tie
	})
	list := make([]int32, len(all))
	for i := range all {
		list[i] = all[i].server
	}
	return list
}

// firstFailure draws the time until the first failure of an active server, and its place; the time that is left and -1
// where the job ends before.
func (r *run) firstFailure(left float64) (float64, int) {
	if r.Law != "exponential" {
		return r.firstOfEach(left)
	}
	r.sum()
	total := r.until[len(r.active)-1]
	if total <= 0 {
		return left, -1
	}
	span := expovariate(r.rng, total)
	if span >= left {
		return left, -1
	}
	at := r.rng.Random() * total
	failed := sort.SearchFloat64s(r.until[:len(r.active)], at)
	if failed == len(r.active) {
		failed = 0
	}
	return span, failed
}

// sum adds up the rates of the active servers, one after the other as Python does: the sums up to the first that
// changed are kept.
func (r *run) sum() {
	if len(r.until) < len(r.active) {
		r.until = make([]float64, len(r.active))
		r.summed = 0
	}
	total := 0.0
	if r.summed > 0 {
		total = r.until[r.summed-1]
	}
	for i := r.summed; i < len(r.active); i++ {
		total += r.rates[r.active[i]]
		r.until[i] = total
	}
	r.summed = len(r.active)
}

// firstOfEach draws a time for every active server, anew after each failure: a server's age is forgotten.
func (r *run) firstOfEach(left float64) (float64, int) {
	span, failed := math.Inf(1), -1
	gamma, shift := math.Gamma(1+1/r.Shape), 0.5*r.Sigma*r.Sigma
	for i, s := range r.active {
		rate := r.rates[s]
		if rate <= 0 {
			continue
		}
		var x float64
		if r.Law == "weibull" {
			x = weibull(r.rng, 1/rate/gamma, r.Shape)
		} else {
			x = lognormal(r.rng, math.Log(1/rate)-shift, r.Sigma)
		}
		if x < span {
			span, failed = x, i
		}
	}
	if span >= left {
		return left, -1
	}
	return span, failed
}
