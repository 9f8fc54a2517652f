// Package cursor finds, among the records of many pools in one order, the next that can matter: changes
// of capacity that touch neither what is held nor what is wanted are passed over, not looked at.
package cursor

import "math"

// None is the position of no record.
const None = math.MaxInt32

// Record is what an Index knows of one record.
type Record struct {
	Pool int32
	// Level is how many instances it leaves: it matters where more are held.
	Level int32
	// Offers says that it may leave room for more than before: it matters where requests wait.
	Offers bool
	// Always says that it matters in any case.
	Always bool
}

const (
	block  = 64 // records of which the lowest level is known
	always = math.MinInt32
)

// Index is the records by pool, in their order. It is read only once it is built.
type Index struct {
	first  []int32    // by pool: of its records in at and levels; then the end
	at     []int32    // position among all records
	levels [2][]int32 // by Interest; below always, of one that matters in any case
	lows   [2][]int32 // the lowest of each block
	min    [2][]int32 // the lowest of each pool
}

// Build makes the index of n records of a number of pools, in the memory of the one before.
func (x *Index) Build(pools, n int, record func(i int) Record) {
	x.first = resize(x.first, pools+1)
	x.at = resize(x.at, n)
	for k := range x.levels {
		x.levels[k] = resize(x.levels[k], n)
		x.lows[k] = resize(x.lows[k], (n+block-1)/block)
		x.min[k] = resize(x.min[k], pools)
		for p := range x.min[k] {
			x.min[k][p] = math.MaxInt32
		}
		for b := range x.lows[k] {
			x.lows[k][b] = math.MaxInt32
		}
	}
	clear(x.first)
	for i := range n {
		x.first[record(i).Pool+1]++
	}
	for p := range pools {
		x.first[p+1] += x.first[p]
	}
	for i := range n {
		next := record(i)
		x.add(x.first[next.Pool], int32(i), &next)
		x.first[next.Pool]++
	}
	copy(x.first[1:], x.first[:pools]) // each is where the next begins by now
	x.first[0] = 0
}

// add puts a record in its place.
func (x *Index) add(k, at int32, record *Record) {
	x.at[k] = at
	held := record.Level
	wanted := record.Level
	if record.Always {
		held = always
	}
	if record.Always || record.Offers {
		wanted = always
	}
	for i, level := range [2]int32{held, wanted} {
		x.levels[i][k] = level
		x.lows[i][k/block] = min(x.lows[i][k/block], level)
		x.min[i][record.Pool] = min(x.min[i][record.Pool], level)
	}
}

// Interest says what of a pool matters.
type Interest uint8

const (
	Held       Interest = iota // that fewer are left than are held
	Wanted                     // that, and that there may be room for more
	Everything                 // every record
)

// Cursor is where one run is in an Index: the next record of each pool that matters, and a winner
// tree of them.
type Cursor struct {
	index *Index
	from  []int32 // by pool: a record that is not passed, or one before
	node  []int32 // the tree: node[1] is the first of all, leaves start at leaf
	leaf  int
}

// Reset makes a cursor for which no record matters.
func (c *Cursor) Reset(index *Index) {
	pools := len(index.first) - 1
	for c.leaf = 1; c.leaf < pools; c.leaf *= 2 {
	}
	c.index = index
	c.from = append(c.from[:0], index.first[:pools]...)
	c.node = resize(c.node, 2*c.leaf)
	for i := range c.node {
		c.node[i] = None
	}
}

// First returns the position of the next record that matters, None if none does.
func (c *Cursor) First() int32 { return c.node[1] }

// Seek finds the next record of a pool that matters, at or after a position, with held
// instances there. Positions do not go back.
func (c *Cursor) Seek(pool int, position, held int32, what Interest) {
	index := c.index
	found := int32(None)
	if what == Everything || index.min[what][pool] < held {
		k := c.from[pool]
		end := index.first[pool+1]
		if k < end && index.at[k] < position {
			k++
			if k < end && index.at[k] < position {
				k = index.after(k, end, position)
			}
			c.from[pool] = k
		}
		if what != Everything {
			k = index.below(k, end, held, index.levels[what], index.lows[what])
		}
		if k < end {
			found = index.at[k]
		}
	}
	k := c.leaf + pool
	for c.node[k] = found; k > 1; {
		found = min(found, c.node[k^1])
		k >>= 1
		c.node[k] = found
	}
}

// below returns the first record from k on whose level is below held.
func (x *Index) below(k, end, held int32, levels, lows []int32) int32 {
	for k < end && levels[k] >= held {
		k++
		if k%block == 0 {
			for k < end && lows[k/block] >= held {
				k += block
			}
		}
	}
	return min(k, end)
}

// after returns the first record of a pool behind k at or after a position: doubling strides, then halving.
func (x *Index) after(k, end, position int32) int32 {
	step := int32(1)
	for k+step < end && x.at[k+step] < position {
		k += step
		step *= 2
	}
	end = min(end, k+step)
	for end-k > 1 { // that at k is before it
		if half := k + (end-k)/2; x.at[half] < position {
			k = half
		} else {
			end = half
		}
	}
	return end
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}
