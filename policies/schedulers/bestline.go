package schedulers

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// bestLine is the plan ahead of EDF: the order in which jobs get servers that costs least of those that were tried, and
// what each job does first by it. It rests on what is known: jobs that are there, and how often there is spot.
type bestLine struct {
	until     sim.Time  // when the first step of the plan ends, or it is made again; 0: there is none
	jobs      []planned // by deadline
	order     []int     // places in jobs: who gets servers first
	best      []int     // the best order so far
	live      []int     // of simulate: who is not done
	servers   int       // GPUs that are up
	spot      int       // GPUs on spot that can be asked for
	doubt     bool      // it is not known exactly what is left to do
	simulated int       // steps of jobs
	tried     int       // where the local search goes on

	// urgentFirst has those that rent, or have no time left, go before all others in the order (earliest deadline until
	// zero laxity: Cho, Lee, Han and Lin, IEICE Trans. E85-B, 2002).
	urgentFirst bool
	bestUrgent  bool

	// What the best order costs, USD, and how late servers work by it, GPU-seconds times seconds: of equal ones that
	// costs least by which they do. Where durations are only believed, it is that by deadline.
	least        float64
	leastBacklog float64
	backlog      float64 // of the order that was simulated last
}

// planned is a job in the plan. Times are in seconds from now on.
type planned struct {
	job, gang int
	need      float64 // time on servers
	deadline  float64
	due       float64 // when it has to be done: the deadline less the reserve
	pace      float64 // how many times as long it takes where it rents
	mayRent   bool    // else it waits, however late it will be
	where     whereabouts
	start     [rentsOnDemand + 1]float64 // what it takes to go on there
	rank      float64                    // in the order of the plan before

	// USD of a second in which it rents: on spot now (+Inf: there is none), later, on demand.
	spot, later, demand float64

	// By the order that was simulated last:
	todo   float64
	is     whereabouts
	turn   int         // who is put first at an instant
	first  whereabouts // what it is at first
	rented float64     // for how long it rents
}

const (
	// linedUp is how many jobs are in the plan, those that are due first: the others get what servers are left.
	linedUp = 500
	// tryAll is up to how many jobs all orders are tried.
	tryAll = 6
	// effort is how many steps of jobs are simulated in a local search.
	effort = 40_000
	// lateUSD is what a second of a GPU counts that is late, where nothing can be rented in its place.
	lateUSD = 1
)

// plan makes the plan, unless the one that was made still holds.
func (e *EDF) plan(v sim.View, s *deadlineState) {
	l := &s.line
	if v.Now() < l.until && len(v.JobChanges()) == 0 && !s.refused {
		return
	}
	search := len(v.JobChanges()) > 0 || s.refused
	s.refused = false
	e.lineUp(v, s)
	l.settle(search)
	changes := pollEvery.Seconds()
	for place, k := range l.order {
		x := &l.jobs[k]
		job := &s.jobs[x.job]
		job.rank = float64(place + 1)
		job.serves = x.first == onServers
		job.rents = !job.serves && (x.first == rentsOnDemand || x.rented > x.start[rentsOnDemand]+1 && x.spot < x.later)
		if job.rents {
			changes = min(changes, x.rented)
		} else if !job.serves && job.firm > 0 {
			changes = min(changes, job.firm)
		}
	}
	l.until = v.Now().Add(secondsAhead(max(changes, leastStep)))
}

// lineUp notes the jobs that servers can do, and what there is.
func (e *EDF) lineUp(v sim.View, s *deadlineState) {
	l := &s.line
	l.servers = 0
	l.spot = 0
	l.doubt = false
	for p := range s.pools {
		switch pool := &s.pools[p]; {
		case pool.kind == ownServers && !pool.down:
			l.servers += v.Pool(p).Quota
		case s.mayRequest(p, v.Now(), 1):
			l.spot += s.book.free[p]
		}
	}
	l.jobs = l.jobs[:0]
	rank := 0.0
	for _, j := range s.order {
		job := &s.jobs[j]
		job.serves = false
		job.stays = false
		job.rents = gang(v, j).Gang() > job.servers
		if job.rents || len(l.jobs) == linedUp {
			continue
		}
		l.doubt = l.doubt || v.Job(j).Believed()
		x := e.planned(v, s, j)
		job.stays = x.wouldBeLate()
		if x.rank == 0 {
			x.rank = rank
		}
		rank = x.rank
		l.jobs = append(l.jobs, x)
	}
}

