package reference

import "math"

// own sets h to the root of the matrix of a job's own rows but that of its fairness.
func (f *fairest) own(i int, h []float64) {
	n, k := f.vars, len(f.models)
	for r := 0; r < f.rows; r++ {
		row, size := i*f.rows+r, 1
		if r == k+fairRow {
			continue
		}
		if f.conic.cones[row] > 0 {
			size = 3
		}
		for v := range n {
			var column triple
			for part := range size {
				column[part] = *f.entry(i, r+part, v)
			}
			by := f.conic.unsquare(row, column)
			for o := range n {
				for part := range size {
					h[v*n+o] += *f.entry(i, r+part, o) * by[part]
				}
			}
		}
		r += size - 1
	}
	cholesky(h, n)
}

// cholesky replaces a small matrix by its root, in the lower triangle.
func cholesky(h []float64, n int) {
	for j := range n {
		for o := range j {
			h[j*n+o] = (h[j*n+o] - dot(h[j*n:j*n+o], h[o*n:o*n+o])) / h[o*n+o]
		}
		h[j*n+j] = math.Sqrt(max(h[j*n+j]-dot(h[j*n:j*n+j], h[j*n:j*n+j]), math.SmallestNonzeroFloat64))
	}
}

// rooted replaces v by the solution of equations of which h is the root.
func rooted(h, v []float64) {
	n := len(v)
	for i := range v {
		v[i] = (v[i] - dot(h[i*n:i*n+i], v[:i])) / h[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		v[i] /= h[i*n+i]
		for o := range i {
			v[o] -= h[i*n+o] * v[i]
		}
	}
}

// pushed adds to p what the right sides of a job's own rows but that of its fairness do.
func (f *fairest) pushed(i int, bz, p []float64) {
	for r := 0; r < f.rows; r++ {
		row, size := i*f.rows+r, 1
		if f.conic.cones[row] > 0 {
			size = 3
		}
		if r != len(f.models)+fairRow {
			var of triple
			copy(of[:size], bz[row:])
			by := f.conic.unsquare(row, of)
			for part := range size {
				for v := range p {
					p[v] += *f.entry(i, r+part, v) * by[part]
				}
			}
		}
		r += size - 1
	}
}
