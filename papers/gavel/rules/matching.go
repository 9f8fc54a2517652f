package rules

import (
	"math"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// matching finds the assignment of rows to columns, each at most once, with the least sum of
// costs: shortest augmenting paths, a row at a time (D. F. Crouse, "On implementing 2D rectangular
// assignment algorithms", IEEE TAES 52(4), 2016). The zero value is ready.
type matching struct {
	u, v, shortest      []float64
	path, rowOf         []int
	columnOf, left      []int
	seenRow, seenColumn []bool
}

// rows returns the column of each row. There are at most as many rows as columns; costs, by
// row, are finite.
func (m *matching) rows(cost []float64, rows, columns int) []int {
	m.u = share.Filled(m.u, rows, 0)
	m.columnOf = share.Filled(m.columnOf, rows, none)
	m.seenRow = share.Filled(m.seenRow, rows, false)
	m.v = share.Filled(m.v, columns, 0)
	m.rowOf = share.Filled(m.rowOf, columns, none)
	m.path = share.Filled(m.path, columns, none)
	for r := range rows {
		sink, smallest := m.augment(cost, columns, r)
		m.u[r] += smallest
		for i := range rows {
			if m.seenRow[i] && i != r {
				m.u[i] += smallest - m.shortest[m.columnOf[i]]
			}
		}
		for j := range columns {
			if m.seenColumn[j] {
				m.v[j] -= smallest - m.shortest[j]
			}
		}
		for j := sink; ; {
			i := m.path[j]
			m.rowOf[j] = i
			j, m.columnOf[i] = m.columnOf[i], j
			if i == r {
				break
			}
		}
	}
	return m.columnOf
}

// augment finds the shortest path from a row to a free column, and its length.
func (m *matching) augment(cost []float64, columns, row int) (sink int, smallest float64) {
	m.shortest = share.Filled(m.shortest, columns, math.Inf(1))
	m.seenColumn = share.Filled(m.seenColumn, columns, false)
	clear(m.seenRow)
	m.left = m.left[:0]
	for j := columns - 1; j >= 0; j-- {
		m.left = append(m.left, j)
	}
	for i := row; ; {
		m.seenRow[i] = true
		at, lowest := none, math.Inf(1)
		for k, j := range m.left {
			if d := smallest + cost[i*columns+j] - m.u[i] - m.v[j]; d < m.shortest[j] {
				m.path[j], m.shortest[j] = i, d
			}
			if m.shortest[j] < lowest || m.shortest[j] == lowest && m.rowOf[j] == none {
				lowest, at = m.shortest[j], k
			}
		}
		smallest = lowest
		j := m.left[at]
		m.seenColumn[j] = true
		m.left[at] = m.left[len(m.left)-1]
		m.left = m.left[:len(m.left)-1]
		if m.rowOf[j] == none {
			return j, smallest
		}
		i = m.rowOf[j]
	}
}
