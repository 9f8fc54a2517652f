package pairs

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// host is a GPU that the run holds, or has asked for.
type host struct {
	id, pool int
	usable   bool // it was not given back, and the cloud has announced nothing
	taken    bool
}

// models are the models of GPU of a cluster, in the order of its pools, without what is rented on demand. A pool that says no model
// is one of its own.
type models struct {
	gpus  []int   // by model: that can be had, as far as is known
	pools [][]int // by model
	of    []int   // model by pool; -1: rented on demand
	rents bool    // there is spot capacity
	full  []sim.Time
}

// fullAgain is how long a spot pool is not asked in which requests were not granted.
const fullAgain = 5 * time.Minute

// find finds the models.
func (m *models) find(v sim.View) {
	var names []string
	m.full = make([]sim.Time, v.Pools())
	for p := range v.Pools() {
		x := v.Pool(p)
		if x.OnDemand {
			m.of = append(m.of, -1)
			continue
		}
		m.rents = m.rents || !x.Reserved
		at := slices.Index(names, x.GPU)
		if at < 0 || x.GPU == "" {
			at = len(names)
			names, m.gpus, m.pools = append(names, x.GPU), append(m.gpus, 0), append(m.pools, nil)
		}
		m.of, m.gpus[at], m.pools[at] = append(m.of, at), m.gpus[at]+x.Quota, append(m.pools[at], p)
	}
}

// room is how many GPUs of a pool there are for jobs, as far as is known: those that are held, where it is full.
func (m *models) room(v sim.View, p int, hosts []host) int {
	if m.full[p] <= v.Now() {
		return v.Pool(p).Quota
	}
	n := 0
	for _, h := range hosts {
		if h.pool == p && h.usable {
			n++
		}
	}
	return n
}

// count counts what can be had, and reports whether that is other than before.
func (m *models) count(v sim.View, hosts []host) (other bool) {
	if !m.rents {
		return false
	}
	for at, pools := range m.pools {
		was := m.gpus[at]
		m.gpus[at] = 0
		for _, p := range pools {
			m.gpus[at] += m.room(v, p, hosts)
		}
		other = other || m.gpus[at] != was
	}
	return other
}

// has reports whether there are GPUs enough of a model on which a job runs.
func (m *models) has(speed []float64, gpus int) bool {
	for k, n := range m.gpus {
		if n >= gpus && speed[k] > 0 {
			return true
		}
	}
	return false
}
