package reference

import (
	"math"

	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// fairest is FinishTime's program as Gavel's solver gets it: the least level above the fairness of every job, where a
// job's speed and the time q that it takes for a step are in a cone of second order, (speed + q, speed - q, 2), so that
// q is at least 1/speed.
//
// A job's variables are its shares by model and q; its rows are those of its shares (at least 0), of its time, of its
// fairness, and the three of the cone. Behind all jobs are the level, and the GPUs by model.
type fairest struct {
	models        []int // of which there are GPUs
	jobs          int
	rows, vars    int       // of a job
	entries       []float64 // by job, row and variable
	lift          []float64 // by job: the level in the row of its fairness
	uses          []float64 // by job and model: GPUs
	limit         []float64 // by row
	scale, width  []float64 // of rows and variables, which are divided by them
	cost          float64   // of the level
	kkt           bordered
	conic         scaling
	maxRow, maxCo []float64
	used          []float64 // GPUs by model
}

// The rows of a job behind those of its shares.
const (
	timeRow = iota
	fairRow
	coneRow
	rowsBehind = coneRow + 3
)

// set makes f the program of an input: expected is each job's time from arrival to end with an equal part for itself.
func (f *fairest) set(in *share.Input, speed [][]float64, expected []float64) {
	f.models = f.models[:0]
	for m, n := range in.GPUs {
		if n > 0 {
			f.models = append(f.models, m)
		}
	}
	k := len(f.models)
	f.jobs, f.rows, f.vars = len(in.Jobs), k+rowsBehind, k+1
	f.entries = filled(f.entries, f.jobs*f.rows*f.vars, 0)
	f.limit = filled(f.limit, f.jobs*f.rows+k, 0)
	f.lift = filled(f.lift, f.jobs, -1)
	f.uses = filled(f.uses, f.jobs*k, 0)
	for i := range in.Jobs {
		f.job(i, &in.Jobs[i], speed[i], expected[i])
	}
	for v, m := range f.models {
		f.limit[f.jobs*f.rows+v] = float64(in.GPUs[m])
	}
	f.equilibrate()
}

// job sets the rows of a job.
func (f *fairest) job(i int, j *share.Job, speed []float64, expected float64) {
	k := len(f.models)
	for v, m := range f.models {
		*f.entry(i, v, v) = -1
		*f.entry(i, k+timeRow, v) = 1
		*f.entry(i, k+coneRow, v) = -speed[m]
		*f.entry(i, k+coneRow+1, v) = -speed[m]
		f.uses[i*k+v] = float64(j.GPUs)
	}
	*f.entry(i, k+fairRow, k) = j.Left / expected
	*f.entry(i, k+coneRow, k) = -1
	*f.entry(i, k+coneRow+1, k) = 1
	row := f.limit[i*f.rows+k:]
	row[timeRow], row[fairRow], row[coneRow+2] = 1, -j.Age/expected, 2
}

// entry is what a variable of a job adds to a row of it.
func (f *fairest) entry(i, row, v int) *float64 { return &f.entries[(i*f.rows+row)*f.vars+v] }

// equilibrate scales rows and variables so that the largest entries of both are near 1, in three rounds. The rows of a
// cone have one scale.
func (f *fairest) equilibrate() {
	f.scale, f.width = filled(f.scale, len(f.limit), 1), filled(f.width, f.jobs*f.vars+1, 1)
	for range 3 {
		f.largest()
		f.each(func(row, v int, x *float64) { *x /= f.maxRow[row] * f.maxCo[v] })
		for r, s := range f.maxRow {
			f.scale[r] *= s
		}
		for v, s := range f.maxCo {
			f.width[v] *= s
		}
	}
	for r, s := range f.scale {
		f.limit[r] /= s
	}
	f.cost = 1 / f.width[len(f.width)-1]
}

// largest finds the root of the largest entry of each row and variable.
func (f *fairest) largest() {
	f.maxRow, f.maxCo = filled(f.maxRow, len(f.limit), 0), filled(f.maxCo, len(f.width), 0)
	f.each(func(row, v int, x *float64) {
		a := math.Abs(*x)
		f.maxRow[row], f.maxCo[v] = max(f.maxRow[row], a), max(f.maxCo[v], a)
	})
	for i := range f.jobs {
		cone := f.maxRow[i*f.rows+f.rows-3:][:3]
		all := cone[0] + cone[1] + cone[2]
		cone[0], cone[1], cone[2] = all, all, all
	}
	for _, list := range [][]float64{f.maxRow, f.maxCo} {
		for i, x := range list {
			list[i] = rootOf(x)
		}
	}
}

// each calls do for every entry.
func (f *fairest) each(do func(row, v int, x *float64)) {
	k := len(f.models)
	for i := range f.jobs {
		for r := range f.rows {
			for v := range f.vars {
				do(i*f.rows+r, i*f.vars+v, f.entry(i, r, v))
			}
		}
		do(i*f.rows+k+fairRow, f.jobs*f.vars, &f.lift[i])
		for m := range k {
			do(f.jobs*f.rows+m, i*f.vars+m, &f.uses[i*k+m])
		}
	}
}

// taken sets out to what variables add to the rows.
func (f *fairest) taken(out, x []float64) {
	clear(out)
	k := len(f.models)
	for i := range f.jobs {
		of := x[i*f.vars:][:f.vars]
		for r := range f.rows {
			out[i*f.rows+r] = dot(f.entries[(i*f.rows+r)*f.vars:][:f.vars], of)
		}
		out[i*f.rows+k+fairRow] += f.lift[i] * x[f.jobs*f.vars]
		for m := range k {
			out[f.jobs*f.rows+m] += f.uses[i*k+m] * of[m]
		}
	}
}

// asked sets out to what duals of the rows ask of the variables.
func (f *fairest) asked(out, z []float64) {
	clear(out)
	k := len(f.models)
	for i := range f.jobs {
		of := out[i*f.vars:][:f.vars]
		for r := range f.rows {
			dual := z[i*f.rows+r]
			for v := range of {
				of[v] += *f.entry(i, r, v) * dual
			}
		}
		out[f.jobs*f.vars] += f.lift[i] * z[i*f.rows+k+fairRow]
		for m := range k {
			of[m] += f.uses[i*k+m] * z[f.jobs*f.rows+m]
		}
	}
}

// put puts shares by job and model into x. Rounding may leave a ten-millionth more time or GPUs than there are, which
// is taken back.
func (f *fairest) put(in *share.Input, shares []float64, x *share.Shares) {
	x.Reset()
	k := len(f.models)
	f.used = filled(f.used, k, 0)
	for i := range in.Jobs {
		part := x.Add(i, len(in.GPUs))
		for v, m := range f.models {
			part[m] = shares[i*k+v]
		}
		rules.LimitToWholeTime(part)
		for v, m := range f.models {
			f.used[v] += part[m] * float64(in.Jobs[i].GPUs)
		}
	}
	for i := range in.Jobs {
		for v, m := range f.models {
			x.X[i][m] *= min(1, float64(in.GPUs[m])/max(f.used[v], tiny))
		}
	}
}

// bordered solves the equations of a step of fairest. Jobs meet in the level and in the GPUs of each model only, so
// that it costs as much as there are jobs: each job's own variables are eliminated first, then the row of its fairness,
// which the level is in.
type bordered struct {
	root   []float64 // by job: of its own matrix (Cholesky)
	perQ   []float64 // by job and variable: what its q's equation does to its variables
	perUse []float64 // by job, model and variable: what the GPUs of a model do
	pivot  []float64 // by job: of the row of its fairness

	outer triangle // of the GPUs by model
	level float64  // pivot of the level
	lift  []float64

	p, first, alpha []float64
	spareX, moreX   []float64
	spareZ, moreZ   []float64
}

// scaling is that of Nesterov and Todd (Self-scaled barriers and interior-point methods for convex programming,
// Mathematics of Operations Research 1997), for cones of second order as ECOS has it (Domahidi and others, ECC 2013):
// it makes slacks and duals of rows and cones of second order the same point, which lies between them.
type scaling struct {
	cones []int // by row: 0 of a line, else the row is of a cone of three rows; 1, 2, 3 within it

	w   []float64 // of lines: the root of slack by dual; of cones: a point whose product with itself is 1
	eta []float64 // of cones, at their first row
}
