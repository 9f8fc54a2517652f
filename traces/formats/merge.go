package formats

import (
	"container/heap"
	"io"
)

// mergeRuns calls yield for the records of sorted runs, which are given from the
// oldest to the youngest, in the order of less.
func mergeRuns(runs []records, less func(x, y *priceRecord) bool, yield func(*priceRecord) error) error {
	m := &runHeap{less: less}
	for age, next := range runs {
		head, err := next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return err
		}
		m.runs = append(m.runs, mergedRun{head, next, age})
	}
	heap.Init(m)
	for len(m.runs) > 0 {
		if err := yield(m.runs[0].head); err != nil {
			return err
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// advance passes over the record on top.
func (m *runHeap) advance() (err error) {
	top := &m.runs[0]
	top.head, err = top.next()
	if err == io.EOF {
		heap.Pop(m)
		return nil
	}
	if err == nil {
		heap.Fix(m, 0)
	}
	return err
}

// runHeap is a heap of runs, on top the one whose record comes first.
type runHeap struct {
	runs []mergedRun
	less func(x, y *priceRecord) bool
}

type mergedRun struct {
	head *priceRecord
	next records
	age  int // among the runs
}

func (m *runHeap) Len() int      { return len(m.runs) }
func (m *runHeap) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *runHeap) Push(x any)    { m.runs = append(m.runs, x.(mergedRun)) }

func (m *runHeap) Pop() any {
	last := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return last
}

// Less puts the older run first where the records are equal.
func (m *runHeap) Less(i, j int) bool {
	x := &m.runs[i]
	y := &m.runs[j]
	return m.less(x.head, y.head) || !m.less(y.head, x.head) && x.age < y.age
}
