package schedulers

// part is the pools of a cluster on which some jobs run, those of some models of GPU: a scheduler that does not consider how
// fast a job is on a model still may not place it where it does not run.
type part struct {
	runs  []bool  // by model; nil: on all
	on    []bool  // by pool
	pools []int   // of it
	gpus  int     // of them
	free  int     // of these
	large int     // GPUs of the largest server
	racks []rack  // by number
	max   []int32 // a tree over pools: the most that is free of one; most[1] is of all
}

// change counts what is free of a pool.
func (x *part) change(p, at, was, now int) {
	if was == now {
		return
	}
	x.free += now - was
	if was == x.large {
		x.racks[at].whole--
	}
	if now == x.large {
		x.racks[at].whole++
	}
	k := len(x.max)/2 + p
	x.max[k] = int32(now)
	for k > 1 {
		k /= 2
		x.max[k] = max(x.max[2*k], x.max[2*k+1])
	}
}

// first returns the first pool with at least n free GPUs, n above 0; -1 if there is none.
func (x *part) first(n int) int {
	if int(x.max[1]) < n {
		return -1
	}
	k := 1
	for k < len(x.max)/2 {
		if k *= 2; int(x.max[k]) < n {
			k++
		}
	}
	return k - len(x.max)/2
}

// holds reports whether the part could have a gang if nothing else ran there.
func (x *part) holds(quota []int, gang int, where Placement) bool {
	if where != Consolidated || gang <= x.large {
		return gang <= x.gpus
	}
	if x.large == 0 {
		return false // all of it is rented
	}
	servers, rest := gang/x.large, gang%x.large
	for _, r := range x.racks {
		whole, enough := 0, 0
		for p := r.first; p < r.end; p++ {
			if x.on[p] && quota[p] == x.large {
				whole++
			}
			if x.on[p] && quota[p] >= rest {
				enough++
			}
		}
		if whole >= servers && (rest == 0 || enough > servers) {
			return true
		}
	}
	return false
}

// rack is the pools at one switch, which follow one another.
type rack struct {
	first, end int
	whole      int // servers as large as the largest that are entirely free
}

// has reports whether a part has a model.
func (x *part) has(model int) bool { return x.runs == nil || x.runs[model] }
