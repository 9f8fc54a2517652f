package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"p"}
{"Action":"attr","Package":"p","Test":"TestA","Key":"recorded-rows","Value":"x/testdata/a.csv 10"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"attr","Package":"p","Test":"TestB","Key":"recorded-rows","Value":"x/testdata/a.csv 10"}
{"Action":"attr","Package":"p","Test":"TestB","Key":"recorded-rows","Value":"x/testdata/b.csv 5"}
{"Action":"attr","Package":"p","Test":"TestB","Key":"recorded-missing","Value":"some-set"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:1: wrong\n"}
{"Action":"attr","Package":"p","Test":"TestC","Key":"recorded-rows","Value":"x/testdata/c.csv#half 7"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Output":"PASS\n"}
{"Action":"output","Package":"q","Output":"ok  \tq\t(cached)\n"}
{"Action":"pass","Package":"q"}
`

func TestReport(t *testing.T) {
	tally, out := newTally(), &strings.Builder{}
	if err := tally.read(strings.NewReader(events), out); err != nil {
		t.Fatal(err)
	}
	tally.report(out)
	const want = "    c_test.go:1: wrong\nFAIL\tp\t0.1s\nok  \tq\t(cached)\nrecorded rows: 17 of 2 tables compared; 5 rows of 1 tables, and 1 tests in all, " +
		"not, for want of some-set; make data gets them (make data FROM=folder from a local copy)\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out, want)
	}
	if err := tally.read(strings.NewReader(`{"Action":"attr","Test":"T","Key":"recorded-rows","Value":"a"}`), out); err == nil {
		t.Error("a table without rows was taken")
	}
}

func TestUnread(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x/testdata/a.csv.gz", "x/testdata/b.csv.gz", "x/other/c.csv.gz", ".git/testdata/d.csv.gz"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	tally := newTally()
	tally.rows["x/testdata/a.csv#half"] = 1
	if list, err := tally.unread("."); err != nil || len(list) != 1 || list[0] != "x/testdata/b.csv.gz" {
		t.Errorf("%q, %v", list, err)
	}
}

// What is pulled changes the state.
func TestState(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	before, err := pulledState()
	if err != nil {
		t.Fatal(err)
	}
	set := filepath.Join(cache, "marigram", "traces", "a")
	if err := os.MkdirAll(set, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(set, "manifest.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if after, err := pulledState(); err != nil || after == before {
		t.Errorf("%s and %s, %v", before, after, err)
	}
}
