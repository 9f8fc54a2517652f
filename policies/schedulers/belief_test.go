package schedulers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// What is left of a job, by its mean and by a part of what is possible, is that of many draws that are longer than
// what it has done.
func TestWorkLeftByBelief(t *testing.T) {
	check := near.Count(t)
	draw := rand.New(rand.NewPCG(1, 2))
	for _, l := range []law{{0, 0.5}, {-0.3, 1}, {0.2, 0.1}} {
		for _, done := range []float64{0, 80, 150} {
			sum, n, below := 0.0, 0, 0
			q := l.quantile(100, done, 0.9)
			for range 200_000 {
				if x := 100 * math.Exp(l.mu+l.sigma*draw.NormFloat64()); x > done {
					if n++; x-done <= q {
						below++
					}
					sum += x - done
				}
			}
			if n < 5000 {
				continue
			}
			if mean := l.mean(100, done); check.OffRel(mean, sum/float64(n), 0.05) {
				t.Errorf("%+v, done %v: mean %v, by draws %v", l, done, mean, sum/float64(n))
			}
			if part := float64(below) / float64(n); check.Off(part, 0.9, 0.02) {
				t.Errorf("%+v, done %v: %v are as long as the part 0.9 says", l, done, part)
			}
		}
	}
}

// What jobs took is learnt: durations that are as believed make others certain, and such as are off make them as
// uncertain as these are.
func TestBeliefIsLearnt(t *testing.T) {
	check := near.Count(t)
	var exact, off belief
	draw := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		exact.add(exact.of(""), 1)
		off.add(off.of(""), math.Exp(0.2+0.5*draw.NormFloat64()))
	}
	if l := exact.law(exact.of(""), 0.1); l.mu != 0 || check.Above(l.sigma, 0.003) {
		t.Errorf("%+v, expected none", l)
	}
	if l := off.law(off.of(""), 0.1); check.Off(l.mu, 0.2, 0.05) || check.Off(l.sigma, 0.5, 0.05) {
		t.Errorf("%+v, expected 0.2 and 0.5", l)
	}
	if got := (law{0, 0}).quantile(100, 30, 0.99); got != 70 {
		t.Errorf("known: %v, expected 70", got)
	}
}

// The law of a class, by hand: two users whose jobs differ, and what no job of a class, one class and many jobs make
// of it.
func TestBeliefByClass(t *testing.T) {
	check := near.Count(t)
	var b belief
	slow, quick, nobody := b.of("slow"), b.of("quick"), b.of("nobody")
	if b.of("slow") != slow || nobody != 2 {
		t.Fatal("a class has several numbers")
	}
	for _, ratio := range []float64{2, 4, 8} {
		b.add(slow, ratio)
	}
	if one, all := b.law(slow, 0.1), b.all(0.1); one != all {
		t.Errorf("one class: %+v, expected that of all jobs, %+v", one, all)
	}
	b.add(quick, 0.5)
	b.add(quick, 1)
	// The logarithms to the base of 2 are 1, 2, 3 and -1, 0: their mean, with one 0 before all, is 5/6, their squares
	// about it are 15-50/6+125/36 = 365/36.
	all, unit := b.all(0), math.Ln2
	if check.Off(all.mu, 5.0/6*unit, 1e-12) || check.Off(all.sigma, math.Sqrt(365.0/216)*unit, 1e-12) {
		t.Errorf("all: %+v", all)
	}
	// Within classes 2 + 1/2, of 3 degrees of freedom, and one job with 365/216; between 12+1/2-5 less one of these,
	// by 5-13/5.
	within := (2.5 + 365.0/216) / 4
	between := (7.5 - within) / 2.4
	alike := between / (between + within)
	if got := b.alike(all.sigma); check.Off(got, alike, 1e-12) {
		t.Errorf("alike %v, expected %v", got, alike)
	}
	weight := 3 * alike / (1 + 2*alike)
	got := b.law(slow, 0)
	if check.Off(got.mu, (5.0/6+weight*(2-5.0/6))*unit, 1e-12) || check.Off(got.sigma, all.sigma*math.Sqrt(1-alike*weight), 1e-12) {
		t.Errorf("slow: %+v", got)
	}
	if b.law(nobody, 0) != all {
		t.Errorf("a class of which no job has ended: %+v, expected %+v", b.law(nobody, 0), all)
	}
	copied := b.clone()
	copied.add(copied.of("new"), 5)
	if b.of("newer") != 3 || b.law(slow, 0) != got {
		t.Error("a copy changes what it was made of")
	}
	draw := rand.New(rand.NewPCG(5, 6))
	var many, none belief
	for k := range 60_000 {
		many.add(many.of([]string{"a", "b", "c"}[k%3]), math.Exp(float64(k%3)+0.3*draw.NormFloat64()))
		none.add(none.of([]string{"a", "b", "c"}[k%3]), math.Exp(0.5*draw.NormFloat64()))
	}
	for k, name := range []string{"a", "b", "c"} {
		if l := many.law(many.of(name), 0.1); check.Off(l.mu, float64(k), 0.02) || check.Off(l.sigma, 0.3, 0.1) {
			t.Errorf("%s: %+v, expected %d and 0.3", name, l, k)
		}
		if l := none.law(none.of(name), 0.1); check.Off(l.mu, 0, 0.02) || check.Off(l.sigma, 0.5, 0.02) {
			t.Errorf("%s, which is as the others: %+v", name, l)
		}
	}
}

// Once a class is known, nothing that is learnt needs memory.
func TestBeliefAllocatesNothing(t *testing.T) {
	var b belief
	b.of("a")
	if n := testing.AllocsPerRun(100, func() { b.add(b.of("a"), 2); b.law(b.of("a"), 0.1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
