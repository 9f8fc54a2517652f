package eva

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"sync"
)

// unknown is the relative speed that is assumed with each co-tenant of which nothing is known.
const unknown = 0.95

// Speeds is what was learned of how much tasks slow one another: by the kind of a task and the kinds of its
// co-located tasks, the relative speeds that were seen. The zero value knows nothing.
type Speeds struct {
	// Rank is by kind the order in which what was learned of co-located tasks is multiplied, which rounds; nil: that of the kinds.
	Rank []int32

	of      []known // by kind
	learned int     // how often what is expected has changed
}

// changes counts how often what is expected has changed.
func (s *Speeds) changes() int {
	if s == nil {
		return 0
	}
	return s.learned
}

// known is what was learned of one kind.
type known struct {
	any   bool
	pairs []seen // by the kind of the only co-tenant
	sets  map[string]*seen
}

// seen are speeds that were seen.
type seen struct {
	sum float64
	n   int
}

func (s *seen) mean() float64 { return s.sum / float64(s.n) }

// Clone returns a copy, for the fork of a run.
func (s *Speeds) Clone() *Speeds {
	c := &Speeds{Rank: slices.Clone(s.Rank), of: slices.Clone(s.of), learned: s.learned}
	for k := range c.of {
		c.of[k].pairs = slices.Clone(c.of[k].pairs)
		c.of[k].sets = map[string]*seen{}
		for key, x := range s.of[k].sets {
			c.of[k].sets[key] = new(*x)
		}
	}
	return c
}

// at returns what is known of a kind with others, sorted; nil for nothing.
func (k *known) at(with []int32) *seen {
	if len(with) == 1 {
		if b := int(with[0]); b < len(k.pairs) && k.pairs[b].n > 0 {
			return &k.pairs[b]
		}
		return nil
	}
	var text [256]byte
	return k.sets[string(key(text[:0], with))]
}

// key is a set of kinds as text.
func key(text []byte, kinds []int32) []byte {
	for _, k := range kinds {
		text = binary.BigEndian.AppendUint32(text, uint32(k))
	}
	return text
}

// co-located tasks adds the kinds of the tasks on the instance of one of them to a list, sorted.
func (s *Speeds) colocated(kinds []int32, tasks []*Task, i int) []int32 {
	for k, t := range tasks {
		if k != i {
			kinds = append(kinds, int32(t.Kind))
		}
	}
	if s.Rank == nil {
		slices.Sort(kinds)
	} else {
		slices.SortFunc(kinds, func(a, b int32) int { return cmp.Compare(s.Rank[a], s.Rank[b]) })
	}
	return kinds
}

// know returns what is known of a kind, nil for nothing.
func (s *Speeds) know(kind int) *known {
	if s == nil || kind >= len(s.of) || !s.of[kind].any {
		return nil
	}
	return &s.of[kind]
}

// rate is the relative speed that a task is expected to have with the others.
func (s *Speeds) rate(tasks []*Task, i int) float64 {
	known := s.know(tasks[i].Kind)
	if known == nil {
		return powers()[min(len(tasks)-1, maxColocated)]
	}
	var few [16]int32
	with := s.colocated(few[:0], tasks, i)
	switch x := known.at(with); {
	case x != nil:
		return x.mean()
	case len(with) == 0:
		return 1
	case len(with) == 1:
		return unknown
	}
	product := 1.0
	for k := range with {
		if x := known.at(with[k : k+1]); x != nil {
			product *= x.mean()
		} else {
			product *= unknown
		}
	}
	return product
}

// maxColocated is as many as are distinguished where nothing is known.
const maxColocated = 64

// powers are those of unknown, rounded once, as C and Python do it and math.Pow does not: equal plans are distinguished
// by less.
var powers = sync.OnceValue(func() *[maxColocated + 1]float64 {
	var list [maxColocated + 1]float64
	x, exact := big.NewFloat(1).SetPrec(4096), big.NewFloat(unknown)
	for n := range list {
		list[n], _ = x.Float64()
		x.Mul(x, exact)
	}
	return &list
})

// Seen is a speed that was seen: of a task, Of, with others.
type Seen struct {
	Of    *Task
	With  []*Task // all tasks of the instance, Of included
	Speed float64 // relative to that alone
}

// kindsWith returns the kinds of the co-located tasks of a task, sorted.
func (s *Speeds) kindsWith(x *Seen) []int32 {
	return s.colocated(nil, x.With, slices.Index(x.With, x.Of))
}

// Learn adds the speeds of the tasks of one job at an instant. Of a job of several tasks only the
// slowest counts, and it is not known where it is held up: the speed is remembered of the task
// of which the least was known already, else of one with the most co-located tasks of which nothing is.
func (s *Speeds) Learn(job []Seen) {
	smallest := math.Inf(1)
	for i := range job {
		smallest = min(smallest, min(1, job[i].Speed))
	}
	to := 0
	if len(job) > 1 {
		to = s.blame(job, smallest)
	}
	x := s.entry(job[to].Of.Kind, s.kindsWith(&job[to]))
	was, first := *x, x.n == 0
	x.sum += smallest
	x.n++
	if first || x.mean() != was.mean() {
		s.learned++
	}
}

// entry returns where speeds of a kind with others are remembered.
func (s *Speeds) entry(kind int, with []int32) *seen {
	for len(s.of) <= kind {
		s.of = append(s.of, known{sets: map[string]*seen{}})
	}
	k := &s.of[kind]
	k.any = true
	if len(with) == 1 {
		for len(k.pairs) <= int(with[0]) {
			k.pairs = append(k.pairs, seen{})
		}
		return &k.pairs[with[0]]
	}
	name := string(key(nil, with))
	if k.sets[name] == nil {
		k.sets[name] = &seen{}
	}
	return k.sets[name]
}

// blame returns the task of a job whose co-located tasks are taken to slow it down.
func (s *Speeds) blame(job []Seen, smallest float64) int {
	lowest, largest, colocated, mean := -1, -1, 0, 0.0
	for i := range job {
		with := s.kindsWith(&job[i])
		n, x := len(with), (*seen)(nil)
		if k := s.know(job[i].Of.Kind); k != nil {
			x = k.at(with)
		}
		switch {
		case x == nil && (largest < 0 || n > colocated):
			largest, colocated = i, n
		case x != nil && (lowest < 0 || x.mean() < mean):
			lowest, mean = i, x.mean()
		}
	}
	if largest >= 0 && (lowest < 0 || mean > smallest) {
		return largest
	}
	return lowest
}