// planned is job j in the plan.
func (e *EDF) planned(v sim.View, s *deadlineState, j int) planned {
	job := &s.jobs[j]
	model := gang(v, j)
	restart := e.restart(s, j, model)
	x := planned{
		job:      j,
		gang:     model.Gang(),
		need:     job.left / job.rate,
		deadline: job.deadline.Sub(v.Now()).Seconds(),
		pace:     1,
		mayRent:  job.mayRent,
		where:    job.where,
		rank:     job.rank,
		spot:     math.Inf(1),
		demand:   lateUSD * float64(model.Gang()),
	}
	x.due = x.deadline - job.reserve
	x.start[onServers] = restart
	if job.where == onServers {
		x.start[onServers] = 0
	}
	if !job.mayRent {
		return x
	}
	speed := s.speed(j)
	gpus := float64(x.gang) / 3600
	boot := 0.0
	if p := s.cheapestOnDemand(j); p != none {
		boot = v.Pool(p).Boot.Mean().Seconds()
		x.pace = job.rate / speed[p]
		x.demand = gpus * s.pools[p].price
	}
	if job.where < onSpot {
		x.start[rentsOnDemand] = (restart + boot) / x.pace
	}
	spot := x.demand // where there is spot
	for p := range s.pools {
		pool := &s.pools[p]
		if pool.kind != spotPool || speed[p] <= 0 || v.Pool(p).Quota < x.gang {
			continue
		}
		usd := gpus * pool.price * job.rate / (speed[p] * x.pace) * (1 + e.lostOn(v, s, j, p))
		spot = min(spot, usd)
		if job.where == onSpot && job.at == p || s.mayRequest(p, v.Now(), x.gang) {
			x.spot = min(x.spot, usd)
		}
	}
	share := s.spotShare(e.PriorHours)
	x.later = share*spot + (1-share)*x.demand
	return x
}

// settle decides in which order jobs get servers: of all orders, or by a local search from the order of deadlines and
// the one of the plan before, the cheapest.
func (l *bestLine) settle(search bool) {
	l.simulated = 0
	l.order = l.order[:0]
	for k := range l.jobs {
		l.order = append(l.order, k)
	}
	l.least = math.MaxFloat64
	l.try()
	if len(l.order) <= tryAll {
		l.permute(0)
	} else {
		slices.SortStableFunc(l.order, func(a, b int) int { return cmp.Compare(l.jobs[a].rank, l.jobs[b].rank) })
		l.try()
		if search {
			l.move()
		}
	}
	l.order = append(l.order[:0], l.best...)
	l.urgentFirst = l.bestUrgent
	l.simulate()
}

// try takes the order if it is better than the best, and reports whether it is.
func (l *bestLine) try() (better bool) {
	for _, l.urgentFirst = range [...]bool{false, true} {
		usd := l.simulate()
		near := 1e-6 * math.Abs(l.least)
		if usd < l.least-near || !l.doubt && usd <= l.least+near && l.backlog < l.leastBacklog*(1-1e-6) {
			l.least = usd
			l.leastBacklog = l.backlog
			l.best = append(l.best[:0], l.order...)
			l.bestUrgent = l.urgentFirst
			better = true
		}
	}
	return better
}

// permute tries all orders of the jobs from a place on, those closest to the order of deadlines first.
func (l *bestLine) permute(from int) {
	if from >= len(l.order)-1 {
		l.try()
		return
	}
	for k := from; k < len(l.order); k++ {
		moveTo(l.order, k, from)
		l.permute(from + 1)
		moveTo(l.order, from, k)
	}
}

// move moves jobs in the best order, one at a time, as long as it costs less. The next search goes on where this one
// ends.
func (l *bestLine) move() {
	l.order = append(l.order[:0], l.best...)
	n := len(l.order)
	for failed := 0; failed < n*n && l.simulated < effort; failed++ {
		l.tried = (l.tried + 1) % (n * n)
		k := l.tried / n
		i := l.tried % n
		if i == k {
			continue
		}
		moveTo(l.order, k, i)
		if l.try() {
			failed = 0
		} else {
			moveTo(l.order, i, k)
		}
	}
}

