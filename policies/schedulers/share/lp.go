package share

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
)

// program is a linear program: the most of a sum of variables that are 0 or more, with rows that are at most a bound.
// It is solved by the simplex method on a dense table, in two phases (Dantzig's rule, ties by index, Bland's rule
// where it does not move).
//
// gonum's simplex, for equations only, solves systems anew at every step: of 100 jobs on three
// models of GPU that takes seconds, where a schedule needs thousands of programs.
type program struct {
	n      int       // variables
	goal   []float64 // by variable
	then   []float64 // by variable: of the optima, one with the most of this sum; empty: any
	rows   [][]float64
	bounds []float64 // by row

	table       [][]float64
	memory      []float64 // of the table
	x           []float64 // of the optimum
	basic, rest []int     // the variables of the rows and of the columns; n and above: slack, below 0: artificial
	full        []int     // scratch: columns in which a row is not 0
}

// reset makes p a program of n variables without rows, whose sum is 0.
func (p *program) reset(n int) {
	p.n = n
	p.rows = p.rows[:0]
	p.bounds = p.bounds[:0]
	p.goal = Filled(p.goal, n, 0)
	p.then = p.then[:0]
}

// addSecondGoal returns what is to be the most among optima, a sum of 0 at first.
func (p *program) addSecondGoal() []float64 {
	p.then = Filled(p.then, p.n, 0)
	return p.then
}

// addRow adds a row of zeros that is at most a bound, and returns it.
func (p *program) addRow(bound float64) []float64 {
	k := len(p.rows)
	if k < cap(p.rows) {
		p.rows = p.rows[:k+1]
	} else {
		p.rows = append(p.rows, nil)
	}
	p.rows[k] = Filled(p.rows[k], p.n, 0)
	p.bounds = append(p.bounds, bound)
	return p.rows[k]
}

const (
	tiny     = 1e-10 // less is 0
	feasible = 1e-8  // by how much a row may be exceeded
	maxSteps = 20000 // after half of them, Bland's rule
)

// solve returns the variables of an optimum, which are valid until the next program, and the most;
// false where the rows exclude each other. The programs of this package are bounded.
func (p *program) solve() (x []float64, value float64, ok bool) {
	p.begin()
	m := len(p.rows)
	smallest := 0
	for i := range m {
		if p.table[i][p.n+1] < p.table[smallest][p.n+1] {
			smallest = i
		}
	}
	if p.table[smallest][p.n+1] < -tiny {
		p.pivot(smallest, p.n)
		if !p.maximise(m+1) || p.table[m+1][p.n+1] < -feasible {
			return nil, 0, false
		}
		p.dropArtificial()
	}
	if !p.maximise(m) || len(p.then) > 0 && !p.maximise(m+2) {
		return nil, 0, false
	}
	p.x = Filled(p.x, p.n, 0)
	x = p.x
	for i, v := range p.basic {
		if v >= 0 && v < p.n {
			x[v] = max(p.table[i][p.n+1], 0)
		}
	}
	for v, c := range p.goal {
		value += c * x[v]
	}
	return x, value, true
}

// artificial is the variable that makes the first table feasible.
const artificial = -1

// begin sets up the table: a row for each row, scaled, one for the goal, one for the artificial
// variable and one for the second goal; the last two columns are that variable and the bounds.
func (p *program) begin() {
	m := len(p.rows)
	n := p.n
	p.memory = Filled(p.memory, (m+3)*(n+2), 0)
	p.basic = p.basic[:0]
	p.rest = p.rest[:0]
	p.table = p.table[:0]
	for i := range m + 3 {
		p.table = append(p.table, p.memory[i*(n+2):(i+1)*(n+2)])
	}
	for i, row := range p.rows {
		scale := 0.0
		for _, a := range row {
			scale = max(scale, math.Abs(a))
		}
		if scale == 0 {
			scale = 1
		}
		for j, a := range row {
			p.table[i][j] = a / scale
		}
		p.table[i][n] = -1
		p.table[i][n+1] = p.bounds[i] / scale
		p.basic = append(p.basic, n+i)
	}
	for j, c := range p.goal {
		p.table[m][j] = -c
		p.rest = append(p.rest, j)
	}
	for j, c := range p.then {
		p.table[m+2][j] = -c
	}
	p.rest = append(p.rest, artificial)
	p.table[m+1][n] = 1
}

// pivot exchanges the variable of a row for that of a column.
func (p *program) pivot(r, s int) {
	row := p.table[r]
	inverse := 1 / row[s]
	p.full = p.full[:0] // few: a job is in few rows
	for j, a := range row {
		if a != 0 {
			p.full = append(p.full, j)
		}
	}
	for i, other := range p.table {
		if i == r || other[s] == 0 {
			continue
		}
		factor := other[s] * inverse
		for _, j := range p.full {
			other[j] -= row[j] * factor
		}
		other[s] = -factor
	}
	for _, j := range p.full {
		row[j] *= inverse
	}
	row[s] = inverse
	p.basic[r], p.rest[s] = p.rest[s], p.basic[r]
}

// maximise makes the sum of a row of the table as large as it can be; false if it has no bound.
func (p *program) maximise(goal int) bool {
	for step := range maxSteps {
		s := p.findColumn(goal, step > maxSteps/2)
		if s < 0 {
			return true
		}
		r := p.findRow(s)
		if r < 0 {
			return false
		}
		p.pivot(r, s)
	}
	return true
}

