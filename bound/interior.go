package bound

import "math"

// interior solves a fluid by Mehrotra's predictor-corrector method (SIAM J. Optimization 2(4), 1992). Vectors of variables have
// how much jobs train, by cell, job and way; then what each job leaves of a cell, what is left of scarce capacity, and what a
// job leaves undone. Rows are: of a job in a cell, of scarce capacity, and of the work of a job.
//
// The normal equations are solved by blocks: rows of jobs in cells are a diagonal, those of capacity hang together within a
// cell only, and what is left is a matrix of as many rows as jobs.
type interior struct {
	*fluid
	first struct{ rest, spare, undone int } // variables
	start struct{ capacity, work int }      // rows
	cost  []float64
	parts []float64 // of its work that a job does, by way
	x, s  []float64 // variables and reduced costs
	y     []float64 // duals by row
	right []float64 // right sides by row

	d      []float64   // x/s
	row    []float64   // diagonal of the rows of jobs in cells
	work   []float64   // by such row: what links it to the work of its job
	blocks []block     // by cell
	normal [][]float64 // of the work of jobs: lower triangle, then its factor
}

// block is what is left of the capacity rows of a cell.
type block struct {
	factor [][]float64 // lower triangle
	link   [][]float64 // to the work of the jobs, by turn, after the factor
	held   []float64   // by turn and scarce slot: what links both
}

// number gives the parts of a fluid their places in the vectors.
func (p *fluid) number() (variables, rows, capacities int) {
	for t := range p.cells {
		c := &p.cells[t]
		c.row, c.capacity = rows, capacities
		rows += len(c.turns)
		for i := range c.turns {
			c.turns[i].variable = variables
			variables += len(c.turns[i].ways)
		}
		for k := range c.slots {
			if c.slots[k].scarce >= 0 {
				capacities++
			}
		}
	}
	return variables, rows, capacities
}

// solve returns prices of scarce capacity at which the dual is nearly largest, and how much work is left undone there.
func (p *fluid) solve() (prices []float64, overflow float64) {
	limit := 1e-9 // the most that all of a job's work may cost
	for t := range p.cells {
		c := &p.cells[t]
		for i := range c.turns {
			for _, w := range c.turns[i].ways {
				if part := p.part(c.turns[i].job, c, w); part > 0 {
					limit = max(limit, p.usd(c.turns[i].job, c, w)/part)
				}
			}
		}
	}
	return p.run(1e3, limit, p.usd)
}

// impossible reports whether there is no schedule in which all jobs are done: the least work that is left undone is above 0.
func (p *fluid) impossible() bool {
	free := func(int, *cell, way) float64 { return 0 }
	prices, _ := p.run(1, 1, free)
	return p.lagrangian(prices, 1, free) > 10*rounding
}

// run runs the method with costs in multiples of unit, USD; work may be left undone for limit of them a job.
func (p *fluid) run(limit, unit float64, usd pays) (prices []float64, overflow float64) {
	q := newInterior(p, limit, unit, usd)
	for range 80 {
		if q.step() {
			break
		}
	}
	for _, u := range q.x[q.first.undone:] {
		overflow += u
	}
	prices = q.y[q.start.capacity:q.start.work]
	for k := range prices {
		prices[k] *= -unit
	}
	return prices, overflow
}

// newInterior readies the method.
func newInterior(p *fluid, limit, unit float64, usd pays) *interior {
	variables, rows, capacities := p.number()
	q := &interior{fluid: p}
	q.first.rest, q.first.spare = variables, variables+rows
	q.first.undone = q.first.spare + capacities
	q.start.capacity, q.start.work = rows, rows+capacities
	n, m := q.first.undone+len(p.jobs), q.start.work+len(p.jobs)
	q.parts = make([]float64, variables)
	q.cost, q.x, q.s, q.d = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	q.y, q.right, q.row, q.work = make([]float64, m), make([]float64, m), make([]float64, rows), make([]float64, rows)
	q.blocks, q.normal = make([]block, len(p.cells)), make([][]float64, len(p.jobs))
	for j := range q.normal {
		q.normal[j] = make([]float64, j+1)
		q.cost[q.first.undone+j], q.right[q.start.work+j] = limit, 1
	}
	for t := range p.cells {
		c := &p.cells[t]
		for i := range c.turns {
			x := &c.turns[i]
			q.right[c.row+i] = 1
			for k, w := range x.ways {
				q.cost[x.variable+k], q.parts[x.variable+k] = usd(x.job, c, w)/unit, p.part(x.job, c, w)
			}
		}
		for k := range c.slots {
			if o := &c.slots[k]; o.scarce >= 0 {
				q.right[rows+c.capacity+o.scarce] = o.gpus
			}
		}
	}
	for i := range q.x {
		q.s[i] = max(1, q.cost[i])
		q.x[i] = 0.5 / q.s[i]
	}
	for k := q.first.spare; k < q.first.undone; k++ {
		q.x[k] = max(q.right[rows+k-q.first.spare]/2, 0.5)
	}
	return q
}

