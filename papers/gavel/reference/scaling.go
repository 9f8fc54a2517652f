package reference

import "math"

// lines makes all rows lines but the last three of each job, which are a cone.
func (c *scaling) lines(f *fairest) {
	c.cones = filled(c.cones, len(f.limit), 0)
	c.w, c.eta = filled(c.w, len(f.limit), 0), filled(c.eta, len(f.limit), 0)
	for i := range f.jobs {
		for part := range 3 {
			c.cones[i*f.rows+f.rows-3+part] = 1 + part
		}
	}
}

// triple is a point of a cone.
type triple = [3]float64

// dotJ is the first entries' product less the others': of a point with itself above 0 within the cone.
func dotJ(a, b triple) float64 { return a[0]*b[0] - a[1]*b[1] - a[2]*b[2] }

// set finds the scaling of slacks and duals, and reports whether both are within the cones.
func (c *scaling) set(s, z []float64) bool {
	for r := 0; r < len(s); r++ {
		if c.cones[r] == 0 {
			c.w[r] = math.Sqrt(s[r] / z[r])
			continue
		}
		a, b := triple(s[r:]), triple(z[r:])
		sizeA, sizeB := dotJ(a, a), dotJ(b, b)
		if !(sizeA > 0 && sizeB > 0) {
			return false
		}
		ra, rb := math.Sqrt(sizeA), math.Sqrt(sizeB)
		gamma := math.Sqrt((1 + (a[0]*b[0]+a[1]*b[1]+a[2]*b[2])/(ra*rb)) / 2)
		c.w[r] = (a[0]/ra + b[0]/rb) / (2 * gamma)
		c.w[r+1] = (a[1]/ra - b[1]/rb) / (2 * gamma)
		c.w[r+2] = (a[2]/ra - b[2]/rb) / (2 * gamma)
		c.eta[r] = math.Sqrt(ra / rb)
		r += 2
	}
	return true
}

// times sets out to the scaling times v.
func (c *scaling) times(out, v []float64) {
	for r := 0; r < len(v); r++ {
		if c.cones[r] == 0 {
			out[r] = c.w[r] * v[r]
			continue
		}
		w, a, eta := triple(c.w[r:]), triple(v[r:]), c.eta[r]
		inner := w[1]*a[1] + w[2]*a[2]
		factor := a[0] + inner/(1+w[0])
		out[r], out[r+1], out[r+2] = eta*(w[0]*a[0]+inner), eta*(a[1]+factor*w[1]), eta*(a[2]+factor*w[2])
		r += 2
	}
}

// unsquare is the inverse of the square of the scaling, times v, of the line or the cone that begins at a row.
func (c *scaling) unsquare(r int, v triple) triple {
	if c.cones[r] == 0 {
		return triple{v[0] / (c.w[r] * c.w[r])}
	}
	w, by := triple(c.w[r:]), 1/(c.eta[r]*c.eta[r])
	twice := 2 * dotJ(w, v)
	return triple{by * (twice*w[0] - v[0]), by * (v[1] - twice*w[1]), by * (v[2] - twice*w[2])}
}

// product sets out to the product of two points, of which the unit is 1 in lines and (1, 0, 0) in cones.
func (c *scaling) product(out, u, v []float64) {
	for r := 0; r < len(v); r++ {
		if c.cones[r] == 0 {
			out[r] = u[r] * v[r]
			continue
		}
		a, b := triple(u[r:]), triple(v[r:])
		out[r], out[r+1], out[r+2] = dot(a[:], b[:]), a[0]*b[1]+b[0]*a[1], a[0]*b[2]+b[0]*a[2]
		r += 2
	}
}

// quotient sets out to the point whose product with u is v. out may be v.
func (c *scaling) quotient(out, u, v []float64) {
	for r := 0; r < len(v); r++ {
		if c.cones[r] == 0 {
			out[r] = v[r] / u[r]
			continue
		}
		a, b := triple(u[r:]), triple(v[r:])
		size, inner := dotJ(a, a), a[1]*b[1]+a[2]*b[2]
		factor := (inner/a[0] - b[0]) / size
		out[r], out[r+1], out[r+2] = (a[0]*b[0]-inner)/size, factor*a[1]+b[1]/a[0], factor*a[2]+b[2]/a[0]
		r += 2
	}
}

// addUnit adds a multiple of the unit.
func (c *scaling) addUnit(v []float64, by float64) {
	for r := range v {
		if c.cones[r] <= 1 {
			v[r] += by
		}
	}
}

// inside moves all points by a multiple of the unit until they are within their cones.
func (c *scaling) inside(v []float64) {
	smallest := math.Inf(1)
	for r := 0; r < len(v); r++ {
		if c.cones[r] == 0 {
			smallest = min(smallest, v[r])
			continue
		}
		smallest = min(smallest, v[r]-math.Hypot(v[r+1], v[r+2]))
		r += 2
	}
	by := 1 - shorter
	if smallest <= 0 {
		by = 1 - smallest
	}
	c.addUnit(v, by)
}

// longest is the part of a step by which a point, in the scaling's own units, stays within its cones: 1 by it, 0 for no
// limit.
func (c *scaling) longest(at, step []float64) (inverse float64) {
	for r := 0; r < len(at); r++ {
		if c.cones[r] == 0 {
			inverse = max(inverse, -step[r]/at[r])
			continue
		}
		a, d := triple(at[r:]), triple(step[r:])
		r += 2
		size := dotJ(a, a)
		if size <= 0 {
			continue
		}
		size = math.Sqrt(size)
		for i := range a {
			a[i] /= size
		}
		along := dotJ(a, d)
		factor := (along + d[0]) / (a[0] + 1)
		inverse = max(inverse, (math.Hypot(d[1]-factor*a[1], d[2]-factor*a[2])-along)/size)
	}
	return inverse
}
