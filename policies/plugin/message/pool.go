package message

// What follows is the flat form.

const (
	flatAskPool    = 8
	flatPoolAnswer = 9
)

func (w *flatWriter) terms(b *Begin) {
	w.u32(len(b.Terms))
	for i := range b.Terms {
		t := &b.Terms[i]
		w.u32(len(t.Above))
		for _, name := range t.Above {
			w.text(name)
		}
		w.u32(flag(t.Reserved, 1))
		w.f64(t.NoticeMissing)
		w.text(t.Victim)
		w.opt(t.UntilS)
		w.f64(t.WaitS)
		w.f64(t.WaitSigma)
		w.f64(t.LengthS)
		w.opt(t.IncrementS)
		w.opt(t.MinimumS)
	}
	w.u32(len(b.Limits))
	for _, l := range b.Limits {
		w.text(l.Name)
		w.list(l.Pools)
		w.u32(l.Instances)
	}
	w.u32(len(b.Names))
	for _, name := range b.Names {
		w.text(name)
	}
}

func (r *flatReader) terms(b *Begin) {
	for n := r.count(64); n > 0; n-- {
		var t Terms
		for k := r.count(4); k > 0; k-- {
			t.Above = append(t.Above, r.text())
		}
		t.Reserved, t.NoticeMissing, t.Victim = r.u32() != 0, r.f64(), r.text()
		t.UntilS, t.WaitS, t.WaitSigma, t.LengthS, t.IncrementS, t.MinimumS = r.opt(), r.f64(), r.f64(), r.f64(), r.opt(), r.opt()
		b.Terms = append(b.Terms, t)
	}
	for n := r.count(12); n > 0; n-- {
		b.Limits = append(b.Limits, Limit{r.text(), r.list(), int(r.u32())})
	}
	for n := r.count(4); n > 0; n-- {
		b.Names = append(b.Names, r.text())
	}
}

func (w *flatWriter) askPool(q *Ask) {
	w.u32(flatAskPool)
	w.u32(q.Job)
	w.number(q.Pool)
	w.number(q.From)
	w.opt(q.AtS)
}

func (r *flatReader) askPool() *Ask {
	q := &Ask{Job: int(r.u32())}
	q.Pool, q.From = keep(&r.ints, int(r.u32())), r.number()
	if at := r.f64(); at == at {
		q.AtS = keep(&r.numbers, at)
	}
	return q
}

func (w *flatWriter) poolAnswer(a *PoolAnswer) {
	w.u32(flatPoolAnswer)
	w.f64(a.Price)
	w.opt(a.RefusedS)
	w.opt(a.TakenS)
	w.u32(a.Removals)
	w.u32(a.Arrivals)
	w.u32(a.Grants)
	w.f64(a.HeldS)
	w.f64(a.WaitedS)
	w.u32(flag(a.HasState, 1))
	w.f64(a.MoveUSD)
	w.f64(a.MoveS)
	w.u32(len(a.LeavingS))
	for _, s := range a.LeavingS {
		w.f64(s)
	}
}

// ParsePoolAnswer reads the answer to a question about a pool in its flat form; nil where there is none, since the
// question named no pool or job, or the future.
func ParsePoolAnswer(message []byte) (*PoolAnswer, error) {
	r := flatReader{b: message}
	if other := r; other.u32() == flatAnswer {
		return nil, nil
	}
	r.kind(flatPoolAnswer)
	a := &PoolAnswer{Price: r.f64(), RefusedS: r.opt(), TakenS: r.opt(), Removals: int(r.u32()), Arrivals: int(r.u32()), Grants: int(r.u32()),
		HeldS: r.f64(), WaitedS: r.f64(), HasState: r.u32() != 0, MoveUSD: r.f64(), MoveS: r.f64()}
	for n := r.count(8); n > 0; n-- {
		a.LeavingS = append(a.LeavingS, r.f64())
	}
	return a, r.err
}
