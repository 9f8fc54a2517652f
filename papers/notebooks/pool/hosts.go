package pool

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// sync brings the hosts up to date with the instances: those that were granted, became ready,
// came under notice or were taken away.
func (r *round) sync() {
	r.seen = r.v.Job(r.j).Instances(r.seen[:0])
	for i := range r.hosts {
		r.hosts[i].seen = false
	}
	for _, x := range r.seen {
		k := slices.IndexFunc(r.hosts, func(h host) bool { return h.pool == x.Pool && h.ordinal == x.Ordinal })
		if k < 0 {
			k = len(r.hosts)
			r.hosts = append(r.hosts, host{number: r.number, pool: x.Pool, ordinal: x.Ordinal, initial: r.first > 0, serves: sim.Never, stops: sim.Never,
				idle: r.platform.GPUs})
			r.number++
			r.first = max(r.first-1, 0)
		}
		h := &r.hosts[k]
		h.seen = true
		if x.Ready && !h.ready {
			h.ready, h.serves = true, r.now
			if !h.initial {
				h.serves = r.now.Add(r.Start)
			}
		}
		if x.Noticed && !h.noticed {
			h.noticed = true
			r.unwant(h)
		}
	}
	for i := 0; i < len(r.hosts); {
		if r.hosts[i].seen {
			i++
			continue
		}
		if h := &r.hosts[i]; !h.noticed {
			r.unwant(h)
		}
		r.lose(r.hosts[i].number)
		r.hosts = slices.Delete(r.hosts, i, i+1)
	}
}

// unwant keeps the world from replacing a host that goes, if it was to be given back anyway.
func (r *round) unwant(h *host) {
	if hold := r.plan.Jobs[r.j].Hold; (h.stops != sim.Never || r.closed) && hold[h.pool] > 0 {
		hold[h.pool]--
	}
}

// lose puts the cells of a host that was taken away back into the queue, and forgets its
// replicas.
func (r *round) lose(number int) {
	r.busy = slices.DeleteFunc(r.busy, func(b busy) bool {
		if b.host != number {
			return false
		}
		r.lost++
		r.lostGPUS += float64(float64(b.gpus) * r.now.Sub(b.began).Seconds())
		r.turns[b.session].delay = b.delay
		r.queue = append(r.queue, b.session)
		return true
	})
	r.dropReplicas(number)
}

// hostsNow counts the hosts that boot or serve, and those that were asked for.
func (r *round) hostsNow() int {
	n := r.v.Job(r.j).Waiting()
	for i := range r.hosts {
		if r.hosts[i].stops == sim.Never && !r.hosts[i].noticed {
			n++
		}
	}
	return n
}

// scale is the autoscaler.
func (r *round) scale() {
	load := r.gpusBusy()
	for _, i := range r.queue {
		load += r.cellOf(i).GPUs
	}
	hosts := func(factor float64) int {
		return max(int(math.Ceil(float64(load)*factor/float64(r.platform.GPUs))), r.MinHosts+r.Buffer)
	}
	have, want := r.hostsNow(), hosts(r.Scale)
	if r.reserve {
		want = max(want, have+r.missing())
	}
	want = min(r.MaxHosts, want)
	r.wanted = want
	r.plan.AddInput("load", float64(load), "GPUs")
	r.plan.AddInput("hosts", float64(have), "")
	r.plan.AddInput("hosts wanted", float64(want), "")
	if have < want {
		r.request(want - have)
		r.plan.SetReason("more hosts for the load")
		r.askAgain()
		return
	}
	back := min(r.Release, have-r.v.Job(r.j).Waiting()-hosts(max(r.Limit, r.Scale)))
	for _, onDemand := range []bool{true, false} {
		back -= r.stopIdle(back, onDemand)
	}
}

// stopIdle stops at most n idle hosts of those on demand or on spot, the latest first,
// and returns how many.
func (r *round) stopIdle(largest int, onDemand bool) (n int) {
	for i := len(r.hosts) - 1; i >= 0 && n < largest; i-- {
		if h := &r.hosts[i]; h.takes(r.now) && h.idle == r.platform.GPUs && r.v.Pool(h.pool).OnDemand == onDemand {
			h.stops = r.now.Add(r.Stop)
			n++
			r.plan.SetReason("idle hosts are given back")
		}
	}
	return n
}

// missing returns how many hosts the queue needs beside those that there are and those that boot: one after the other
// on the first that has room, since the GPUs of a session are on one host.
func (r *round) missing() int {
	var idle []int
	for i := range r.hosts {
		if h := &r.hosts[i]; h.takes(r.now) {
			idle = append(idle, h.idle)
		}
	}
	ready := len(idle)
	for _, i := range r.queue {
		gpus := r.cellOf(i).GPUs
		k := slices.IndexFunc(idle, func(n int) bool { return n >= gpus })
		if k < 0 {
			k = len(idle)
			idle = append(idle, r.platform.GPUs)
		}
		idle[k] -= gpus
	}
	boot := r.v.Job(r.j).Waiting()
	for i := range r.hosts {
		if r.hosts[i].serves > r.now && r.hosts[i].stops == sim.Never {
			boot++
		}
	}
	return max(len(idle)-ready-boot, 0)
}

