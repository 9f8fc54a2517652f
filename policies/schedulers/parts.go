package schedulers

// part is the pools of a cluster on which some jobs run, those of some models of GPU: a scheduler that does not
// consider how fast a job is on a model still may not place it where it does not run.
type part struct {
	runs  []bool  // by model; nil: on all
	on    []bool  // by pool
	pools []int   // of it
	gpus  int     // of them
	free  int     // of these
	large int     // GPUs of the largest server
	racks []rack  // by number
	tree  []int32 // over pools: the most that is free of one; tree[1] is of all
}

// change counts what is free of a pool, which is in a rack.
func (x *part) change(p, rack, before, now int) {
	if before == now {
		return
	}
	x.free += now - before
	if before == x.large {
		x.racks[rack].whole--
	}
	if now == x.large {
		x.racks[rack].whole++
	}
	k := len(x.tree)/2 + p
	x.tree[k] = int32(now)
	for k > 1 {
		k /= 2
		x.tree[k] = max(x.tree[2*k], x.tree[2*k+1])
	}
}

// first returns the first pool with at least n free GPUs, n above 0; -1 if there is none.
func (x *part) first(n int) int {
	if int(x.tree[1]) < n {
		return none
	}
	k := 1
	for k < len(x.tree)/2 {
		k *= 2
		if int(x.tree[k]) < n {
			k++
		}
	}
	return k - len(x.tree)/2
}

// holds reports whether the part could have a gang if nothing else ran there.
func (x *part) holds(quota []int, gang int, where Placement) bool {
	if where != Consolidated || gang <= x.large {
		return gang <= x.gpus
	}
	if x.large == 0 {
		return false // all of it is rented
	}
	servers := gang / x.large
	rest := gang % x.large
	for _, r := range x.racks {
		whole := 0
		enough := 0
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
