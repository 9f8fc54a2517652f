package stragglers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Job is the operations of some steps of a job, and their graph.
type Job struct {
	Meta
	Steps []int64 // their numbers, ascending
	Ranks []int32 // of the GPU that was recorded, of each worker: dp rank x stages + stage

	nodes []node
	graph
	// By node, step and dp rank: at(node) is the first of a node.
	start, duration []float32
	own             []float64 // what an operation needs: its duration, or its transfer
}

// node is an operation of a stage that every dp rank has in every step. Its times are those of dp rank 0 in the first
// step, from which the graph is made.
type node struct {
	kind                          string
	stage, sequence, chunk, model int32
	start, end                    float64
}

// Read reads a trace (ReadOperations) and the sizes of its job (ReadMeta).
func Read(ctx context.Context, trace, meta string) (*Job, error) {
	sizes, err := ReadMeta(meta)
	if err != nil {
		return nil, err
	}
	rows, err := ReadOperations(ctx, trace)
	if err != nil {
		return nil, err
	}
	job, err := New(sizes, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", trace, err)
	}
	return job, nil
}

// New makes a job of its operations, which it takes as ReadOperations returns them. It is an error if a worker has
// other operations in a step than dp rank 0 in the first one, and if what is recorded fits no graph.
func New(meta Meta, rows []Operation) (*Job, error) {
	j := &Job{Meta: meta}
	if err := j.layOut(rows); err != nil {
		return nil, err
	}
	if err := j.connect(); err != nil {
		return nil, err
	}
	j.measure()
	return j, nil
}

// cells is how often a node is recorded: steps x dp ranks.
func (j *Job) cells() int { return len(j.Steps) * j.DP }

// at is where the values of a node begin.
func (j *Job) at(node int) int { return node * j.cells() }

// maxNodes bounds the graph.
const maxNodes = 1 << 20

// key names a node.
type key struct {
	kind            string
	stage, sequence int32
}

// layOut finds steps, workers and nodes, and puts the operations in their places.
func (j *Job) layOut(rows []Operation) error {
	steps := map[int64]int{}
	for i := range rows {
		one := &rows[i]
		steps[one.Step] = 0
		if int(one.DPRank) >= j.DP || int(one.Stage) >= j.PP || int(one.Chunk) >= j.VPP {
			return fmt.Errorf("%s: expected dp_rank, stage and mc below dp_size %d, pp_size %d and vpp_size %d",
				one, j.DP, j.PP, j.VPP)
		}
	}
	for step := range steps {
		j.Steps = append(j.Steps, step)
	}
	slices.Sort(j.Steps)
	for i, step := range j.Steps {
		steps[step] = i
	}
	index, err := j.findNodes(rows)
	if err != nil {
		return err
	}
	if want := len(j.nodes) * len(j.Steps) * j.DP; want != len(rows) {
		return fmt.Errorf("%d operations, expected %d: each of %d dp ranks has in each of %d steps "+
			"the %d operations that dp rank 0 has in step %d",
			len(rows), want, j.DP, len(j.Steps), len(j.nodes), j.Steps[0])
	}
	return j.place(rows, index, steps)
}

// findNodes makes a node of each operation of dp rank 0 in the first step, in the order of stage, start, sequence and
// type, and says where each is.
func (j *Job) findNodes(rows []Operation) (map[key]int, error) {
	for i := range rows {
		one := &rows[i]
		if one.Step == j.Steps[0] && one.DPRank == 0 {
			j.nodes = append(j.nodes, node{
				one.Type, one.Stage, one.Sequence, one.Chunk, one.Model, one.StartS, one.end(),
			})
		}
	}
	if len(j.nodes) > maxNodes {
		return nil, fmt.Errorf("%d operations of a dp rank in a step, expected at most %d", len(j.nodes), maxNodes)
	}
	slices.SortFunc(j.nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.start, b.start), cmp.Compare(a.sequence, b.sequence),
			cmp.Compare(a.kind, b.kind))
	})
	index := make(map[key]int, len(j.nodes))
	for i, n := range j.nodes {
		name := key{n.kind, n.stage, n.sequence}
		if _, twice := index[name]; twice {
			return nil, fmt.Errorf("step %d has %s %d of dp rank 0, stage %d twice",
				j.Steps[0], n.kind, n.sequence, n.stage)
		}
		index[name] = i
	}
	return index, nil
}

// place puts each operation in its place.
func (j *Job) place(rows []Operation, index map[key]int, steps map[int64]int) error {
	j.start = make([]float32, len(rows))
	j.duration = make([]float32, len(rows))
	filled := make([]bool, len(rows))
	j.Ranks = make([]int32, j.DP*j.PP)
	for worker := range j.Ranks {
		j.Ranks[worker] = -1
	}
	worker := map[int32]int{}
	for i := range rows {
		one := &rows[i]
		n, known := index[key{one.Type, one.Stage, one.Sequence}]
		if !known {
			return fmt.Errorf("%s: dp rank 0 has none in step %d: every worker has the same operations in every step",
				one, j.Steps[0])
		}
		at := j.at(n) + steps[one.Step]*j.DP + int(one.DPRank)
		if filled[at] {
			return fmt.Errorf("%s is there twice", one)
		}
		filled[at] = true
		j.start[at] = float32(one.StartS)
		j.duration[at] = float32(one.Duration)
		own := int(one.DPRank)*j.PP + int(one.Stage)
		if other, taken := worker[one.Rank]; taken && other != own || j.Ranks[own] >= 0 && j.Ranks[own] != one.Rank {
			return fmt.Errorf("%s has rank %d, expected one rank for each dp_rank and stage", one, one.Rank)
		}
		worker[one.Rank] = own
		j.Ranks[own] = one.Rank
	}
	return nil
}

// String names an operation in errors.
func (o *Operation) String() string {
	return fmt.Sprintf("%s %d of dp_rank %d, stage %d, mc %d in step %d",
		o.Type, o.Sequence, o.DPRank, o.Stage, o.Chunk, o.Step)
}

// stageNodes are the nodes of some types on a stage, in recorded order (start, sequence, type).
func (j *Job) stageNodes(stage int, kinds ...string) (found []int) {
	byStage := func(n node, stage int) int { return cmp.Compare(int(n.stage), stage) }
	first, _ := slices.BinarySearchFunc(j.nodes, stage, byStage)
	for n := first; n < len(j.nodes) && int(j.nodes[n].stage) == stage; n++ {
		if slices.Contains(kinds, j.nodes[n].kind) {
			found = append(found, n)
		}
	}
	return found
}