// forward adds the matrix times variables to rows.
func (q *interior) forward(x, rows []float64) {
	for t := range q.cells {
		c := &q.cells[t]
		for i := range c.turns {
			y := &c.turns[i]
			for k, w := range y.ways {
				v := x[y.variable+k]
				rows[c.row+i] += v
				rows[q.start.work+y.job] += q.parts[y.variable+k] * v
				for _, u := range w {
					if o := &c.slots[u.slot]; o.scarce >= 0 {
						rows[q.start.capacity+c.capacity+o.scarce] += u.gpus * v
					}
				}
			}
		}
	}
	for i, v := range x[q.first.rest:] { // rest, spare and undone are in the order of the rows
		rows[i] += v
	}
}

// backward sets variables to the transposed matrix times rows.
func (q *interior) backward(rows, into []float64) {
	for t := range q.cells {
		c := &q.cells[t]
		for i := range c.turns {
			y := &c.turns[i]
			for k, w := range y.ways {
				v := rows[c.row+i] + q.parts[y.variable+k]*rows[q.start.work+y.job]
				for _, u := range w {
					if o := &c.slots[u.slot]; o.scarce >= 0 {
						v += u.gpus * rows[q.start.capacity+c.capacity+o.scarce]
					}
				}
				into[y.variable+k] = v
			}
		}
	}
	copy(into[q.first.rest:], rows)
}

// step makes one step, and reports whether it was the last.
func (q *interior) step() (done bool) {
	n, m := len(q.x), len(q.y)
	primal, dual, gap, scale := make([]float64, m), make([]float64, n), 0.0, 0.0
	q.forward(q.x, primal)
	worst := 0.0
	for i := range primal {
		primal[i] = q.right[i] - primal[i]
		worst = max(worst, math.Abs(primal[i])/(1+q.right[i]))
	}
	q.backward(q.y, dual)
	for i := range dual {
		dual[i] = q.cost[i] - dual[i] - q.s[i]
		worst = max(worst, math.Abs(dual[i]))
		gap, scale = gap+q.x[i]*q.s[i], scale+q.x[i]*q.cost[i]
	}
	if gap < 1e-6*max(scale, 1e-9) && worst < 1e-8 || !(gap > 0) {
		return true
	}
	mu := gap / float64(n)
	q.factor()
	target := make([]float64, n) // of x s, less what it is
	for i := range target {
		target[i] = -q.x[i] * q.s[i]
	}
	dx, _, ds := q.direction(primal, dual, target)
	toX, toS := longest(q.x, dx), longest(q.s, ds)
	after := 0.0
	for i := range q.x {
		after += (q.x[i] + toX*dx[i]) * (q.s[i] + toS*ds[i])
	}
	centre := math.Pow(after/gap, 3) * mu
	for i := range target {
		target[i] += centre - dx[i]*ds[i]
	}
	dx, dy, ds := q.direction(primal, dual, target)
	toX, toS = min(0.9995*longest(q.x, dx), 1), min(0.9995*longest(q.s, ds), 1)
	if math.IsNaN(toX) || math.IsNaN(toS) || max(toX, toS) < 1e-7 {
		return true
	}
	for i := range q.x {
		q.x[i] += toX * dx[i]
		q.s[i] += toS * ds[i]
	}
	for i := range q.y {
		q.y[i] += toS * dy[i]
	}
	return false
}

// longest is how far a vector above 0 can go in a direction, at most 1 over 0.9995.
func longest(x, d []float64) float64 {
	to := 1 / 0.9995
	for i, v := range d {
		if v < 0 {
			to = min(to, -x[i]/v)
		} else if math.IsNaN(v) {
			return math.NaN()
		}
	}
	return to
}

// direction solves the equations of a step.
func (q *interior) direction(primal, dual, target []float64) (dx, dy, ds []float64) {
	n := len(q.x)
	dx, ds = make([]float64, n), make([]float64, n)
	for i := range dx {
		dx[i] = q.d[i] * (dual[i] - target[i]/q.x[i])
	}
	dy = make([]float64, len(q.y))
	q.forward(dx, dy)
	for i := range dy {
		dy[i] += primal[i]
	}
	q.substitute(dy)
	q.backward(dy, ds)
	for i := range dx {
		ds[i] = dual[i] - ds[i]
		dx[i] = (target[i] - q.x[i]*ds[i]) / q.s[i]
	}
	return dx, dy, ds
}

// factor makes the factors of the normal equations at the present point.
func (q *interior) factor() {
	for i := range q.d {
		q.d[i] = q.x[i] / q.s[i]
	}
	for j := range q.normal {
		clear(q.normal[j])
		q.normal[j][j] = q.d[q.first.undone+j]
	}
	for t := range q.cells {
		q.reduce(t)
	}
	cholesky(q.normal)
}