// moveTo moves what is at one place of an order to another.
func moveTo(order []int, from, to int) {
	moved := order[from]
	copy(order[from:], order[from+1:])
	copy(order[to+1:], order[to:len(order)-1])
	order[to] = moved
}

// simulate returns what the order costs, USD, and sets backlog: each job has servers in its turn where its gang fits,
// and rents where it has no time left.
func (l *bestLine) simulate() (usd float64) {
	l.live = append(l.live[:0], l.order...)
	for k := range l.jobs {
		job := &l.jobs[k]
		job.todo = job.need
		job.rented = 0
		job.is = job.where
		if job.is == onSpot {
			job.is = jobWaits
		}
	}
	l.backlog = 0
	for now := 0.0; len(l.live) > 0; {
		l.simulated += len(l.live)
		step := max(l.place(now), leastStep)
		if math.IsInf(step, 1) {
			break // who is left waits for servers that are down
		}
		for _, k := range l.live {
			job := &l.jobs[k]
			if job.is == onServers {
				l.backlog += float64(job.gang) * step * (now + step/2)
			}
		}
		now += step
		live := l.live[:0]
		for _, k := range l.live {
			job := &l.jobs[k]
			if job.train(step) {
				live = append(live, k)
			} else if !job.mayRent {
				usd += lateUSD * float64(job.gang) * max(now-job.due, 0)
			}
		}
		l.live = live
	}
	return usd + l.rentUSD()
}

// place says where the jobs are at an instant, and returns for how long: those on servers that have no time to move
// stay there, and others follow in their order.
func (l *bestLine) place(now float64) (step float64) {
	step = math.Inf(1)
	free := l.servers
	for _, k := range l.live {
		job := &l.jobs[k]
		job.turn = 2
		if (l.urgentFirst || job.is == onServers) && job.spare(now) <= 0 {
			job.turn = 1
			if job.is == onServers {
				job.turn = 0
			}
		}
	}
	for turn := range 3 {
		for _, k := range l.live {
			job := &l.jobs[k]
			if job.turn == turn {
				step = min(step, l.put(job, now, &free))
			}
		}
	}
	return step
}

// spare is for how long a job can wait before it has to rent; 0 for one that rents.
func (job *planned) spare(now float64) float64 {
	if job.is >= onSpot {
		return 0
	}
	if !job.mayRent {
		return math.Inf(1)
	}
	return job.due - now - (job.todo+job.start[rentsOnDemand])*job.pace
}

// wouldBeLate reports whether a job that rents now would be late because it moves to servers.
func (job *planned) wouldBeLate() bool {
	spare := job.deadline - job.need
	return job.where >= onSpot && spare >= 0 && spare < job.start[onServers]
}

// put says where a job is at an instant, on servers if its gang fits into what is free, and returns for how long.
func (l *bestLine) put(job *planned, now float64, free *int) (step float64) {
	to := jobWaits
	step = job.spare(now)
	if job.gang <= *free && !(now == 0 && job.wouldBeLate()) {
		*free -= job.gang
		to = onServers
	} else if step <= 0 {
		to = rentsOnDemand
	}
	if to != job.is {
		job.todo += job.start[to]
		job.is = to
	}
	if now == 0 {
		job.first = to
	}
	switch to {
	case onServers:
		return job.todo
	case rentsOnDemand:
		return job.todo * job.pace
	}
	return step
}

// train trains for a step, and reports whether anything is left to do.
func (job *planned) train(step float64) bool {
	switch job.is {
	case onServers:
		job.todo -= step
	case rentsOnDemand:
		job.rented += min(step, job.todo*job.pace)
		job.todo -= step / job.pace
	}
	return job.todo > 1e-6
}

// rentUSD is what renting costs: until the next look at present prices, on spot as far as there is capacity, and later
// at the price that is expected.
func (l *bestLine) rentUSD() (usd float64) {
	spot := l.spot
	for _, k := range l.order {
		job := &l.jobs[k]
		if job.rented == 0 {
			continue
		}
		soon := job.later
		fits := job.where == onSpot || job.gang <= spot
		switch {
		case job.first == onServers:
		case fits && job.spot < job.later:
			soon = job.spot
			if job.where != onSpot {
				spot -= job.gang
			}
		case job.first == rentsOnDemand:
			soon = job.demand
		}
		usd += job.later*job.rented + (soon-job.later)*min(job.rented, pollEvery.Seconds())
	}
	return usd
}
