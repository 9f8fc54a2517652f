package traces

import (
	"math"
	"strings"
	"testing"
)

// Worked out by hand. Six machines: one dies after 1 h, two after 2 h while one
// is stopped, one is there after 3 h when last seen, one dies after 4 h.
// S(1) = 5/6, S(2) = 5/6 * 3/5 = 1/2, S(4) = 1/2 * 0/1 = 0.
func TestCurve(t *testing.T) {
	s, err := kaplanMeier([]lived{{4, true}, {2, false}, {1, true}, {2, true}, {3, false}, {2, true}})
	if err != nil || s.check() != nil {
		t.Fatal(err, s.check())
	}
	for _, c := range []struct{ hours, alive float64 }{{0, 1}, {.99, 1}, {1, 5. / 6}, {2, .5}, {3.9, .5}, {4, 0}, {9, 0}} {
		if got := s.at(c.hours); math.Abs(got-c.alive) > 1e-15 {
			t.Errorf("S(%v) is %v, expected %v", c.hours, got, c.alive)
		}
	}
	for _, c := range []struct{ u, hours float64 }{{0, 1}, {.16, 1}, {.17, 2}, {.49, 2}, {.51, 4}, {.999, 4}} {
		if got := s.quantile(c.u); got != c.hours {
			t.Errorf("the share %v lives %v h, expected %v", c.u, got, c.hours)
		}
	}
}

// Half of the machines are still there after 10 h: three quarters live at most
// twice as long, by the exponential through (10 h, 1/2).
func TestCurveTail(t *testing.T) {
	s, err := kaplanMeier([]lived{{5, true}, {10, false}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.quantile(.75); math.Abs(got-20) > 1e-12 {
		t.Errorf("three quarters live %v h, expected 20", got)
	}
	if got := s.quantile(.4); got != 5 {
		t.Errorf("two fifths live %v h, expected 5", got)
	}
	if _, err := kaplanMeier([]lived{{5, false}}); err == nil {
		t.Error("a curve without a death")
	}
	if d := s.distance(&survival{Hours: []float64{6}, Alive: []float64{.2}, Longest: 6}, 10); math.Abs(d-.5) > 1e-15 {
		t.Errorf("distance %v, expected .5 between 5 h and 6 h", d)
	}
}

func TestExponentialLife(t *testing.T) {
	if got := ExponentialLife(3).Quantile(1 - 1/math.E); math.Abs(got-3) > 1e-12 {
		t.Errorf("quantile %v, expected the mean", got)
	}
}

func TestRecordedLives(t *testing.T) {
	s, _ := mustImport(t, "", Options{}, file(t, "n.csv", "0,add,a\n0,add,b\n3600000,remove,a\n7200000,add,a\n10800000,remove,a\n14400000,add,c\n"))
	lives := newHistory(s).lives[0]
	want := []lived{{1, true}, {1, true}, {4, false}}
	for i, w := range want {
		if len(lives) != len(want) || lives[i] != w {
			t.Fatalf("lives %+v, expected %+v: c came at the end", lives, want)
		}
	}
	l, err := RecordedLives(s)
	if err != nil || l.String() != "kaplan_meier(of="+s.Manifest.TraceID+",steps=1,longest=4h)" {
		t.Errorf("%v %v", l, err)
	}
	if p, err := RecordedLives(s, 0); err != nil || p.Quantile(.5) != 1 || !strings.Contains(p.String(), "/"+s.Pools[0].Name) {
		t.Errorf("of one pool: %v %v", p, err)
	}
}
