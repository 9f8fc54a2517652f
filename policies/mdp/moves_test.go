package mdp

import (
	"slices"
	"testing"
)

// Three zones and on demand, to which and from where nothing takes anything; from zone a to b 2 USD and 60 s, from b
// to c 1 USD and 90 s, from a to c 5 USD.
func someMoves() *moves {
	m := &moves{any: true, site: []int{0, 1, 2, 3}, first: []int{0, 1, 2, 3}, places: []int{0, 1, 2}, usd: make([]float64, 16), seconds: make([]float64, 16)}
	set := func(from, to int, usd, seconds float64) { m.usd[from*4+to], m.seconds[from*4+to] = usd, seconds }
	set(0, 1, 2, 60)
	set(0, 2, 5, 0)
	set(1, 2, 1, 90)
	set(1, 0, 2, 60)
	set(2, 0, 5, 0)
	set(2, 1, 1, 90)
	return m
}

func TestCarry(t *testing.T) {
	for _, c := range []struct {
		name         string
		from         []int
		counts       []int32
		usd, seconds float64
		then         []int
	}{
		{"stays", []int{0}, []int32{2, 0, 0, 0}, 0, 0, []int{0}},
		{"nothing is held", []int{0}, []int32{0, 0, 0, 0}, 0, 0, []int{0}},
		{"one move", []int{0}, []int32{0, 1, 0, 0}, 2, 60, []int{1}},
		{"from where it costs least, side by side", []int{0}, []int32{0, 1, 1, 0}, 2 + 1, 90, []int{1, 2}},
		{"to on demand", []int{0}, []int32{0, 0, 0, 1}, 0, 0, []int{3}},
		{"before training has begun", nil, []int32{0, 1, 0, 0}, 0, 0, []int{1}},
	} {
		m := someMoves()
		usd, seconds := m.carry(c.from, c.counts)
		if usd != c.usd || seconds != c.seconds || !slices.Equal(m.reached, c.then) {
			t.Errorf("%s: %v USD, %v s, then in %v; expected %v, %v, %v", c.name, usd, seconds, m.reached, c.usd, c.seconds, c.then)
		}
	}
}

// Where something is free without a move, and where the state is after a move from a place.
func TestNearbyAndFrom(t *testing.T) {
	m := someMoves()
	if near := m.nearby([]int{1}, []int{4, 5, 6, 7}); !slices.Equal(near, []int{0, 5, 0, 7}) {
		t.Errorf("free without a move from b: %v, expected 5 there and 7 on demand", near)
	}
	m.reached = append(m.reached, 2)
	if x := m.from(0, []int32{0, 1, 0, 0}); x != (move{to: 1, paid: 2, stopped: 60}) {
		t.Errorf("from a to b: %+v", x)
	}
	if x := m.from(0, []int32{0, 0, 0, 1}); x != (move{}) {
		t.Errorf("from a to on demand: %+v, expected no move", x)
	}
	if !slices.Equal(m.reached, []int{2}) {
		t.Errorf("the state is in %v, expected where it was", m.reached)
	}
}
