package stragglers

import (
	"cmp"
	"fmt"
	"slices"
)

// epsilon is the clock's uncertainty in seconds when sends and receives are matched with what they serve.
const epsilon = 5e-5

// graph says what waits for what.
type graph struct {
	before [][]int32 // of each node: those that end before it starts
	groups []group   // each node is in one; those that others wait for come first
}

// group is operations that transfer together: each ends its own transfer after all have started. One that computes is
// alone.
type group struct {
	nodes  []int
	across bool // all dp ranks take part
	alone  bool // it needs its duration, not a transfer
}

// connect makes the graph.
func (j *Job) connect() error {
	j.before = make([][]int32, len(j.nodes))
	overlapped := slices.ContainsFunc(j.nodes, func(n node) bool { return n.kind == separateReduce })
	for stage := range j.PP {
		if err := j.connectStage(stage, overlapped); err != nil {
			return err
		}
	}
	grouped := make([]bool, len(j.nodes))
	add := func(one group) {
		for _, n := range one.nodes {
			grouped[n] = true
		}
		j.groups = append(j.groups, one)
	}
	directions := []flow{
		{forward, forwardSend, forwardRecv, 1},
		{backward, backwardSend, backwardRecv, -1},
	}
	for _, direction := range directions {
		if err := j.pair(direction, add); err != nil {
			return err
		}
	}
	j.groupTogether(add)
	for n := range j.nodes {
		if kind := j.nodes[n].kind; !grouped[n] {
			add(group{nodes: []int{n}, alone: types[kind] || kind == layerNorm})
		}
	}
	return j.sort()
}

// follow lets a node wait for another.
func (j *Job) follow(first, then int) { j.before[then] = append(j.before[then], int32(first)) }

// chain lets each node wait for the one before it.
func (j *Job) chain(list []int) {
	for i := 1; i < len(list); i++ {
		j.follow(list[i-1], list[i])
	}
}

// connectStage connects the operations of a stage: streams in recorded order, and the ends of a step. Gradients may be
// reduced while the backward pass goes on.
func (j *Job) connectStage(stage int, overlapped bool) error {
	computing := j.stageNodes(stage, forward, backward)
	firstBackward := slices.IndexFunc(computing, func(n int) bool { return j.nodes[n].kind == backward })
	if firstBackward < 0 || len(j.stageNodes(stage, forward)) == 0 || len(j.stageNodes(stage, collect)) == 0 {
		return fmt.Errorf("stage %d: expected operations of the types %s, %s and %s in step %d",
			stage, forward, backward, collect, j.Steps[0])
	}
	j.chain(computing)
	for _, kind := range []string{forwardSend, forwardRecv, backwardSend, backwardRecv} {
		j.chain(j.stageNodes(stage, kind))
	}
	if firstBackward >= 2 { // the pipeline is full: its backward streams begin
		for _, n := range j.stageNodes(stage, backwardRecv, backwardSend) {
			if j.nodes[n].sequence == 0 {
				j.follow(computing[firstBackward-2], n)
			}
		}
	}
	if j.sharesData() {
		j.connectReplicas(stage, overlapped)
	}
	j.connectTail(stage, computing, overlapped)
	return nil
}

// sharesData reports whether gradients are summed over several GPUs.
func (j *Job) sharesData() bool { return j.DP*j.DSP > 1 }

// connectReplicas connects the gathering of parameters and the reduction of gradients of a stage, chunk by chunk.
func (j *Job) connectReplicas(stage int, overlapped bool) {
	j.chain(j.stageNodes(stage, allGather, reduceScatter))
	for chunk := range int32(j.VPP) {
		of := func(kind string) []int {
			return slices.DeleteFunc(j.stageNodes(stage, kind), func(n int) bool { return j.nodes[n].chunk != chunk })
		}
		if gathers := of(allGather); len(gathers) > 0 && len(of(forward)) > 0 {
			j.follow(slices.MaxFunc(gathers, j.bySequence), of(forward)[0])
		}
		if reductions := of(reduceScatter); overlapped && len(reductions) > 0 && len(of(backward)) > 0 {
			j.follow(slices.MaxFunc(of(backward), j.byEnd), slices.MinFunc(reductions, j.bySequence))
		}
	}
}

func (j *Job) bySequence(a, b int) int { return cmp.Compare(j.nodes[a].sequence, j.nodes[b].sequence) }
func (j *Job) byEnd(a, b int) int      { return cmp.Compare(j.nodes[a].end, j.nodes[b].end) }

// connectTail connects what ends a step on a stage: from the last computing over the sums of gradients to the
// optimizer.
func (j *Job) connectTail(stage int, computing []int, overlapped bool) {
	inOrder := func(kind string) []int {
		list := j.stageNodes(stage, kind)
		slices.SortFunc(list, j.bySequence)
		return list
	}
	tail := append([]int{slices.MaxFunc(computing, j.byEnd)}, inOrder(collect)...)
	tail = append(tail, inOrder(layerNorm)...)
	if stage == 0 || stage == j.PP-1 {
		tail = append(tail, inOrder(embedding)...)
	}
	switch {
	case j.sharesData() && overlapped:
		tail = append(tail, inOrder(separateReduce)...)
		reductions := inOrder(reduceScatter)
		if norms := inOrder(layerNorm); len(reductions) > 0 && len(norms) > 0 {
			j.follow(reductions[len(reductions)-1], norms[0])
		}
	case j.sharesData():
		tail = append(tail, inOrder(reduceScatter)...)
	}
	tail = append(tail, inOrder(clip)...)
	j.chain(append(tail, inOrder(optimize)...))
}

