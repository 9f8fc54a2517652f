package schedulers_test

import "math"

// unforeseen plans whole hours for the jobs that are there: on 2 servers, 4 GPUs on spot in hours in which there is
// spot, and 20 on demand. It is the exact programme, by backward induction, where no job comes later and each later
// hour has spot with probability share.
type unforeseen struct {
	*hourly
	share float64
	left  []int
	known [][2][]float64 // by hour, whether there is spot, and what is left: cost + 1, 0: not known
}

// planHours makes a plan for the jobs of x, all of which are there.
func planHours(x *hourly, share float64) *unforeseen {
	p := &unforeseen{hourly: x, share: share, left: make([]int, len(x.jobs)), known: make([][2][]float64, x.hours)}
	states := 1
	for _, j := range x.jobs {
		states *= j.work + 1
	}
	for i := range p.known {
		p.known[i] = [2][]float64{make([]float64, states), make([]float64, states)}
	}
	return p
}

// from is the expected cost from hour i on, of which it is not known yet whether it has spot.
func (p *unforeseen) from(i int) float64 {
	if p.share == 1 {
		return p.hour(i, 1)
	}
	return p.share*p.hour(i, 1) + (1-p.share)*p.hour(i, 0)
}

// hour is the expected cost from hour i on, which has spot or not.
func (p *unforeseen) hour(i, spot int) float64 {
	state := 0
	for j, left := range p.left {
		if left > max(p.jobs[j].until-i, 0) {
			return math.Inf(1)
		}
		state = state*(p.jobs[j].work+1) + left
	}
	if i == p.hours {
		return 0
	}
	if known := &p.known[i][spot][state]; *known == 0 {
		usd, _ := p.choose(i, spot, 0, [3]int{2, 4 * spot, 20})
		*known = usd + 1
	}
	return p.known[i][spot][state] - 1
}

// choose is the best that jobs j and later can do in an hour, with what is free, and where: 0 nowhere, else the pool
// + 1, four by job from the last on. Of equal ones servers come first, and earlier hours.
func (p *unforeseen) choose(i, spot, j int, free [3]int) (usd float64, where int) {
	if j == len(p.left) {
		return p.from(i + 1), 0
	}
	usd, where = p.choose(i, spot, j+1, free)
	where *= 4
	if i >= p.jobs[j].until || p.left[j] == 0 {
		return usd, where
	}
	for q, n := range free {
		gang := p.jobs[j].gang
		if n < gang {
			continue
		}
		rest := free
		rest[q] -= gang
		p.left[j]--
		x, others := p.choose(i, spot, j+1, rest)
		p.left[j]++
		x += float64(gang) * []float64{0, 1, 3}[q]
		if x -= 1e-9 * float64(gang*(p.hours-i)*(3-q)); x < usd {
			usd, where = x, 4*others+q+1
		}
	}
	return usd, where
}

// unforeseenUSD is what the cluster costs when every hour goes by such a plan.
func (x *hourly) unforeseenUSD(share float64) (usd float64) {
	left := make([]int, len(x.jobs))
	for j, job := range x.jobs {
		left[j] = job.work
	}
	for i := range x.hours {
		there, ids := &hourly{hours: x.hours}, []int(nil)
		for j, job := range x.jobs {
			if job.from <= i && left[j] > 0 {
				job.work, ids = left[j], append(ids, j)
				there.jobs = append(there.jobs, job)
			}
		}
		p := planHours(there, share)
		for k, j := range ids {
			p.left[k] = left[j]
		}
		_, where := p.choose(i, min(x.gpus[1][i], 1), 0, [3]int{2, x.gpus[1][i], 20})
		for _, j := range ids {
			if q := where % 4; q > 0 {
				left[j]--
				usd += float64(x.jobs[j].gang) * x.usd[q-1][i]
			}
			where /= 4
		}
	}
	for _, n := range left {
		if n > 0 {
			return math.Inf(1)
		}
	}
	return usd
}
