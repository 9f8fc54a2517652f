package traces_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth"
)

// syntheticSet makes prices and counts of pools of 16 machines.
func syntheticSet(t testing.TB, seed uint64, regions, zones int, span time.Duration) *traces.Set {
	t.Helper()
	like := synth.SyntheticPool{InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16}
	s, err := synth.DefaultSynthetic().Set(seed, synth.SyntheticPools(regions, zones, like), span)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreRoundTrip(t *testing.T) {
	notice := int64(120e6)
	s := syntheticSet(t, 4, 2, 2, 48*time.Hour)
	s.InstanceEvents = []traces.InstanceEventRow{
		{T: 5, PoolID: 1, InstanceID: "i-1", Kind: traces.KindRunning, Reason: "unknown"},
		{T: 5, Seq: 1, PoolID: 1, InstanceID: "i-1", Kind: traces.KindPreempt, Reason: "capacity", NoticeUs: &notice, Synthetic: true},
	}
	s.Gaps = []traces.GapRow{{PoolID: 3, TStart: 1, TEnd: 2, Why: "the collector slept"}}
	s.Manifest.Rows = s.Counts()
	dir := filepath.Join(t.TempDir(), "new", "trace")
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := traces.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, s) {
		t.Error("what was read differs from what was written")
	}
	if report := got.Report(); report.Rows != len(s.Prices)+len(s.Capacity)+2 || report.Pools != 4 {
		t.Errorf("report %+v", report)
	}
	other := t.TempDir()
	if err := got.Write(other); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pools.parquet", "prices.parquet", "capacity.parquet", "instance_events.parquet", "gaps.parquet"} {
		a, errA := os.ReadFile(filepath.Join(dir, name))
		b, errB := os.ReadFile(filepath.Join(other, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the same rows made other bytes (%v, %v)", name, errA, errB)
		}
	}
}

func TestStoreReplaces(t *testing.T) {
	dir := t.TempDir()
	if err := syntheticSet(t, 1, 1, 1, time.Hour).Write(dir); err != nil {
		t.Fatal(err)
	}
	s := &traces.Set{Pools: []traces.Pool{{Name: "n"}}, InstanceEvents: []traces.InstanceEventRow{{InstanceID: "a", Kind: traces.KindRunning,
		Reason: traces.ReasonUnknown}}}
	s.Manifest = traces.Manifest{SchemaVersion: traces.SchemaVersion, Rows: s.Counts()}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) != 2 {
		t.Errorf("the folder holds %v, expected pools and events only", names)
	}
	if got, err := traces.Read(dir); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("read %v", err)
	}
}

func TestStoreRefuses(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for seed, dir := range []string{a, b} {
		if err := syntheticSet(t, uint64(seed), 1, 2, 24*time.Hour).Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(b, "prices.parquet"), filepath.Join(a, "prices.parquet")); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(string) (*traces.Set, error){traces.Read, readApart} {
		if _, err := read(a); err == nil || !strings.Contains(err.Error(), "parts of two traces") {
			t.Errorf("parts of two traces: %v", err)
		}
		if _, err := read(b); err == nil || !strings.Contains(err.Error(), "manifest counts") {
			t.Errorf("a table is gone: %v", err)
		}
		if _, err := read(t.TempDir()); err == nil {
			t.Error("an empty folder was read")
		}
	}
	if err := os.Truncate(filepath.Join(b, "pools.parquet"), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := traces.Read(b); err == nil || !strings.Contains(err.Error(), "pools.parquet") {
		t.Errorf("damaged: %v", err)
	}
}

func readApart(dir string) (*traces.Set, error) {
	return traces.ReadApart(dir, func([]traces.PriceAt) {})
}

// Prices that are read apart are those of the set, and what is wrong with them is said.
func TestReadApart(t *testing.T) {
	dir := t.TempDir()
	whole := syntheticSet(t, 4, 2, 2, 48*time.Hour)
	if err := whole.Write(dir); err != nil {
		t.Fatal(err)
	}
	var got, want []traces.PriceAt
	for _, r := range whole.Prices {
		want = append(want, traces.PriceAt{T: r.T, Seq: r.Seq, PoolID: r.PoolID, PriceNanoUSD: r.PriceNanoUSD})
	}
	rest, err := traces.ReadApart(dir, func(rows []traces.PriceAt) { got = append(got, rows...) })
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%d prices, expected the %d that were written; %v", len(got), len(want), err)
	}
	without := *whole
	if without.Prices = nil; !reflect.DeepEqual(rest, &without) {
		t.Error("the rest of the set is not what was written")
	}
	path := filepath.Join(dir, "prices.parquet")
	rows, meta, err := columnar.Read[traces.PriceRow](path)
	if err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*traces.PriceRow){
		"pool_id 7":                func(r *traces.PriceRow) { r.PoolID = 7 },
		"nano-USD/h":               func(r *traces.PriceRow) { r.PriceNanoUSD = -1 },
		"expected ascending order": func(r *traces.PriceRow) { r.T, r.Seq = 0, 0 },
		"before the last row":      func(r *traces.PriceRow) { r.T = whole.Manifest.TEndUs + 1 },
	} {
		bad := slices.Clone(rows)
		spoil(&bad[len(bad)-1])
		if err := columnar.Write(path, meta, bad); err != nil {
			t.Fatal(err)
		}
		_, apart := readApart(dir)
		_, together := traces.Read(dir)
		for _, err := range []error{apart, together} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, expected %s", err, want)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(*traces.Set){
		"pool_id 7":                   func(s *traces.Set) { s.Prices[0].PoolID = 7 },
		"expected ascending order":    func(s *traces.Set) { s.Capacity[0].T = s.Capacity[1].T + 1 },
		"of cap":                      func(s *traces.Set) { s.Capacity[0].Available = 99 },
		"nano-USD/h":                  func(s *traces.Set) { s.Prices[0].PriceNanoUSD = -1 },
		"used twice":                  func(s *traces.Set) { s.Pools[1].Name = s.Pools[0].Name },
		"pools row 1":                 func(s *traces.Set) { s.Pools[1].PoolID = 0 },
		"expected to end after":       func(s *traces.Set) { s.Gaps = []traces.GapRow{{TStart: 5, TEnd: 5}} },
		"gaps row 0: pool_id":         func(s *traces.Set) { s.Gaps = []traces.GapRow{{PoolID: -1, TStart: 5, TEnd: 6}} },
		"manifest counts":             func(s *traces.Set) { s.Manifest.Rows.Prices++ },
		"before the last row":         func(s *traces.Set) { s.Manifest.TEndUs = 1 },
		"before its start":            func(s *traces.Set) { s.Manifest.TStartUs = s.Manifest.TEndUs + 1 },
		"every -1 us":                 func(s *traces.Set) { s.Manifest.SamplingUs = -1 },
		"observation from -1 us":      func(s *traces.Set) { s.Manifest.TStartUs = -1 },
		"t -1 us":                     func(s *traces.Set) { s.Prices[0].T = -1 },
		"on-demand price out of":      func(s *traces.Set) { *s.Pools[0].OnDemandNano = -1 },
		"(t, seq) (0, 0) after (0, 0": func(s *traces.Set) { s.Capacity[1].T, s.Capacity[1].Seq = 0, 0 },
	} {
		s := syntheticSet(t, 4, 1, 2, 48*time.Hour)
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
	s := syntheticSet(t, 1, 1, 1, time.Hour)
	if err := os.Mkdir(filepath.Join(dir, "pools.parquet"), 0o777); err != nil {
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