// reduce takes the rows of a cell out of the normal equations.
func (q *interior) reduce(t int) {
	c, b := &q.cells[t], &q.blocks[t]
	if b.factor == nil {
		b.grow(c)
	}
	for k := range b.factor {
		clear(b.factor[k])
		b.factor[k][k] = q.d[q.first.spare+c.capacity+k]
	}
	for i := range c.turns {
		y := &c.turns[i]
		d, held := q.d[y.variable:][:len(y.ways)], b.held[i*len(b.factor):][:len(b.factor)]
		clear(held)
		row, work, square := q.d[q.first.rest+c.row+i], 0.0, 0.0
		for k, w := range y.ways {
			part := q.parts[y.variable+k]
			row, work, square = row+d[k], work+part*d[k], square+part*part*d[k]
			for _, u := range w {
				s := c.slots[u.slot].scarce
				if s < 0 {
					continue
				}
				held[s] += u.gpus * d[k]
				for _, o := range w {
					if r := c.slots[o.slot].scarce; r >= 0 && r <= s {
						b.factor[s][r] += u.gpus * o.gpus * d[k]
					}
				}
			}
		}
		q.row[c.row+i], q.work[c.row+i] = row, work
		q.normal[y.job][y.job] += square - work*work/row
		for s := range held {
			b.link[s][i] = -held[s] * work / row
			for r := range s + 1 {
				b.factor[s][r] -= held[s] * held[r] / row
			}
		}
		for k, w := range y.ways {
			for _, u := range w {
				if s := c.slots[u.slot].scarce; s >= 0 {
					b.link[s][i] += u.gpus * q.parts[y.variable+k] * d[k]
				}
			}
		}
	}
	cholesky(b.factor)
	q.connect(c, b)
}

// grow makes the memory of a block.
func (b *block) grow(c *cell) {
	n := 0
	for k := range c.slots {
		if c.slots[k].scarce >= 0 {
			b.factor, b.link = append(b.factor, make([]float64, n+1)), append(b.link, make([]float64, len(c.turns)))
			n++
		}
	}
	b.held = make([]float64, n*len(c.turns))
}

// connect takes the capacity of a cell out of the equations of the work of its jobs.
func (q *interior) connect(c *cell, b *block) {
	for k := range b.factor {
		link := b.link[k]
		for l := range k {
			for i := range link {
				link[i] -= b.factor[k][l] * b.link[l][i]
			}
		}
		for i := range link {
			link[i] /= b.factor[k][k]
			if link[i] == 0 {
				continue
			}
			row := q.normal[c.turns[i].job]
			for h := range i + 1 {
				row[c.turns[h].job] -= link[i] * link[h]
			}
		}
	}
}

// cholesky factors a matrix, of which it has the lower triangle. A row that hangs on those before, but for rounding, is left out. What is 0
// from the beginning of a row stays so: jobs of which none runs beside the other take no time.
func cholesky(a [][]float64) {
	first := make([]int, len(a))
	for i := range a {
		for first[i] < i && a[i][first[i]] == 0 {
			first[i]++
		}
		diagonal := a[i][i]
		for j := first[i]; j <= i; j++ {
			v := a[i][j]
			from := min(max(first[i], first[j]), j)
			x, y := a[i][from:j], a[j][from:j]
			for k := range x {
				v -= x[k] * y[k]
			}
			if j < i {
				a[i][j] = v / a[j][j]
			} else if v > 1e-13*diagonal && v > 0 {
				a[i][i] = math.Sqrt(v)
			} else {
				a[i][i] = 1e64
			}
		}
	}
}

// substitute solves the normal equations for right sides, in place.
func (q *interior) substitute(r []float64) {
	work, capacity := r[q.start.work:], r[q.start.capacity:q.start.work]
	for t := range q.cells {
		c, b := &q.cells[t], &q.blocks[t]
		mine := capacity[c.capacity:][:len(b.factor)]
		for i := range c.turns {
			row := r[c.row+i] / q.row[c.row+i]
			work[c.turns[i].job] -= q.work[c.row+i] * row
			for k := range mine {
				mine[k] -= b.held[i*len(mine)+k] * row
			}
		}
		lower(b.factor, mine)
		for k := range mine {
			for i := range c.turns {
				work[c.turns[i].job] -= b.link[k][i] * mine[k]
			}
		}
	}
	lower(q.normal, work)
	upper(q.normal, work)
	for t := range q.cells {
		c, b := &q.cells[t], &q.blocks[t]
		mine := capacity[c.capacity:][:len(b.factor)]
		for k := range mine {
			for i := range c.turns {
				mine[k] -= b.link[k][i] * work[c.turns[i].job]
			}
		}
		upper(b.factor, mine)
		for i := range c.turns {
			left := r[c.row+i] - q.work[c.row+i]*work[c.turns[i].job]
			for k := range mine {
				left -= b.held[i*len(mine)+k] * mine[k]
			}
			r[c.row+i] = left / q.row[c.row+i]
		}
	}
}

// lower solves with a factor, upper with its transpose.
func lower(a [][]float64, x []float64) {
	for i := range a {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
}

func upper(a [][]float64, x []float64) {
	for i := len(a) - 1; i >= 0; i-- {
		x[i] /= a[i][i]
		for k := range i {
			x[k] -= a[i][k] * x[i]
		}
	}
}
