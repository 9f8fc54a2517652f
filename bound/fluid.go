package bound

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// fluid is the linear programme of many jobs.
type fluid struct {
	jobs     []fluidJob
	cells    []cell
	possible bool    // each job alone can be done in time
	fastest  float64 // s from the start of the run; no schedule ends sooner
}

// fluidJob is a job of it.
type fluidJob struct {
	gang        float64
	first, last sim.Time  // when it may run
	speed       []float64 // by kind of pool: part of the work done in a second by the gang
	boot        []float64 // by kind of pool: USD for booting a GPU
}

// cell is a stretch in which nothing changes. Variables are the parts of it, from 0 to 1, in which a job trains in one of its ways.
type cell struct {
	from, to sim.Time
	seconds  float64
	slots    []slot
	turns    []turn // of the jobs that may run, by their numbers
	// In the vectors of the interior-point method: the first row of a job, and the first row of capacity.
	row, capacity int
}

// slot is what alike pools offer at one price.
type slot struct {
	kind   int // of pool
	gpus   float64
	usd    float64 // of a GPU, a second
	scarce int     // the number among those of the cell with fewer GPUs than the jobs can use; -1: it is none
}

// turn is a job in a cell.
type turn struct {
	job      int
	variable int // the first of its ways
	ways     []way
}

// way is how a gang is spread over the slots of a cell.
type way []use

type use struct {
	slot int
	gpus float64
}

// newFluid makes the programme.
func newFluid(c *sim.Config, due []sim.Time) (*fluid, error) {
	if err := holdable(c); err != nil {
		return nil, err
	}
	last := c.Market.End()
	if c.Horizon > 0 {
		last = min(last, c.Start.Add(c.Horizon))
	}
	segments := cut(c, c.Start, last, false)
	p := &fluid{possible: true}
	kinds, err := p.addJobs(c, due, last, segments)
	if err != nil {
		return nil, err
	}
	p.addCells(segments, kinds)
	if n := p.place(); n > MaxPairs || len(p.jobs) > MaxJobs {
		return nil, fmt.Errorf("bound: %d jobs, %d pairs of a job and a stretch of time in which it may run; expected at most %d and %d: fewer jobs, earlier "+
			"deadlines or a shorter run", len(p.jobs), n, MaxJobs, MaxPairs)
	}
	p.checkAlone()
	return p, nil
}

// holdable reports what rules out that what is held has a least cost.
func holdable(c *sim.Config) error {
	if c.Billing.FreeFirstHour {
		return fmt.Errorf("bound: first hours of revoked instances are free: what is held has no least cost")
	}
	for p := range c.Market.Pools() {
		if len(c.Market.Commitments(p)) > 0 {
			return fmt.Errorf("bound: pool %s has commitments, which are paid whether used or not: what is held has no least cost", c.Market.Pool(p).Name)
		}
	}
	return nil
}

// addJobs adds the jobs, and returns the kind of each pool: on those of a kind all jobs are as fast, and boots are as short.
func (p *fluid) addJobs(c *sim.Config, due []sim.Time, last sim.Time, segments []segment) (kinds []int, err error) {
	pools := c.Market.Pools()
	starts := newBoots(c)
	starts.draw(maxGrants)
	speeds := make([][]float64, pools) // by pool and job
	for j := range c.Jobs {
		job := &c.Jobs[j]
		g, is := job.Model.(sim.GangModel)
		if !is {
			return nil, fmt.Errorf("bound: job %d (%T) is no gang: of several jobs only the least cost of gangs is known", j, job.Model)
		}
		x := fluidJob{gang: float64(g.Gang()), first: c.Start.Add(job.Submit), last: last}
		switch {
		case due != nil:
			x.last = min(x.last, due[j])
		case job.Objective.Within < sim.NoDeadline:
			x.last = min(x.last, c.Start.Add(job.Submit+job.Objective.Within))
		}
		if due != nil && due[j] <= x.first {
			continue
		}
		quickest := 0.0
		l := sim.Layout{Workers: []int32{int32(g.Gang())}, Pools: []int32{0}}
		for q := range pools {
			l.Pools[0] = int32(q)
			v := g.Rate(&l).Progress * c.Pace() / (g.Work() * (1 - rounding))
			speeds[q], quickest = append(speeds[q], v), max(quickest, v)
		}
		p.fastest = max(p.fastest, job.Submit.Seconds()+1/quickest)
		p.jobs = append(p.jobs, x)
	}
	return p.kinds(speeds, starts.shortest, segments), nil
}

