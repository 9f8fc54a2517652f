//go:build !js

package columnar

import (
	"unsafe"
)

// cells is one field of consecutive rows of a table.
//
// It is the package's only unsafe code. Through reflection a value takes six
// times as long to store (BenchmarkStore), which would be most of the time of
// Read. It is sound: first comes from a slice of rows, which it keeps alive;
// offset and type come from reflect's description of the row, of which fieldOf
// lets through only what has the layout of the V that newColumn or the writer
// picks; and every index is below n.
type cells struct {
	first  unsafe.Pointer // the field in the first row
	stride uintptr        // bytes from one row to the next
	n      int            // rows
}

// cellsOf are the first bytes of every row.
func cellsOf[T any](rows []T) cells {
	return cells{unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(*new(T)), len(rows)}
}

// part is one field, that many bytes into its row, of n rows from one on.
func (c cells) part(from, n int, offset uintptr) cells {
	if from < 0 || n < 0 || n > c.n-from {
		fail("rows %d to %d of %d", from, from+n, c.n)
	}
	if n == 0 {
		return cells{}
	}
	return cells{unsafe.Add(c.first, uintptr(from)*c.stride+offset), c.stride, n}
}

// cell is one of the cells, whose type is V; i is less than n.
func cell[V any](c cells, i int) *V { return (*V)(unsafe.Add(c.first, uintptr(i)*c.stride)) }

// point makes each of the cells, whose type is *V, point to the next of the
// values, or nil where there says that there is none; no there: all are there.
func point[V any](c cells, values []V, there []uint32) {
	next := 0
	for i := range c.n {
		if there != nil && there[i] == 0 {
			*cell[*V](c, i) = nil
			continue
		}
		*cell[*V](c, i) = &values[next]
		next++
	}
}
