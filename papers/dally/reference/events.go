package reference

import (
	"cmp"
)

// kind is what happens at an instant, in this order.
type kind uint8

const (
	arrival kind = iota
	chunkEnd
	auction
)

type event struct {
	at   float64
	what kind
	n    int // order in which it was put
	job  int
}

type events []event

func (e events) Len() int { return len(e) }

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].what, e[j].what), cmp.Compare(e[i].n, e[j].n)) < 0
}

func (e *events) Push(x any) { *e = append(*e, x.(event)) }

func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
