package reference

// factor prepares solutions with the scaling that f has.
func (b *bordered) factor(f *fairest) {
	k, n := len(f.models), f.vars
	b.root, b.perQ = filled(b.root, f.jobs*n*n, 0), filled(b.perQ, f.jobs*n, 0)
	b.perUse, b.pivot = filled(b.perUse, f.jobs*k*n, 0), filled(b.pivot, f.jobs, 0)
	b.lift, b.level = filled(b.lift, k, 0), 0
	b.outer.first = filled(b.outer.first, k, 0)
	b.outer.reset(k)
	for m := range k {
		w := f.conic.w[f.jobs*f.rows+m]
		*b.outer.at(m, m) = w * w
	}
	for i := range f.jobs {
		f.own(i, b.root[i*n*n:][:n*n])
		b.eliminate(f, i)
	}
	for m := range k {
		for o := range m + 1 {
			*b.outer.at(m, o) += b.lift[m] * b.lift[o] / b.level
		}
	}
	b.outer.root()
}

// eliminate takes a job out of the equations of the level and of the GPUs.
func (b *bordered) eliminate(f *fairest, i int) {
	k, n := len(f.models), f.vars
	h, perQ := b.root[i*n*n:][:n*n], b.perQ[i*n:][:n]
	perQ[k] = 1
	rooted(h, perQ)
	row := i*f.rows + k + fairRow
	a, lift := *f.entry(i, k+fairRow, k), f.lift[i]
	b.pivot[i] = f.conic.w[row]*f.conic.w[row] + a*a*perQ[k]
	b.level += lift * lift / b.pivot[i]
	for m := range k {
		use := b.perUse[(i*k+m)*n:][:n]
		use[m] = f.uses[i*k+m]
		rooted(h, use)
	}
	for m := range k {
		use := b.perUse[(i*k+m)*n:][:n]
		b.lift[m] += lift * a * use[k] / b.pivot[i]
		for o := range m + 1 {
			other := b.perUse[(i*k+o)*n:][:n]
			*b.outer.at(m, o) += f.uses[i*k+o]*use[o] - a*a*use[k]*other[k]/b.pivot[i]
		}
	}
}

// solve solves the equations G'z = bx, Gx - (scaling)² z = bz, with a step that takes rounding back.
func (b *bordered) solve(f *fairest, bx, bz, x, z []float64) {
	b.once(f, bx, bz, x, z)
	b.spareX, b.spareZ = filled(b.spareX, len(x), 0), filled(b.spareZ, len(z), 0)
	b.moreX, b.moreZ = filled(b.moreX, len(x), 0), filled(b.moreZ, len(z), 0)
	f.asked(b.spareX, z)
	for v := range x {
		b.spareX[v] = bx[v] - b.spareX[v]
	}
	f.conic.times(b.moreZ, z)
	f.conic.times(b.spareZ, b.moreZ)
	f.taken(b.moreZ, x)
	for r := range z {
		b.spareZ[r] += bz[r] - b.moreZ[r]
	}
	b.once(f, b.spareX, b.spareZ, b.moreX, b.moreZ)
	for v := range x {
		x[v] += b.moreX[v]
	}
	for r := range z {
		z[r] += b.moreZ[r]
	}
}

// once solves the equations up to rounding.
func (b *bordered) once(f *fairest, bx, bz, x, z []float64) {
	k, n := len(f.models), f.vars
	b.p, b.alpha = append(b.p[:0], bx[:f.jobs*n]...), filled(b.alpha, f.jobs, 0)
	b.first = filled(b.first, k, 0)
	up := bx[f.jobs*n]
	for i := range f.jobs {
		p := b.p[i*n:][:n]
		f.pushed(i, bz, p)
		rooted(b.root[i*n*n:][:n*n], p)
		a := *f.entry(i, k+fairRow, k)
		b.alpha[i] = (a*p[k] - bz[i*f.rows+k+fairRow]) / b.pivot[i]
		up -= f.lift[i] * b.alpha[i]
		for m := range k {
			b.first[m] += f.uses[i*k+m]*p[m] - a*b.perUse[(i*k+m)*n+k]*b.alpha[i]
		}
	}
	y := z[f.jobs*f.rows:]
	for m := range k {
		y[m] = b.first[m] - bz[f.jobs*f.rows+m] - b.lift[m]*up/b.level
	}
	b.outer.solve(y)
	level := (up + dot(b.lift, y)) / b.level
	x[f.jobs*n] = level
	for i := range f.jobs {
		b.back(f, i, level, y, bz, x[i*n:][:n], z)
	}
}

// back finds a job's variables and duals from the level's and the GPUs'.
func (b *bordered) back(f *fairest, i int, level float64, y, bz, x, z []float64) {
	k, n := len(f.models), f.vars
	a := *f.entry(i, k+fairRow, k)
	dual := b.alpha[i] + f.lift[i]*level/b.pivot[i]
	for m, v := range y {
		dual -= a * b.perUse[(i*k+m)*n+k] * v / b.pivot[i]
	}
	for v := range x {
		x[v] = b.p[i*n+v] - a*b.perQ[i*n+v]*dual
		for m, w := range y {
			x[v] -= b.perUse[(i*k+m)*n+v] * w
		}
	}
	for r := 0; r < f.rows; r++ {
		row, size := i*f.rows+r, 1
		if f.conic.cones[row] > 0 {
			size = 3
		}
		var of triple
		for part := range size {
			of[part] = dot(f.entries[(row+part)*n:][:n], x) - bz[row+part]
		}
		by := f.conic.unsquare(row, of)
		copy(z[row:row+size], by[:size])
		r += size - 1
	}
	z[i*f.rows+k+fairRow] = dual
}
