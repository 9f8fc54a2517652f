package main

import (
	"strings"
	"testing"
)

func TestEnginesRunTheSameModel(t *testing.T) {
	if err := verify(); err != nil {
		t.Error(err)
	}
}

func TestMM1(t *testing.T) {
	q := &mm1{luck: 1}
	if mean := q.serve(1_000_000); mean < 4.9 || mean > 5.05 {
		t.Errorf("customers spend %v s in the mean, want 4.9 to 5.05 (theory: 5)", mean)
	}
}

func TestReport(t *testing.T) {
	entries := func(theirs ...float64) []*entry {
		return []*entry{
			{load: "hold", engine: "ours", ns: []float64{9, 10, 30}},
			{load: "hold", engine: "theirs", goal: 40, ns: theirs},
			{load: "mm1", engine: "ours", ns: []float64{70}},
			{load: "mm1", engine: "theirs", goal: 2, absent: "not installed"},
		}
	}
	for _, c := range []struct {
		theirs []float64
		met    bool
		want   string
	}{
		{[]float64{600, 400, 100}, true, "400.0 [100.0-600.0] 40.0 >= 40: met"},
		{[]float64{600, 399, 100}, false, "399.0 [100.0-600.0] 39.9 >= 40: MISSED"},
	} {
		var out strings.Builder
		if met := report(&out, entries(c.theirs...)); met != c.met {
			t.Errorf("theirs %v: met %v, want %v", c.theirs, met, c.met)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range []string{c.want, ">= 2: open", "not run: not installed"} {
			if !strings.Contains(text, want) {
				t.Errorf("theirs %v: the report lacks %q:\n%s", c.theirs, want, out.String())
			}
		}
	}
}

func TestAbsentInterpreter(t *testing.T) {
	if s := findSimPy("no-such-python"); s.absent == "" {
		t.Error("an interpreter that does not exist is taken for SimPy's")
	}
}

func TestSimPy(t *testing.T) {
	s := findSimPy("/usr/bin/python3")
	if s.absent != "" {
		t.Skip("no SimPy:", s.absent)
	}
	out, cpu, err := s.call("mm1", 20_000)
	if err != nil || out.Events != 20_000 || out.Sojourn < 3.5 || out.Sojourn > 6.5 || cpu <= 0 {
		t.Errorf("mm1 of 20,000 customers: %+v, %v CPU, %v", out, cpu, err)
	}
}

func TestNS3(t *testing.T) {
	s := findNS3(t.TempDir())
	if s.absent != "" {
		t.Skip("no ns-3:", s.absent)
	}
	const n, events = 10_000, 100_000
	want := holdTimers(n, events).sum
	for _, scheduler := range ns3Schedulers {
		if got, err := s.call(scheduler, n, events); err != nil || got.sum != want || got.ns <= 0 {
			t.Errorf("%s: %+v, %v, want instants that sum to %#x", scheduler, got, err, want)
		}
	}
}

func TestDuckDB(t *testing.T) {
	if testing.Short() {
		t.Skip("short: DuckDB is another program")
	}
	table, err := writePrices(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := findDuckDB(table)
	if d.absent != "" {
		t.Skip("no DuckDB:", d.absent)
	}
	if sums, _, cpu, err := d.call(1); err != nil || len(sums) != scanPools || cpu <= 0 {
		t.Errorf("%d pools, %v, %v, want %d", len(sums), cpu, err, scanPools)
	}
}