// request asks for n hosts in the cheapest pools of the market that have room within their
// quotas, and returns how many were asked for.
func (r *round) request(n int) int { return n - r.requestIn(r.Market == "on-demand", n) }

// requestIn asks for n hosts on demand or on spot, and returns how many have no room.
func (r *round) requestIn(onDemand bool, n int) (left int) {
	hold := r.plan.Jobs[r.j].Hold
	for left = n; left > 0; {
		best := -1
		for p := range hold {
			if r.v.Pool(p).OnDemand == onDemand && r.free(p) > 0 && (best < 0 || r.better(p, best)) {
				best = p
			}
		}
		if best < 0 {
			return left
		}
		k := min(left, r.free(best))
		hold[best] += k
		left -= k
	}
	return 0
}

// free returns how many more hosts of a pool can be asked for within its quota.
func (r *round) free(p int) int {
	asked := r.plan.Jobs[r.j].Hold[p] - r.v.Held(r.j, p).Active()
	return policyutil.Headroom(r.v, r.plan, r.j, p) - max(asked, 0)
}

// better reports whether hosts are rather asked for in pool p than in q: where no request
// waits, then where they are cheaper.
func (r *round) better(p, q int) bool {
	waits := func(p int) int { return min(r.v.Held(r.j, p).Waiting, 1) }
	return cmp.Or(cmp.Compare(waits(p), waits(q)), cmp.Compare(r.v.Price(p), r.v.Price(q))) < 0
}

// fallBack gives up requests for spot hosts that did not come within the patience: as many
// hosts as are missing are asked for on demand.
func (r *round) fallBack() {
	if r.Patience == 0 {
		return
	}
	for p := range r.v.Pools() {
		n, since := r.v.Waiting(r.j, p)
		if n == 0 || r.v.Pool(p).OnDemand {
			continue
		}
		if left := r.Patience - r.now.Sub(since); left > 0 {
			r.plan.WakeIn(left)
			continue
		}
		missing := min(n, max(r.wanted-r.hostsNow()+r.v.Job(r.j).Waiting(), 0))
		r.plan.Jobs[r.j].Hold[p] -= n - r.requestIn(true, missing)
		r.plan.SetReason("spot did not come: on demand takes its place")
		r.askAgain()
	}
}

// comeBack asks for spot in place of the hosts on demand from time to time; the autoscaler
// gives those back when others are there.
func (r *round) comeBack() {
	if r.Return == 0 || r.Market == "on-demand" || r.v.Job(r.j).Waiting() > 0 {
		return
	}
	expensive := 0
	for i := range r.hosts {
		if h := &r.hosts[i]; h.stops == sim.Never && !h.noticed && r.v.Pool(h.pool).OnDemand {
			expensive++
		}
	}
	if expensive == 0 {
		return
	}
	if left := r.Return - r.now.Sub(r.returned); left > 0 {
		r.plan.WakeIn(left)
		return
	}
	r.returned = r.now
	if r.requestIn(false, expensive) < expensive {
		r.plan.SetReason("spot is asked for again")
		r.askAgain()
	}
}

// stop gives the hosts back whose time to stop has passed.
func (r *round) stop() {
	for i := 0; i < len(r.hosts); {
		if r.hosts[i].stops <= r.now {
			r.giveBack(i)
			continue
		}
		i++
	}
}

// giveBack gives the i-th host back now.
func (r *round) giveBack(i int) {
	h, p := &r.hosts[i], &r.plan.Jobs[r.j]
	if !h.noticed { // else it is not among those held, and goes by itself
		p.Hold[h.pool]--
		p.GiveBack = append(p.GiveBack, sim.Instance{Pool: h.pool, Ordinal: h.ordinal})
	}
	r.dropReplicas(h.number)
	r.hosts = slices.Delete(r.hosts, i, i+1)
}

// wake asks to be asked again when something happens that the world does not know.
func (r *round) wake() {
	every := r.Every
	next := min(r.upcoming(), r.from.Add((r.now.Sub(r.from)/every+1)*every))
	for _, b := range r.busy {
		next = min(next, b.end)
	}
	for i := range r.hosts {
		if h := &r.hosts[i]; h.serves > r.now {
			next = min(next, h.serves)
		}
		next = min(next, r.hosts[i].stops)
	}
	r.plan.WakeIn(next.Sub(r.now))
}