// findColumn returns the column whose variable is to grow, -1 for none. For the second goal it is one that the first
// does not notice.
func (p *program) findColumn(goal int, bland bool) int {
	m := len(p.rows)
	row := p.table[goal][:len(p.rest)]
	first := p.table[m][:len(p.rest)]
	best := -1
	for j, d := range row {
		if d > -tiny {
			continue
		}
		variable := p.rest[j]
		if variable == artificial && goal != m+1 || goal == m+2 && first[j] > tiny {
			continue
		}
		if best < 0 || !bland && d < row[best] {
			best = j
		} else if variable < p.rest[best] && (bland || d == row[best]) {
			best = j
		}
	}
	return best
}

// findRow returns the row that bounds the variable of a column first, -1 for none.
func (p *program) findRow(s int) int {
	best := -1
	smallest := 0.0
	for i := range p.rows {
		a := p.table[i][s]
		if a < tiny {
			continue
		}
		ratio := p.table[i][p.n+1] / a
		if best < 0 || ratio < smallest || ratio == smallest && p.basic[i] < p.basic[best] {
			best = i
			smallest = ratio
		}
	}
	return best
}

// dropArtificial takes the artificial variable, which is 0, out of the rows.
func (p *program) dropArtificial() {
	r := slices.Index(p.basic, artificial)
	if r < 0 {
		return
	}
	s := -1
	for j, v := range p.rest {
		if v != artificial && (s < 0 || math.Abs(p.table[r][j]) > math.Abs(p.table[r][s])) {
			s = j
		}
	}
	if s >= 0 && math.Abs(p.table[r][s]) > tiny {
		p.pivot(r, s)
	}
}

// price returns by how much the most would grow with the bound of a row, of its scaled form:
// above 0 only if the row is full in every optimum.
func (p *program) price(row int) float64 {
	j := slices.Index(p.rest, p.n+row)
	if j < 0 {
		return 0
	}
	return p.table[len(p.rows)][j]
}

// Program is a linear program over the shares of the jobs of an input: a variable a job and model on which it runs, and
// further ones behind them. Its zero value is ready, and each use of it goes on with the memory of the one before. Set
// begins it; Goal, Row and AddSpeed fill it in; Solve and Put answer.
type Program struct {
	program
	at    [][]int // by job and model: the variable, none where the job does not run
	speed [][]float64
}

// none is the variable of a job and a model on which it does not run.
const none = -1

// Set makes l the program of the jobs' shares, whose speeds are given by job and model, with further variables behind
// them, and returns the first of these. No job has more than the whole time, and no model more GPUs in use than there
// are.
func (l *Program) Set(in *Input, speed [][]float64, further int) (first int) {
	l.at = l.at[:0]
	l.speed = speed
	n := 0
	for i := range in.Jobs {
		var at []int
		for m := range in.GPUs {
			if speed[i][m] > 0 && in.GPUs[m] > 0 {
				at = append(at, n)
				n++
			} else {
				at = append(at, none)
			}
		}
		l.at = append(l.at, at)
	}
	l.reset(n + further)
	for i := range in.Jobs {
		row := l.addRow(1)
		for _, variable := range l.at[i] {
			if variable != none {
				row[variable] = 1
			}
		}
	}
	for m, gpus := range in.GPUs {
		row := l.addRow(float64(gpus))
		for i := range in.Jobs {
			variable := l.at[i][m]
			if variable != none {
				row[variable] = float64(in.Jobs[i].GPUs)
			}
		}
	}
	return n
}

// Variable returns the variable of the share of job i on model m; false where the job does not run there.
func (l *Program) Variable(i, m int) (variable int, runs bool) {
	variable = l.at[i][m]
	return variable, variable != none
}

// Goal returns what is to be as large as it can be: a factor by variable, 0 at first.
func (l *Program) Goal() []float64 { return l.goal }

// Row adds a row, a factor by variable that is 0 at first, whose sum is at most a bound, and returns it.
func (l *Program) Row(bound float64) []float64 { return l.addRow(bound) }

// Solve returns the variables of an optimum, which are valid until the next program, and its goal; false where the rows
// exclude each other.
func (l *Program) Solve() (solution []float64, value float64, ok bool) { return l.solve() }

// AddSpeed adds a multiple of the speed of job i to a row.
func (l *Program) AddSpeed(row []float64, i int, by float64) {
	for m, v := range l.at[i] {
		if v != none {
			row[v] += by * l.speed[i][m]
		}
	}
}

// Put makes x the shares of a solution.
func (l *Program) Put(in *Input, solution []float64, x *Shares) {
	x.Reset()
	for i := range in.Jobs {
		share := x.Add(i, len(in.GPUs))
		for m, v := range l.at[i] {
			if v != none {
				share[m] = solution[v]
			}
		}
	}
}

// Speeds returns the jobs' speeds.
func (in *Input) Speeds() [][]float64 {
	out := make([][]float64, len(in.Jobs))
	for i := range in.Jobs {
		out[i] = in.Jobs[i].Speed
	}
	return out
}

// Alike returns a speed for every model of which there are GPUs: that of a model, or 1 where it
// is below 0. Models on which a job does not run are taken for others.
func (in *Input) Alike(model int) [][]float64 {
	out := make([][]float64, len(in.Jobs))
	for i := range out {
		out[i] = make([]float64, len(in.GPUs))
		for m := range out[i] {
			out[i][m] = 1
			if model >= 0 {
				out[i][m] = in.Jobs[i].Speed[model]
			}
		}
	}
	return out
}

// Filled returns a slice of n equal values, in the memory of another.
func Filled[T any](memory []T, n int, value T) []T {
	out := policyutil.Resize(memory, n)
	for i := range out {
		out[i] = value
	}
	return out
}
