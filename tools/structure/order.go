package main

import "slices"

// order puts the nodes of a graph, whose edges lead from a node to those that it
// uses, on a line on which few edges run back: users stand before what they use.
// It is the order of Eades, Lin and Smyth (1993), improved by moving single nodes
// as long as that helps. The smallest number of edges back is a hard problem: it
// may be less.
func order(edges [][]int) []int {
	line := greedy(edges)
	for improve(line, edges) {
	}
	return line
}

// greedy takes nodes away one by one: what uses nothing that is left goes to the
// end of the line, else what nobody uses to its beginning, else the node with the
// most uses over users.
func greedy(edges [][]int) []int {
	uses, users := make([]int, len(edges)), make([]int, len(edges))
	usedBy := make([][]int, len(edges))
	left := make([]int, len(edges))
	for a, list := range edges {
		left[a], uses[a] = a, len(list)
		for _, b := range list {
			users[b]++
			usedBy[b] = append(usedBy[b], a)
		}
	}
	better := func(a, b int) bool { // as the next at the beginning
		if (users[a] == 0) != (users[b] == 0) {
			return users[a] == 0
		}
		return uses[a]-users[a] > uses[b]-users[b]
	}
	var first, last []int
	for len(left) > 0 {
		at := slices.IndexFunc(left, func(a int) bool { return uses[a] == 0 })
		end := at >= 0
		if !end {
			at = 0
			for i := range left {
				if better(left[i], left[at]) {
					at = i
				}
			}
		}
		a := left[at]
		left = slices.Delete(left, at, at+1)
		if end {
			last = append(last, a)
		} else {
			first = append(first, a)
		}
		for _, b := range edges[a] {
			users[b]--
		}
		for _, b := range usedBy[a] {
			uses[b]--
		}
	}
	slices.Reverse(last)
	return append(first, last...)
}

// improve moves each node to where most edges are turned, if any are, and reports
// whether one was moved.
func improve(line []int, edges [][]int) (moved bool) {
	// saved is how many edges less run back once a, now behind b, stands before it.
	saved := func(a, b int) (n int) {
		if slices.Contains(edges[a], b) {
			n++
		}
		if slices.Contains(edges[b], a) {
			n--
		}
		return n
	}
	for i, a := range line {
		best, to := 0, i
		for j, sum := i-1, 0; j >= 0; j-- {
			if sum += saved(a, line[j]); sum > best {
				best, to = sum, j
			}
		}
		for j, sum := i+1, 0; j < len(line); j++ {
			if sum += saved(line[j], a); sum > best {
				best, to = sum, j
			}
		}
		if to != i {
			moved = true
			copy(line[i:], line[i+1:])
			copy(line[to+1:], line[to:len(line)-1])
			line[to] = a
		}
	}
	return moved
}
