package pool

import (
	"slices"
	"time"
)

// placeKernel is place for kernels with replicas: a cell begins at once where one of them is,
// else where there is room once the state is there, which one replica goes to.
func (r *round) placeKernel(i, gpus int) (k int, cold time.Duration) {
	t := &r.turns[i]
	if !t.kernel {
		r.replicate(i)
	}
	if k = r.maxIdle(gpus, t.replicas); len(t.replicas) > 0 && k >= 0 {
		cold = r.Cold
	} else if k = r.maxIdle(gpus, nil); k < 0 {
		return k, 0
	} else {
		cold = r.Cold + r.migrate(t, r.hosts[k].number)
	}
	t.kernel = true
	r.replicate(i)
	return k, cold
}

// migrate moves a replica to a host, and returns how long that takes: to write the state, if a
// replica has it, and to read it; nothing for a kernel that has none yet.
func (r *round) migrate(t *turn, to int) (cold time.Duration) {
	const mb = 1e-3 // GB
	if t.kernel {
		r.migrated++
		seconds := r.StateGB / (r.Download * mb)
		if len(t.replicas) > 0 {
			seconds += r.StateGB / (r.Upload * mb)
		}
		cold = time.Duration(seconds * float64(time.Second))
	}
	if len(t.replicas) >= r.Replicas {
		t.replicas = slices.Delete(t.replicas, 0, 1)
	}
	t.replicas = append(t.replicas, to)
	return cold
}

// replicate makes the missing replicas of a session's kernel, on the hosts with fewest
// subscribed GPUs; between cells, so that nobody waits for them.
func (r *round) replicate(i int) {
	t := &r.turns[i]
	for len(t.replicas) < r.Replicas {
		best, smallest := -1, 0.0
		for k := range r.hosts {
			h := &r.hosts[k]
			if !h.takes(r.now) || slices.Contains(t.replicas, h.number) {
				continue
			}
			if x := r.subscribed(h.number); x < r.Subscription && (best < 0 || x < smallest) {
				best, smallest = k, x
			}
		}
		if best < 0 {
			return
		}
		t.replicas = append(t.replicas, r.hosts[best].number)
	}
}

// subscribed returns the GPUs of sessions with a replica on a host, over those of the host
// and the number of replicas.
func (r *round) subscribed(number int) float64 {
	n := 0
	for i := range r.turns {
		if slices.Contains(r.turns[i].replicas, number) {
			n += r.sessions[i].GPUs
		}
	}
	return float64(n) / float64(r.platform.GPUs*r.Replicas)
}

// dropReplicas forgets the replicas on a host that is gone.
func (r *round) dropReplicas(number int) {
	for i := range r.turns {
		t := &r.turns[i]
		t.replicas = slices.DeleteFunc(t.replicas, func(n int) bool { return n == number })
	}
}
