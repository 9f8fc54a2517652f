package eva

import (
	"math"
	"math/big"
	"slices"
	"strings"
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

// neighbours is the key of the tasks beside one of them.
func neighbours(tasks []*Task, i int) (key string, n int) {
	var names []string
	for k, t := range tasks {
		if k != i {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, separator), len(names)
}

const separator = "\x00"

// rate is the relative speed that a task is expected to have beside the others.
func (s *Speeds) rate(tasks []*Task, i int) float64 {
	key, n := neighbours(tasks, i)
	known := s.of(tasks[i].Name)
	switch x := known[key]; {
	case known == nil:
		return power(n)
	case x != nil:
		return x.mean()
	case n == 0:
		return 1
	case n == 1:
		return unknown
	}
	product := 1.0
	for _, name := range strings.Split(key, separator) {
		if x := known[name]; x != nil {
			product *= x.mean()
		} else {
			product *= unknown
		}
	}
	return product
}

// power is unknown to the power of n, rounded once, as C and Python do it and math.Pow does not:
// equal plans are told apart by less.
func power(n int) float64 {
	x, exact := big.NewFloat(1).SetPrec(4096), big.NewFloat(unknown)
	for range min(n, 64) {
		x.Mul(x, exact)
	}
	f, _ := x.Float64()
	return f
}

// Seen is a speed that was seen: of a task, Of, beside others.
type Seen struct {
	Of     *Task
	Beside []*Task // all tasks of the instance, Of included
	Speed  float64 // relative to that alone
}

// key returns under what a speed is remembered, and how many neighbours there were.
func (x *Seen) key() (name, beside string, n int) {
	beside, n = neighbours(x.Beside, slices.Index(x.Beside, x.Of))
	return x.Of.Name, beside, n
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
