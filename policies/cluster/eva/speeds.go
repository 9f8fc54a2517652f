package eva

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
)

// unknown is the relative speed that is assumed beside each neighbour of which nothing is known.
const unknown = 0.95

// Speeds is what was learned of how much tasks slow one another: by the name of a task and the
// names of its neighbours, sorted, the relative speeds that were seen. The zero value knows nothing.
type Speeds struct {
	seen map[string]map[string]*seen
}

// seen are speeds that were seen.
type seen struct {
	sum float64
	n   int
}

func (s *seen) mean() float64 { return s.sum / float64(s.n) }

// neighbours adds the names of the tasks beside one of them to a list, sorted.
func neighbours(names []string, tasks []*Task, i int) []string {
	for k, t := range tasks {
		if k != i {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

const separator = "\x00"

// rate is the relative speed that a task is expected to have beside the others.
func (s *Speeds) rate(tasks []*Task, i int) float64 {
	known := s.of(tasks[i].Name)
	if known == nil {
		return powers()[min(len(tasks)-1, mostNeighbours)]
	}
	var few [8]string
	var text [256]byte
	names, key := neighbours(few[:0], tasks, i), text[:0]
	for k, name := range names {
		if k > 0 {
			key = append(key, separator...)
		}
		key = append(key, name...)
	}
	switch x := known[string(key)]; {
	case x != nil:
		return x.mean()
	case len(names) == 0:
		return 1
	case len(names) == 1:
		return unknown
	}
	product := 1.0
	for _, name := range names {
		if x := known[name]; x != nil {
			product *= x.mean()
		} else {
			product *= unknown
		}
	}
	return product
}

// mostNeighbours is as many as are told apart where nothing is known.
const mostNeighbours = 64

// powers are those of unknown, rounded once, as C and Python do it and math.Pow does not: equal plans are told apart
// by less.
var powers = sync.OnceValue(func() *[mostNeighbours + 1]float64 {
	var list [mostNeighbours + 1]float64
	x, exact := big.NewFloat(1).SetPrec(4096), big.NewFloat(unknown)
	for n := range list {
		list[n], _ = x.Float64()
		x.Mul(x, exact)
	}
	return &list
})

// Seen is a speed that was seen: of a task, Of, beside others.
type Seen struct {
	Of     *Task
	Beside []*Task // all tasks of the instance, Of included
	Speed  float64 // relative to that alone
}

// key returns under what a speed is remembered, and how many neighbours there were.
func (x *Seen) key() (name, beside string, n int) {
	names := neighbours(nil, x.Beside, slices.Index(x.Beside, x.Of))
	return x.Of.Name, strings.Join(names, separator), len(names)
}

// Learn adds the speeds of the tasks of one job at an instant. Of a job of several tasks only the
// slowest counts, and it is not known where it is held up: the speed is remembered of the task
// of which the least was known already, else of one with the most neighbours of which nothing is.
func (s *Speeds) Learn(job []Seen) {
	least := math.Inf(1)
	for i := range job {
		least = min(least, min(1, job[i].Speed))
	}
	to := 0
	if len(job) > 1 {
		to = s.blame(job, least)
	}
	name, beside, _ := job[to].key()
	if s.seen == nil {
		s.seen = map[string]map[string]*seen{}
	}
	if s.seen[name] == nil {
		s.seen[name] = map[string]*seen{}
	}
	x := s.seen[name][beside]
	if x == nil {
		x = &seen{}
		s.seen[name][beside] = x
	}
	x.sum += least
	x.n++
}

// blame returns the task of a job whose neighbours are taken to slow it down.
func (s *Speeds) blame(job []Seen, least float64) int {
	lowest, most, neighbours, mean := -1, -1, 0, 0.0
	for i := range job {
		name, beside, n := job[i].key()
		x := s.of(name)[beside]
		switch {
		case x == nil && (most < 0 || n > neighbours):
			most, neighbours = i, n
		case x != nil && (lowest < 0 || x.mean() < mean):
			lowest, mean = i, x.mean()
		}
	}
	if most >= 0 && (lowest < 0 || mean > least) {
		return most
	}
	return lowest
}

// of is what is known of a task, nil for nothing.
func (s *Speeds) of(name string) map[string]*seen {
	if s == nil {
		return nil
	}
	return s.seen[name]
}
