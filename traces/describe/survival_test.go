package describe

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// Worked out by hand. Six machines: one dies after 1 h, two after 2 h while one
// is stopped, one is there after 3 h when last seen, one dies after 4 h.
// S(1) = 5/6, S(2) = 5/6 * 3/5 = 1/2, S(4) = 1/2 * 0/1 = 0.
func TestSurvivalCurve(t *testing.T) {
	check := near.Count(t)
	s := KaplanMeier(sampleLifetimes(4, -2, 1, 2, -3, 2))
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ hours, alive float64 }{{0, 1}, {.99, 1}, {1, 5. / 6}, {2, .5}, {3.9, .5}, {4, 0}, {9, 0}} {
		if got, _ := s.At(c.hours); check.Off(got, c.alive, 1e-15) {
			t.Errorf("S(%v) is %v, expected %v", c.hours, got, c.alive)
		}
	}
	for _, c := range []struct{ u, hours float64 }{{0, 1}, {.16, 1}, {.17, 2}, {.49, 2}, {.51, 4}, {.999, 4}} {
		if got := s.Quantile(c.u); got != c.hours {
			t.Errorf("the share %v lives %v h, expected %v", c.u, got, c.hours)
		}
	}
}

// Half of the machines are still there after 10 h: three quarters live at most
// twice as long, by the exponential through (10 h, 1/2).
func TestSurvivalTail(t *testing.T) {
	check := near.Count(t)
	s := KaplanMeier(sampleLifetimes(5, -10))
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if got := s.Quantile(.75); check.Off(got, 20, 1e-12) {
		t.Errorf("three quarters live %v h, expected 20", got)
	}
	if got := s.Quantile(.4); got != 5 {
		t.Errorf("two fifths live %v h, expected 5", got)
	}
	if err := KaplanMeier(sampleLifetimes(-5)).Check(); err == nil || err.Error() != "none of 1 machines was lost, expected at least one" {
		t.Error(err)
	}
}

func TestExponentialLifetime(t *testing.T) {
	check := near.Count(t)
	if got := ExponentialLifetime(3).Quantile(1 - 1/math.E); check.Off(got, 3, 1e-12) {
		t.Errorf("quantile %v, expected the mean", got)
	}
}

func TestRecordedLifetimes(t *testing.T) {
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "n.csv",
		"0,add,a\n0,add,b\n3600000,remove,a\n7200000,add,a\n10800000,remove,a\n14400000,add,c\n"))
	all, _ := Lifetimes(s)
	want := []Lifetime{{0, 0, tracetest.HourUs, true}, {0, 2 * tracetest.HourUs, 3 * tracetest.HourUs, true}, {0, 0, 4 * tracetest.HourUs, false},
		{0, 4 * tracetest.HourUs, 4 * tracetest.HourUs, false}}
	if !slices.Equal(all, want) {
		t.Fatalf("lifetimes %+v, expected %+v", all, want)
	}
	l, err := RecordedLifetimes(s)
	if err != nil || l.String() != "kaplan_meier(of="+s.Manifest.TraceID+",steps=1,longest=4h)" {
		t.Errorf("%v %v", l, err)
	}
	if p, err := RecordedLifetimes(s, 0); err != nil || p.Quantile(.5) != 1 || !strings.Contains(p.String(), "/"+s.Pools[0].Name) {
		t.Errorf("of one pool: %v %v", p, err)
	}
}

// What is read is drawn from as what was written; the columns of the estimate are not
// kept.
func TestSurvivalJSON(t *testing.T) {
	v := KaplanMeier(sampleLifetimes(4, -2, 1, 2, -3, 2, -9))
	text, err := json.Marshal(v)
	if want := `{"hours":[1,2,4],"survival":[0.8571428571428572,0.5714285714285715,0.28571428571428575],"longest_h":9}`; err != nil || string(text) != want {
		t.Errorf("%s %v, expected %s", text, err, want)
	}
	var w Survival
	if err := json.Unmarshal(text, &w); err != nil || w.Check() != nil {
		t.Fatal(err, w.Check())
	}
	for _, u := range []float64{0, .1, .5, .74, .9} {
		if v.Quantile(u) != w.Quantile(u) {
			t.Errorf("the share %v lives %v h as estimated, %v h as read", u, v.Quantile(u), w.Quantile(u))
		}
	}
	for _, bad := range []string{
		`{}`, `{"hours":[1],"survival":[],"longest_h":1}`, `{"hours":[1,1],"survival":[0.5,0.2],"longest_h":1}`, `{"hours":[1],"survival":[1],"longest_h":1}`,
		`{"hours":[1],"survival":[0.5],"longest_h":0.5}`, `{"hours":[1],"survival":[0.5],"longest_h":1,"more":1}`,
	} {
		if err := json.Unmarshal([]byte(bad), &w); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