// rounding is the part of its work that a job is not asked for: clocks have whole microseconds.
const rounding = 1e-7

// kinds numbers the kinds of pools, and notes how fast the jobs are on each and what a boot costs there.
func (p *fluid) kinds(speeds [][]float64, boots []float64, segments []segment) []int {
	kinds, firsts := make([]int, len(speeds)), []int{}
	for q := range speeds {
		kinds[q] = slices.IndexFunc(firsts, func(f int) bool { return boots[f] == boots[q] && slices.Equal(speeds[f], speeds[q]) })
		if kinds[q] < 0 {
			kinds[q], firsts = len(firsts), append(firsts, q)
		}
	}
	for j := range p.jobs {
		x := &p.jobs[j]
		x.boot = make([]float64, len(firsts))
		for k, f := range firsts {
			x.speed, x.boot[k] = append(x.speed, speeds[f][j]), math.Inf(1)
		}
		for i := range segments {
			s := &segments[i]
			for q, k := range kinds {
				if s.to > x.first && s.from < x.last && s.capacity[q] > 0 {
					x.boot[k] = min(x.boot[k], boots[q]*s.usd[q])
				}
			}
		}
	}
	return kinds
}

// addCells cuts the segments where jobs come or are due.
func (p *fluid) addCells(segments []segment, kinds []int) {
	var at []sim.Time
	for j := range p.jobs {
		at = append(at, p.jobs[j].first, p.jobs[j].last)
	}
	for i := range segments {
		at = append(at, segments[i].from, segments[i].to)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	i := 0
	for k := 1; k < len(at); k++ {
		for i < len(segments) && segments[i].to <= at[k-1] {
			i++
		}
		if i == len(segments) || at[k-1] < segments[i].from {
			continue
		}
		p.cells = append(p.cells, cell{from: at[k-1], to: at[k], seconds: at[k].Sub(at[k-1]).Seconds(), slots: slotsOf(&segments[i], kinds)})
	}
}

// slotsOf adds up alike pools at one price.
func slotsOf(s *segment, kinds []int) (all []slot) {
	for q, n := range s.capacity {
		if n == 0 {
			continue
		}
		k := slices.IndexFunc(all, func(o slot) bool { return o.kind == kinds[q] && o.usd == s.usd[q] })
		if k < 0 {
			k, all = len(all), append(all, slot{kind: kinds[q], usd: s.usd[q]})
		}
		all[k].gpus += float64(n)
	}
	return all
}

// place finds the jobs of each cell and their ways, and returns the number of pairs.
func (p *fluid) place() (pairs int) {
	for j := range p.jobs {
		x := &p.jobs[j]
		for t := p.cellAt(x.first); t < p.cellAt(x.last); t++ {
			p.cells[t].turns = append(p.cells[t].turns, turn{job: j})
			pairs++
		}
	}
	for t := range p.cells {
		p.cells[t].spread(p.jobs)
	}
	return pairs
}

// cellAt is the first cell that begins at an instant or later.
func (p *fluid) cellAt(at sim.Time) int {
	k, _ := slices.BinarySearchFunc(p.cells, at, func(c cell, t sim.Time) int { return int(max(min(c.from-t, 1), -1)) })
	return k
}

// spread finds which slots are scarce, and the ways of each job.
func (c *cell) spread(jobs []fluidJob) {
	all, scarce := 0.0, 0
	for i := range c.turns {
		all += jobs[c.turns[i].job].gang
	}
	for k := range c.slots {
		if o := &c.slots[k]; o.gpus < all {
			o.scarce = scarce
			scarce++
		} else {
			o.scarce = -1
		}
	}
	known := map[float64][]way{}
	for i := range c.turns {
		gang := jobs[c.turns[i].job].gang
		if known[gang] == nil {
			known[gang] = c.waysOf(gang)
		}
		c.turns[i].ways = known[gang]
	}
}

// maxWays is how many ways a job has at most in a cell: where there are more, it may take turns on too small slots, which costs no more.
const maxWays = 64

// waysOf are the extreme ways to spread a gang: some slots full, and one with the rest. All others are mixtures of these, none of
// them faster than the slowest of what it is mixed of.
func (c *cell) waysOf(gang float64) []way {
	var all []way
	var fill func(from int, left float64, full way)
	fill = func(from int, left float64, full way) {
		for k := range c.slots {
			if len(all) <= maxWays && c.slots[k].gpus >= left && !slices.ContainsFunc(full, func(u use) bool { return u.slot == k }) {
				if last := len(full) - 1; c.slots[k].gpus > left || last < 0 || full[last].slot < k { // one that is full as well comes last
					all = append(all, append(slices.Clone(full), use{k, left}))
				}
			}
		}
		for k := from; k < len(c.slots) && len(all) <= maxWays; k++ {
			if n := c.slots[k].gpus; n < left {
				fill(k+1, left-n, append(slices.Clone(full), use{k, n}))
			}
		}
	}
	if fill(0, gang, nil); len(all) <= maxWays {
		return all
	}
	all = nil
	for k := range c.slots {
		all = append(all, way{{k, gang}})
	}
	return all
}

// checkAlone finds whether each job alone can be done in time.
func (p *fluid) checkAlone() {
	done := make([]float64, len(p.jobs))
	for t := range p.cells {
		c := &p.cells[t]
		for i := range c.turns {
			x, fastest := &c.turns[i], 0.0
			for _, w := range x.ways {
				fastest = max(fastest, p.part(x.job, c, w))
			}
			done[x.job] += fastest
		}
	}
	for _, part := range done {
		p.possible = p.possible && part >= 1
	}
}

// part is the part of its work that a job does in a cell, all the time in one way: a gang is as fast as where it is slowest.
func (p *fluid) part(j int, c *cell, w way) float64 {
	slowest := math.Inf(1)
	for _, u := range w {
		slowest = min(slowest, p.jobs[j].speed[c.slots[u.slot].kind])
	}
	return c.seconds * slowest
}

// usd is what a job pays in a cell for training all the time in one way, with its part of the boots.
func (p *fluid) usd(j int, c *cell, w way) (usd float64) {
	part := p.part(j, c, w)
	for _, u := range w {
		o := &c.slots[u.slot]
		usd += u.gpus * (c.seconds*o.usd + part*p.jobs[j].boot[o.kind])
	}
	return usd
}

// pays says what a job pays in a cell, all the time in one way.
type pays func(j int, c *cell, w way) float64

// lagrangian is the dual function at prices of scarce capacity, USD for a GPU that is held throughout a cell, by row: what the jobs
// pay, each for itself, where scarce capacity has these prices too, less what all of it costs by them. A job may leave out work for limit USD
// each.
func (p *fluid) lagrangian(prices []float64, limit float64, usd pays) (sum float64) {
	offers := make([][]priced, len(p.jobs))
	for t := range p.cells {
		c := &p.cells[t]
		price := func(k int) float64 {
			if o := &c.slots[k]; o.scarce >= 0 {
				return max(prices[c.capacity+o.scarce], 0)
			}
			return 0
		}
		for k := range c.slots {
			sum -= c.slots[k].gpus * price(k)
		}
		for i := range c.turns {
			x := &c.turns[i]
			for _, w := range x.ways {
				y := priced{cell: t, part: p.part(x.job, c, w), usd: usd(x.job, c, w)}
				for _, u := range w {
					y.usd += u.gpus * price(u.slot)
				}
				if y.part > 0 {
					offers[x.job] = append(offers[x.job], y)
				}
			}
		}
	}
	for _, of := range offers {
		sum += cheapest(of, limit)
	}
	return sum
}

// priced is what a job can do in a cell in one way, and for how much.
type priced struct {
	cell      int
	part, usd float64
}

// cheapest is a lower bound of what a job pays at least for all its work, by the price of the work at which that is
// largest: in each cell it takes the way of the lowest cost less what the work is worth. They are in the order of their cells.
func cheapest(offers []priced, limit float64) float64 {
	at := func(price float64) (value, done float64) {
		value = price
		for i := 0; i < len(offers); {
			best, part := 0.0, 0.0
			for cell := offers[i].cell; i < len(offers) && offers[i].cell == cell; i++ {
				if v := offers[i].usd - price*offers[i].part; v < best {
					best, part = v, offers[i].part
				}
			}
			value, done = value+best, done+part
		}
		return value, done
	}
	low, high := 0.0, min(1e-6, limit)
	for high < limit && high < 1e30 {
		if _, done := at(high); done >= 1 {
			break
		}
		low, high = high, min(4*high, limit)
	}
	for range 60 {
		mid := (low + high) / 2
		if _, done := at(mid); done >= 1 {
			high = mid
		} else {
			low = mid
		}
	}
	a, _ := at(low)
	b, _ := at(high)
	return max(a, b)
}

// The bound of many jobs is worked out for at most MaxJobs, and at most MaxPairs of a job and a stretch in which it may run.
const (
	MaxJobs  = 3_000
	MaxPairs = 500_000
)