// flow is one direction through the pipeline.
type flow struct {
	compute, send, recv string
	next                int // stage and chunk that a send goes to, relative to its own
}

// pair matches sends and receives of a direction with what they serve, and with each other.
func (j *Job) pair(f flow, add func(group)) error {
	sends := make([][]int, j.PP)
	receives := make([][]int, j.PP)
	for stage := range j.PP {
		var err error
		if sends[stage], err = j.match(stage, f.compute, f.send, f.next); err != nil {
			return err
		}
		if receives[stage], err = j.match(stage, f.compute, f.recv, -f.next); err != nil {
			return err
		}
	}
	for stage := range j.PP {
		peer := (stage + f.next + j.PP) % j.PP
		if len(sends[stage]) != len(receives[peer]) {
			return fmt.Errorf("step %d: stage %d has %d of %s to stage %d, which has %d of %s", j.Steps[0], stage,
				len(sends[stage]), f.send, peer, len(receives[peer]), f.recv)
		}
		for k, send := range sends[stage] {
			add(group{nodes: []int{send, receives[peer][k]}})
		}
	}
	return nil
}

// match connects the sends or receives of a stage with the operations that make or need what they carry, in order, and
// returns those that have a peer: the chunk of the model that is next. Those outside of the time in which there is
// something to carry never ran.
func (j *Job) match(stage int, compute, kind string, next int) (paired []int, err error) {
	computing := j.stageNodes(stage, compute)
	firstEnd := j.nodes[slices.MinFunc(computing, j.byEnd)].end
	lastStart := j.nodes[computing[len(computing)-1]].start
	active := slices.DeleteFunc(j.stageNodes(stage, kind), func(n int) bool {
		if isSend(kind) {
			return j.nodes[n].end < firstEnd-epsilon
		}
		return j.nodes[n].start > lastStart+epsilon
	})
	served := computing
	switch edge := stage == 0 || stage == j.PP-1; {
	case len(active) == len(computing) || len(active) == 0 && edge:
	case isRecv(kind) && len(active) == len(computing)-1:
		served = computing[1:]
	default:
		return nil, fmt.Errorf("step %d: stage %d has %d of %s that carry something, and %d of %s: expected as many",
			j.Steps[0], stage, len(active), kind, len(computing), compute)
	}
	bySequence := map[int32]int{}
	for _, n := range computing {
		bySequence[j.nodes[n].sequence] = n
	}
	for k, n := range active {
		if isSend(kind) {
			j.follow(served[k], n)
		} else {
			j.follow(n, served[k])
			if earlier, is := bySequence[j.nodes[served[k]].sequence-1]; is {
				j.follow(earlier, n)
			}
		}
		if peer := int(j.nodes[served[k]].model) + next; peer >= 0 && peer < j.VPP*j.PP {
			paired = append(paired, n)
		}
	}
	return paired, nil
}

// groupTogether groups what replicas and stages sum together.
func (j *Job) groupTogether(add func(group)) {
	together := map[key][]int{}
	for n, one := range j.nodes {
		switch one.kind {
		case allGather, reduceScatter, separateReduce:
			add(group{nodes: []int{n}, across: true})
		case clip, embedding:
			name := key{kind: one.kind, sequence: one.sequence}
			together[name] = append(together[name], n)
		}
	}
	for n, one := range j.nodes { // in their order
		if list := together[key{kind: one.kind, sequence: one.sequence}]; len(list) > 0 && list[0] == n {
			add(group{nodes: list, across: one.kind == clip})
		}
	}
}

// sort puts the groups in an order in which each comes after those that it waits for.
func (j *Job) sort() error {
	of := make([]int, len(j.nodes))
	for g, one := range j.groups {
		for _, n := range one.nodes {
			of[n] = g
		}
	}
	waits := make([]int, len(j.groups))
	after := make([][]int, len(j.groups))
	for n, list := range j.before {
		for _, first := range list {
			waits[of[n]]++
			after[of[first]] = append(after[of[first]], of[n])
		}
	}
	var ready []int
	for g := range j.groups {
		if waits[g] == 0 {
			ready = append(ready, g)
		}
	}
	sorted := make([]group, 0, len(j.groups))
	for len(ready) > 0 {
		g := ready[0]
		ready = ready[1:]
		sorted = append(sorted, j.groups[g])
		for _, next := range after[g] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	if len(sorted) < len(j.groups) {
		return fmt.Errorf("step %d: operations of dp rank 0 wait for each other in a circle: "+
			"their order fits no schedule of a pipeline", j.Steps[0])
	}
	j.groups = sorted
	return nil
}
