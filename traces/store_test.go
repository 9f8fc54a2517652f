package traces

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write FORMATS.md")

func TestSchema(t *testing.T) {
	want := FormatsSchema()
	if *update {
		if err := os.WriteFile("FORMATS.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("FORMATS.md")
	if err != nil || string(got) != want {
		t.Errorf("FORMATS.md is not what the code says (%v); run go test ./traces -run TestSchema -update", err)
	}
	for _, f := range Formats() {
		s := textSource(t, "example", []byte(f.Example), windowBytes)
		if im := recognise(s); im == nil || im.Name != f.Name {
			t.Errorf("the example of %s is recognised as %v", f.Name, im)
		}
		b := newBuild(Options{Polarity: OneIsAvailable, Start: time.Unix(1e9, 0)})
		im, err := importerNamed(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.add(s, im); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		} else if _, err := b.finish(im, b.collect); err != nil {
			t.Errorf("the example of %s: %v", f.Name, err)
		}
	}
}

func TestStoreRoundTrip(t *testing.T) {
	notice := int64(120e6)
	s := mustSynthetic(t, 4, SyntheticPools(2, 2, p32), 48*time.Hour)
	s.InstanceEvents = []InstanceEventRow{
		{T: 5, PoolID: 1, InstanceID: "i-1", Kind: KindRunning, Reason: "unknown"},
		{T: 5, Seq: 1, PoolID: 1, InstanceID: "i-1", Kind: KindPreempt, Reason: "capacity", NoticeUs: &notice, Synthetic: true},
	}
	s.Gaps = []GapRow{{PoolID: 3, TStart: 1, TEnd: 2, Why: "the collector slept"}}
	s.Manifest.Rows = s.Counts()
	dir := filepath.Join(t.TempDir(), "new", "trace")
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, report, err := Load(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, s) {
		t.Error("what was read differs from what was written")
	}
	if report.Rows != len(s.Prices)+len(s.Capacity)+2 || report.Pools != 4 {
		t.Errorf("report %+v", report)
	}
	other := t.TempDir()
	if err := got.Write(other); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{poolsFile, pricesFile, capacityFile, eventsFile, gapsFile} {
		a, errA := os.ReadFile(filepath.Join(dir, name))
		b, errB := os.ReadFile(filepath.Join(other, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the same rows made other bytes (%v, %v)", name, errA, errB)
		}
	}
}

func TestStoreReplaces(t *testing.T) {
	dir := t.TempDir()
	if err := mustSynthetic(t, 1, SyntheticPools(1, 1, p32), time.Hour).Write(dir); err != nil {
		t.Fatal(err)
	}
	s, _ := mustImport(t, "", Options{}, file(t, "n.csv", "0,add,a\n"))
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) != 2 {
		t.Errorf("the folder holds %v, expected pools and events only", names)
	}
	if got, err := Read(dir); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("read %v", err)
	}
}

func TestStoreRefuses(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for seed, dir := range []string{a, b} {
		if err := mustSynthetic(t, uint64(seed), SyntheticPools(1, 2, p32), 24*time.Hour).Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(b, pricesFile), filepath.Join(a, pricesFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(a); err == nil || !strings.Contains(err.Error(), "parts of two traces") {
		t.Errorf("parts of two traces: %v", err)
	}
	if _, err := Read(b); err == nil || !strings.Contains(err.Error(), "manifest counts") {
		t.Errorf("a table is gone: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
	if err := os.Truncate(filepath.Join(b, poolsFile), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(b); err == nil || !strings.Contains(err.Error(), poolsFile) {
		t.Errorf("damaged: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(*Set){
		"pool_id 7":                   func(s *Set) { s.Prices[0].PoolID = 7 },
		"expected ascending order":    func(s *Set) { s.Capacity[0].T = s.Capacity[1].T + 1 },
		"of cap":                      func(s *Set) { s.Capacity[0].Available = 99 },
		"nano-USD/h":                  func(s *Set) { s.Prices[0].PriceNanoUSD = -1 },
		"used twice":                  func(s *Set) { s.Pools[1].Name = s.Pools[0].Name },
		"pools row 1":                 func(s *Set) { s.Pools[1].PoolID = 0 },
		"expected to end after":       func(s *Set) { s.Gaps = []GapRow{{TStart: 5, TEnd: 5}} },
		"gaps row 0: pool_id":         func(s *Set) { s.Gaps = []GapRow{{PoolID: -1, TStart: 5, TEnd: 6}} },
		"manifest counts":             func(s *Set) { s.Manifest.Rows.Prices++ },
		"before the last row":         func(s *Set) { s.Manifest.TEndUs = 1 },
		"before its start":            func(s *Set) { s.Manifest.TStartUs = s.Manifest.TEndUs + 1 },
		"every -1 us":                 func(s *Set) { s.Manifest.SamplingUs = -1 },
		"observation from -1 us":      func(s *Set) { s.Manifest.TStartUs = -1 },
		"t -1 us":                     func(s *Set) { s.Prices[0].T = -1 },
		"on-demand price out of":      func(s *Set) { *s.Pools[0].OnDemandNano = -1 },
		"(t, seq) (0, 0) after (0, 0": func(s *Set) { s.Capacity[1].T, s.Capacity[1].Seq = 0, 0 },
	} {
		s := mustSynthetic(t, 4, SyntheticPools(1, 2, p32), 48*time.Hour)
		spoil(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
		if err := s.Write(t.TempDir()); err == nil {
			t.Errorf("%s: written all the same", want)
		}
	}
}

// A write that fails leaves the folder as it was.
func TestWriteAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	s, _ := mustImport(t, "", Options{}, file(t, "a.json", awsPageJSON("", awsRowJSON("us-east-1b", "2", t0))))
	if err := os.Mkdir(filepath.Join(dir, poolsFile), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(dir); err == nil {
		t.Fatal("wrote over a folder")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}
