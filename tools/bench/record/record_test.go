package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/stats"
)

// A value is taken from the line of its benchmark and the column of its unit.
func TestParse(t *testing.T) {
	h := &headline{folder: "./x", benchmark: "BenchmarkHold/N=100", unit: "cpu-ns/op", per: 1}
	out := "goos: linux\nBenchmarkHold/N=1000-2 5 1 ns/op 7 cpu-ns/op\nBenchmarkHold/N=100-2 5 9 ns/op 8.5 cpu-ns/op 0 B/op\nPASS\n"
	if v, err := parse([]byte(out), h); err != nil || v != 8.5 {
		t.Error(v, err)
	}
	for out, says := range map[string]string{
		"PASS\n":                                  "prints no cpu-ns/op",
		"BenchmarkHold/N=100-2 5 9 ns/op\n":       "prints no cpu-ns/op",
		"BenchmarkHold/N=100-2 5 -9 cpu-ns/op\n":  "expected more than 0",
		"BenchmarkHold/N=100-2 5 NaN cpu-ns/op\n": "expected more than 0",
	} {
		if _, err := parse([]byte(out), h); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, expected %s", out, err, says)
		}
	}
}

func TestHeadlines(t *testing.T) {
	if len(headlines) != 10 {
		t.Errorf("%d headlines, the record is of 10", len(headlines))
	}
	rate := headline{per: 1e6, rate: true}
	if v := rate.value(200_000); v != 5 {
		t.Errorf("200,000 jobs a second are %v us a job, expected 5", v)
	}
	if m := stats.Median([]float64{1, 2, 4, 9}); m != 3 {
		t.Errorf("median %v, expected 3", m)
	}
}

// What is appended is read back; the last record of the same kind of machine counts.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.csv")
	old := record{place{"aaa", "2026-01-01", "2 x A"}, "timers", "ns an event", 12, 11, 13, 5}
	list := []record{old, {place{"bbb", "2026-01-02", "2 x B"}, "timers", "ns an event", 6, 5, 7, 5}, old}
	list[2].Commit, list[2].Median = "ccc", 11.5
	if err := save(path, list); err != nil {
		t.Fatal(err)
	}
	have, err := load(path)
	if err != nil || !reflect.DeepEqual(have, list) {
		t.Fatal(have, err)
	}
	if b := last(have, place{Machine: "2 x A"})["timers"]; b.Commit != "ccc" {
		t.Error(b)
	}
	if c := ratios("timers", of(have, "2 x A")); !slices.Equal(c.Y, []float64{1, 11.5 / 12}) {
		t.Error(c)
	}
	late := old
	late.Commit, late.Benchmark = "ccc", "parcae"
	if c := ratios("parcae", append(of(have, "2 x A"), late)); !slices.Equal(c.X, []float64{2}) {
		t.Errorf("a benchmark that is recorded from the second commit on lies at %v", c.X)
	}
	if err := drawTo(filepath.Join(t.TempDir(), "f.svg"), of(have, "2 x A")); err != nil {
		t.Error(err)
	}
	if err := drawTo(filepath.Join(t.TempDir(), "f.svg"), nil); err == nil || !strings.Contains(err.Error(), "two records") {
		t.Error(err)
	}
}

// The table of the repository can be read, and what cannot be says why.
func FuzzRead(f *testing.F) {
	if list, err := load(filepath.Join("..", "..", "..", table)); err != nil || len(list) == 0 {
		f.Error(len(list), err)
	}
	head := strings.Join(columns, ",") + "\n"
	f.Add([]byte(head + "aaa,2026-01-01,m,timers,ns,1,1,1,5\n"))
	f.Add([]byte(head + "aaa,2026-01-01,m,timers,ns,-1,1,1,5\n"))
	f.Add([]byte("x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := read("f.csv", bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Error(err)
			}
			return
		}
		for _, r := range list {
			if !(r.Median > 0) || r.Rounds < 1 {
				t.Error(r)
			}
		}
	})
}
