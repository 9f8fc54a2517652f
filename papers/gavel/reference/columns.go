package reference

import "math"

// columns is a linear program over shares: rows limit what shares take together, and in some rows a level is added,
// which is to be the most that it can be. A solution costs what the root of a matrix of the rows costs, however many
// columns there are.
//
// share.Shares and rows that must be equal, because the jobs are alike, are one column or row, which is n copies.
type columns struct {
	list   []column
	limit  []float64 // by row
	copies []float64 // by row
	lift   []float64 // by row: 1 where the level is added, else 0

	matrix triangle  // of the rows, its root
	lifted []float64 // what its inverse makes of the lift
	weight float64   // of the square of the lift in it
}

// column is a share, and what it takes from each row that it meets.
type column struct {
	rows   [5]int // of which n
	takes  [5]float64
	n      int
	copies float64
	twins  float64 // how many shares of its copies' rows it stands for: 2 where both of its jobs are of one class, else 1
}

// begin starts a program with n rows, of a copy each.
func (c *columns) begin(rows int) {
	c.list = c.list[:0]
	c.limit, c.lift = filled(c.limit, rows, 0), filled(c.lift, rows, 0)
	c.copies = filled(c.copies, rows, 1)
}

// add adds a column of n copies, and returns it.
func (c *columns) add(copies, twins float64) *column {
	c.list = append(c.list, column{copies: copies, twins: twins})
	return &c.list[len(c.list)-1]
}

// take makes a column take from a row.
func (k *column) take(row int, by float64) {
	k.rows[k.n], k.takes[k.n] = row, by
	k.n++
}

// point is a vector of the rows, and behind them of the shares, which are rows themselves: they are at least 0.
type point []float64

// taken sets p to what shares and a level take from the rows.
func (c *columns) taken(p point, shares []float64, level float64) {
	n := len(c.limit)
	for r, l := range c.lift {
		p[r] = l * level
	}
	for v := range c.list {
		k := &c.list[v]
		for i, r := range k.rows[:k.n] {
			p[r] += k.takes[i] * k.copies / c.copies[r] * shares[v]
		}
		p[n+v] = -shares[v]
	}
}

// asked sets q to what rows ask for each share, by the duals p, and returns what they ask for the level.
func (c *columns) asked(q []float64, p point) (level float64) {
	n := len(c.limit)
	for v := range c.list {
		k := &c.list[v]
		q[v] = -p[n+v]
		for i, r := range k.rows[:k.n] {
			q[v] += k.takes[i] * p[r]
		}
	}
	for r, l := range c.lift {
		level += l * c.copies[r] * p[r]
	}
	return level
}

// number is how many copies there are of an entry of a point.
func (c *columns) number(i int) float64 {
	if n := len(c.limit); i >= n {
		return c.list[i-n].copies
	}
	return c.copies[i]
}

// product is the scalar product of two points.
func (c *columns) product(p, q point) float64 {
	sum := 0.0
	for i, v := range p {
		sum += c.number(i) * v * q[i]
	}
	return sum
}

// factor prepares directions where slacks are n times their duals. The matrix of the rows is nearly singular at an
// optimum, along the duals; it gets a multiple of the square of the lift, which is known, since the duals of what is
// lifted are 1 together.
func (c *columns) factor(ratio point) {
	n := len(c.limit)
	m := &c.matrix
	m.first = filled(m.first, n, 0)
	m.reset(n)
	for r := range c.limit {
		*m.at(r, r) = c.copies[r] * ratio[r]
	}
	for v := range c.list {
		k := &c.list[v]
		w := k.copies * ratio[n+v]
		for i, r := range k.rows[:k.n] {
			for j, o := range k.rows[:i+1] {
				*m.at(r, o) += w * k.takes[i] * k.takes[j]
			}
		}
	}
	c.lifted = filled(c.lifted, n, 0)
	largest, square := 0.0, 0.0
	for r, l := range c.lift {
		c.lifted[r] = l * c.copies[r]
		largest = max(largest, l**m.at(r, r))
		square += c.lifted[r] * c.lifted[r]
	}
	c.weight = largest / square
	for r, l := range c.lifted {
		if l > 0 {
			for o := range r + 1 {
				*m.at(r, o) += c.weight * l * c.lifted[o]
			}
		}
	}
	m.root()
	m.solve(c.lifted)
}

// direction solves the equations of a step: what rows ask for shares and the level by the duals dual is push and up,
// and what these shares and the level take from the rows is pull and ratio times the duals more.
func (c *columns) direction(ratio point, push []float64, up float64, pull point, shares []float64, dual point) (level float64) {
	n := len(c.limit)
	p := dual[:n]
	for r := range p {
		p[r] = -c.copies[r] * pull[r]
	}
	for v := range c.list {
		k := &c.list[v]
		u := k.copies * (ratio[n+v]*push[v] - pull[n+v])
		for i, r := range k.rows[:k.n] {
			p[r] += k.takes[i] * u
		}
	}
	c.matrix.solve(p)
	part, whole := up, 0.0
	for r, l := range c.lift {
		part -= l * c.copies[r] * p[r]
		whole += l * c.copies[r] * c.lifted[r]
	}
	part /= whole
	for r := range p {
		p[r] += c.lifted[r] * part
	}
	for v := range c.list {
		k := &c.list[v]
		sum := push[v]
		for i, r := range k.rows[:k.n] {
			sum -= k.takes[i] * p[r]
		}
		shares[v] = ratio[n+v]*sum - pull[n+v]
		dual[n+v] = -sum
	}
	return part - c.weight*up
}

// triangle is the lower triangle of a matrix, row by row, and the place in each row before which all is 0.
type triangle struct {
	a     []float64
	first []int
}

// reset makes t a matrix of zeros.
func (t *triangle) reset(n int) { t.a = filled(t.a, n*n, 0) }

// at is an entry.
func (t *triangle) at(r, o int) *float64 { return &t.a[max(r, o)*len(t.first)+min(r, o)] }

// root replaces t by its root (Cholesky). A pivot that rounding has left without digits is taken for infinite: its
// unknown stays where it is.
func (t *triangle) root() {
	n := len(t.first)
	for j := range n {
		row, first := t.a[j*n:j*n+j+1], 0
		for row[first] == 0 && first < j {
			first++
		}
		t.first[j] = first
		whole := row[j]
		for i := first; i < j; i++ {
			from := max(first, t.first[i])
			if from < i {
				row[i] -= dot(row[from:i], t.a[i*n+from:i*n+i])
			}
			row[i] /= t.a[i*n+i]
		}
		pivot := whole - dot(row[first:j], row[first:j])
		if !(pivot > 1e-14*whole) {
			pivot = math.MaxFloat64
		}
		row[j] = math.Sqrt(pivot)
	}
}

// solve replaces the right side b of equations by their solution; t is the root of their matrix.
func (t *triangle) solve(b []float64) {
	n := len(b)
	for i := range n {
		f := t.first[i]
		b[i] = (b[i] - dot(t.a[i*n+f:i*n+i], b[f:i])) / t.a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= t.a[i*n+i]
		f := t.first[i]
		for o, v := range t.a[i*n+f : i*n+i] {
			b[f+o] -= v * b[i]
		}
	}
}

// dot is a scalar product, in four sums.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += v * b[i]
	}
	return s0 + s1 + s2 + s3
}
