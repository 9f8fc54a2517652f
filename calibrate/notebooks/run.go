package notebooks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Run lets the sessions run, each cell on the host with most idle GPUs. An error says what
// is wrong with a setting or a session; or that a cell never finds room.
func (p *Pool) Run(sessions []Session) (Result, error) {
	if err := p.Check(); err != nil {
		return Result{}, err
	}
	if err := check(sessions, p.GPUs); err != nil {
		return Result{}, err
	}
	r := newRun(p, sessions)
	for !r.over() {
		r.step()
		if r.now > 4*maxTime {
			return Result{}, fmt.Errorf("cells still wait after %d s: the hosts do not suffice", r.now)
		}
	}
	return r.result(BoundsOf(sessions).Reserved), nil
}

func (r *run) result(reserved float64) Result {
	for i := range r.hosts {
		r.paid += r.now - r.hosts[i].since
	}
	out := Result{HostH: float64(r.paid) / 3600, PeakHosts: r.peak, Cells: len(r.delays), Delays: r.delays, EndS: r.now}
	out.GPUH = float64(r.pool.GPUs) * out.HostH
	out.SavedGPUH = reserved - out.GPUH
	if n := len(r.delays); n > 0 {
		sorted := slices.Sorted(slices.Values(r.delays))
		sum := 0
		for _, d := range sorted {
			sum += d
		}
		out.MeanDelayS, out.LargestS = float64(sum)/float64(n), sorted[n-1]
		out.P95DelayS = sorted[int(math.Ceil(0.95*float64(n)))-1]
	}
	return out
}

// run is a pool while it goes on. Instants are whole seconds.
type run struct {
	pool     *Pool
	sessions []Session
	last     int // stop of any session

	now    int
	hosts  []host // ascending by number
	number int    // of the next host
	next   []turn // of each session
	queue  []int  // sessions whose cell waits
	busy   []busy // cells that run

	paid   int // host-seconds of hosts that were given back
	peak   int
	delays []int
}

// host is one that starts or is ready.
type host struct {
	number, since, ready int
	idle                 int // GPUs
}

// turn is where a session is.
type turn struct {
	cell  int // next
	due   int // when it is to start; never: it runs, waits, or there is none
	late  int // s by which its cells begin later than their users meant
	since int // when the waiting cell became due
}

const never = math.MaxInt

// busy is a cell that runs.
type busy struct{ end, session, host, gpus int }

func newRun(p *Pool, sessions []Session) *run {
	r := &run{pool: p, sessions: slices.Clone(sessions), next: make([]turn, len(sessions))}
	slices.SortStableFunc(r.sessions, func(a, b Session) int { return cmp.Compare(a.Number, b.Number) })
	for i := range r.sessions {
		r.last = max(r.last, r.sessions[i].Stop)
		r.schedule(i)
	}
	for range p.Least + p.Buffer {
		r.add(0)
	}
	return r
}

// schedule makes the next cell of a session due, passing over those without GPUs.
func (r *run) schedule(i int) {
	s, t := &r.sessions[i], &r.next[i]
	for t.cell < len(s.Cells) && s.Cells[t.cell].GPUs == 0 {
		t.cell++
	}
	t.due = never
	if t.cell < len(s.Cells) {
		t.due = max(r.now, s.Cells[t.cell].Start+t.late)
	}
}

// add requests a host that is ready in so many seconds.
func (r *run) add(in int) {
	r.hosts = append(r.hosts, host{r.number, r.now, r.now + in, r.pool.GPUs})
	r.number++
}

// over reports whether all sessions are over and all cells have run.
func (r *run) over() bool {
	return r.now >= r.last && len(r.queue) == 0 && len(r.busy) == 0 && r.upcoming() == never && r.now > 0
}

// upcoming is when the next cell is due.
func (r *run) upcoming() int {
	at := never
	for i := range r.next {
		at = min(at, r.next[i].due)
	}
	return at
}

// step does all that happens now, and goes to the next instant at which something may.
func (r *run) step() {
	r.end()
	r.join()
	if r.now%r.pool.Every == 0 {
		r.scale()
	}
	r.start()
	r.peak = max(r.peak, len(r.hosts))
	if r.over() {
		return
	}
	at := min(r.upcoming(), (r.now/r.pool.Every+1)*r.pool.Every)
	for _, b := range r.busy {
		at = min(at, b.end)
	}
	for i := range r.hosts {
		if ready := r.hosts[i].ready; ready > r.now {
			at = min(at, ready)
		}
	}
	r.now = at
}

// end frees the GPUs of cells that end.
func (r *run) end() {
	r.busy = slices.DeleteFunc(r.busy, func(b busy) bool {
		if b.end > r.now {
			return false
		}
		r.hosts[r.host(b.host)].idle += b.gpus
		r.next[b.session].cell++
		r.schedule(b.session)
		return true
	})
}

// host returns the place of a host by number.
func (r *run) host(number int) int {
	at, _ := slices.BinarySearchFunc(r.hosts, number, func(h host, n int) int { return cmp.Compare(h.number, n) })
	return at
}

// join puts the cells that are due into the queue, by session.
func (r *run) join() {
	for i := range r.next {
		if t := &r.next[i]; t.due <= r.now {
			t.since, t.due = t.due, never
			r.queue = append(r.queue, i)
		}
	}
}

// cellOf is the cell that a session is at.
func (r *run) cellOf(i int) *Cell { return &r.sessions[i].Cells[r.next[i].cell] }

// scale lets the autoscaler request hosts or give some back.
func (r *run) scale() {
	p, load := r.pool, 0
	for _, b := range r.busy {
		load += b.gpus
	}
	for _, i := range r.queue {
		load += r.cellOf(i).GPUs
	}
	hosts := func(factor float64) int {
		return max(int(math.Ceil(float64(load)*factor/float64(p.GPUs))), p.Least+p.Buffer)
	}
	if want := min(p.Most, hosts(p.Scale)); len(r.hosts) < want {
		for range want - len(r.hosts) {
			r.add(p.Start)
		}
		return
	}
	back := min(p.Release, len(r.hosts)-hosts(p.Limit))
	for i := len(r.hosts) - 1; i >= 0 && back > 0; i-- {
		if h := &r.hosts[i]; h.ready <= r.now && h.idle == p.GPUs {
			r.paid += r.now + p.Stop - h.since
			r.hosts = slices.Delete(r.hosts, i, i+1)
			back--
		}
	}
}

// start runs the cells of the queue that find room, each on the host with most idle GPUs.
func (r *run) start() {
	r.queue = slices.DeleteFunc(r.queue, func(i int) bool {
		c, best := r.cellOf(i), -1
		for k := range r.hosts {
			if h := &r.hosts[k]; h.ready <= r.now && h.idle >= c.GPUs && (best < 0 || h.idle > r.hosts[best].idle) {
				best = k
			}
		}
		if best < 0 {
			return false
		}
		t := &r.next[i]
		delay := r.now - t.since
		r.delays = append(r.delays, delay)
		t.late += delay + r.pool.Cold
		r.hosts[best].idle -= c.GPUs
		r.busy = append(r.busy, busy{r.now + r.pool.Cold + c.Duration, i, r.hosts[best].number, c.GPUs})
		return true
	})
}
