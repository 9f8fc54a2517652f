package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/testutil"
)

func ptr[T any](v T) *T { return &v }

// summary is a row whose books balance.
func summary(run int64) Summary {
	return Summary{
		Run: run, Scenario: "study", Objective: "12 h", Policy: "reactive", Seed: run / 3,
		Market: "two-zones (synthetic)", Replay: "capacity step", Unit: BySeed,
		ObjectiveLoss: 0.5, ObjectiveS: 43200, Finished: true, FinishS: ptr(50000.0), MissedByS: ptr(6800.0),
		LossReached: 0.5, Progress: 1, Iterations: 1e5, Samples: 1.28e7,
		CostUSD: 12.5, CostSpotUSD: 8, CostOnDemandUSD: 2, CostPSUSD: 1, CostStorageUSD: 0.5, CostTopupUSD: 1.25, RefundUSD: 0.25,
		Preemptions: 3, Notices: 2, Unannounced: 1, Requests: 9, Grants: 8, Decisions: 40, Wakes: 20, PlanChanges: 12, QuotaRefusals: 1,
		InstanceH: 36, UsefulH: 20, RedundantH: 1, CheckpointingH: 2, RestoringH: 3, ReconfiguringH: 1, LostH: 4, WaitingH: 3, StartingH: 2,
		HorizonS: 129600, Warnings: "",
	}
}

func testSet() Set {
	s := Set{Provenance: Provenance{
		Version: "1.0.0", Commit: "abc", SpecName: "study", SpecSHA256: "00ff",
		Inputs: []Input{{"prices.csv", "01"}, {"profile \"a\".yaml", "02"}}, Seed: math.MaxInt64,
		CommandLine: []string{"marigram", "run", "a b.yaml"}, GOARCH: "amd64", SchemaVersion: SchemaVersion,
	}}
	for i := range int64(5) {
		s.Summaries = append(s.Summaries, summary(i))
	}
	late := &s.Summaries[4]
	late.Finished, late.FinishS, late.MissedByS, late.Warnings = false, nil, nil, "cut at the horizon"
	late.LossReached = math.Inf(1)
	for i := range 4 {
		s.Spans = append(s.Spans, Span{
			Policy: "reactive", Scenario: "study", Objective: "12 h", StartS: float64(i), EndS: float64(i + 1),
			Pool: "a", InstanceType: "p3", Market: Spot, PriceUSDPerH: 3.06, Capacity: ptr(int32(i)), Ready: 2, Activity: "useful", CostUSD: float64(i),
		})
	}
	s.Spans[1].Capacity = nil
	s.Decisions = []Decision{{Policy: "reactive", AtS: 1, Trigger: "start", State: "2 pools", Plan: "2 p3", Reason: "cheapest", Changed: true, RemainingS: 43199}}
	s.Candidates = []Candidate{{Policy: "reactive", AtS: 1, Name: "2 p3", Score: 1.5, Unit: "USD", Note: "in time", Chosen: true},
		{Policy: "reactive", AtS: 1, Name: "nothing", Score: math.Inf(1), Unit: "USD"}}
	s.Instances = []Instance{{Policy: "reactive", Pool: "a", InstanceType: "p3", Market: Spot, GrantedS: 1, ReadyS: ptr(61.0), EndS: 4, End: Held}}
	s.Outages = []Outage{{Policy: "reactive", Pool: "a", InstanceType: "p3", Machine: 2, FromS: 3, UntilS: 4, Cause: "failed", End: Down}}
	s.Slow = []Slow{{Policy: "reactive", Pool: "a", InstanceType: "p3", Machine: 2, FromS: 3, UntilS: 4, EndsS: ptr(5.0), Times: 1.5, Did: "replaced",
		DidS: ptr(4.0), CostS: 600}}
	s.Jobs = []Job{{Policy: "reactive", ID: "j0", GPUs: 4, Weight: 1, StartS: ptr(2.0), DeadlineS: ptr(60.0), DeadlineMet: ptr(true)},
		{Policy: "reactive", Number: 1, ID: "j1"}}
	return s
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	want := testSet()
	if err := WriteAll(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v\nwant\n%+v", got, want)
	}
	rows, p, _, err := readSummaries(filepath.Join(dir, SummaryFile))
	if err != nil || !reflect.DeepEqual(rows, want.Summaries) || !reflect.DeepEqual(p, want.Provenance) {
		t.Errorf("the summaries alone differ: %v", err)
	}
}

// A Writer that is fed run by run gives the bytes of one that has all at once.
func TestWriterBatches(t *testing.T) {
	rows := make([]Summary, gather+5)
	for i := range rows {
		rows[i] = summary(int64(i))
	}
	whole, parts := t.TempDir(), t.TempDir()
	if err := WriteAll(whole, Set{Summaries: rows}); err != nil {
		t.Fatal(err)
	}
	w, err := Create(parts, Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(rows); from += 1000 {
		if err := w.Append(Set{Summaries: rows[from:min(from+1000, len(rows))]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(filepath.Join(whole, SummaryFile))
	b, _ := os.ReadFile(filepath.Join(parts, SummaryFile))
	if len(a) == 0 || string(a) != string(b) {
		t.Errorf("%d bytes at once, %d in parts", len(a), len(b))
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(s *Summary)
		says  string
	}{
		{"dollars", func(s *Summary) { s.CostUSD += 0.01 }, "cost_usd"},
		{"dollars that are no number", func(s *Summary) { s.CostUSD = math.NaN() }, "cost_usd"},
		{"dollars without end", func(s *Summary) { s.CostUSD, s.CostSpotUSD = math.Inf(1), math.Inf(1) }, "cost_usd"},
		{"hours", func(s *Summary) { s.LostH = 0 }, "instance_h"},
		{"a refund that costs", func(s *Summary) { s.CostUSD, s.RefundUSD = 13, -0.25 }, "refund_usd"},
		{"a finish without a time", func(s *Summary) { s.FinishS = nil }, "finish_s"},
		{"met too late", func(s *Summary) { s.Met, s.MissedByS = true, nil }, "met"},
		{"late by nothing", func(s *Summary) { s.MissedByS = nil }, "missed_by_s"},
	}
	for _, test := range tests {
		s := summary(7)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		test.spoil(&s)
		err := s.Check()
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "run 7 (reactive") {
			t.Errorf("%s: %v, want an error with run 7 and %s", test.name, err, test.says)
		}
	}
}

// Whatever fails, no part of a new set is left.
func TestNoHalfSet(t *testing.T) {
	dir := t.TempDir()
	bad := testSet()
	bad.Decisions[0].Reason = "\xff"
	if err := WriteAll(dir, bad); err == nil {
		t.Error("a text that is not UTF-8 was written")
	}
	wantFiles(t, dir)
	bad = testSet()
	bad.Summaries[0].CostUSD = 1e9
	if err := WriteAll(dir, bad); err == nil {
		t.Error("books that do not balance were written")
	}
	wantFiles(t, dir)
	if err := os.Mkdir(filepath.Join(dir, SummaryFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteAll(dir, testSet()); err == nil {
		t.Error("a folder was written over")
	}
	wantFiles(t, dir, SummaryFile)
}

// The last rename is refused, after the others.
func TestRefusedRename(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, testSet().Provenance)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, SummaryFile, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a folder was written over")
	}
	wantFiles(t, dir, SummaryFile)
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	wantFiles(t, dir)
}

func TestMixedSets(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	one, other := testSet(), testSet()
	other.Provenance.Seed = 2
	if err := WriteAll(a, one); err != nil {
		t.Fatal(err)
	}
	if err := WriteAll(b, other); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(b, SpansFile), filepath.Join(a, SpansFile)); err != nil {
		t.Fatal(err)
	}
	_, err := ReadAll(a)
	wantError(t, err, SpansFile, "another study")
	_, err = ReadAll(b)
	wantError(t, err, SpansFile, "no such file")
}

// A folder of an older version is refused as such, not as one with tables missing.
func TestOlderSet(t *testing.T) {
	dir := t.TempDir()
	old := testSet()
	old.Provenance.SchemaVersion = 2
	type summary struct { // that of version 2 had no unit
		Run int64 `col:"run"`
	}
	if err := columnar.Write(filepath.Join(dir, SummaryFile), old.Provenance.Meta(), []summary{{1}}); err != nil {
		t.Fatal(err)
	}
	_, err := ReadAll(dir)
	wantError(t, err, dir, "schema version 2", "expected 9 to")
}

func TestProvenance(t *testing.T) {
	want := testSet().Provenance
	got, err := provenanceOf(want.Meta())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for key := range want.Meta() {
		meta := want.Meta()
		delete(meta, key)
		_, err := provenanceOf(meta)
		wantError(t, err, key)
	}
	for key, value := range map[string]string{keySeed: "1.5", keyInputs: "[", keyCommand: "{}", keySchema: strconv.Itoa(SchemaVersion + 1), keyArch: ""} {
		meta := want.Meta()
		meta[key] = value
		_, err := provenanceOf(meta)
		if key != keyArch {
			wantError(t, err, value)
		} else if err != nil {
			t.Error(err)
		}
	}
}

func TestSchemaFile(t *testing.T) {
	testutil.GoldenText(t, "SCHEMA.md", printedSchema())
}

// Every column has a sentence, and every quantity has its unit in its name.
func TestSchemaIsComplete(t *testing.T) {
	suffix := map[string]string{"s": "_s", "USD": "_usd", "USD/h": "_usd_per_h", "instance-hours": "_h"}
	for _, table := range append([]Table{table("part-*.parquet", 0, "", func(*Set) *[]SweepRow { return nil })}, Tables...) {
		for _, c := range table.columns() {
			if c.Doc == "" || strings.HasSuffix(c.Doc, ".") {
				t.Errorf("%s %s: sentence %q", table.File, c.Name, c.Doc)
			}
			if end := suffix[c.Unit]; !strings.HasSuffix(c.Name, end) {
				t.Errorf("%s %s: unit %s but the name does not end in %s", table.File, c.Name, c.Unit, end)
			}
		}
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one that says %q", err, part)
		}
	}
}

func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		t.Errorf("the folder holds %q, want %q", got, names)
	}
}

func BenchmarkWrite(b *testing.B) {
	rows := make([]Summary, 100_000)
	for i := range rows {
		rows[i] = scattered(int64(i))
	}
	path := filepath.Join(b.TempDir(), SummaryFile)
	b.ReportAllocs()
	for b.Loop() {
		if err := columnar.Write(path, Provenance{}.Meta(), rows); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
	if info, err := os.Stat(path); err == nil {
		b.ReportMetric(float64(info.Size())/float64(len(rows)), "B/row")
	}
}

// scattered is a row whose books balance and whose numbers do not compress.
func scattered(run int64) Summary {
	s := summary(run)
	dice := rand.New(rand.NewPCG(1, uint64(run)))
	for _, v := range []*float64{s.FinishS, &s.Iterations, &s.Samples, &s.CostSpotUSD, &s.CostOnDemandUSD, &s.CostPSUSD, &s.CostStorageUSD,
		&s.UsefulH, &s.CheckpointingH, &s.RestoringH, &s.ReconfiguringH, &s.LostH, &s.WaitingH, &s.StartingH} {
		*v += 1000 * dice.Float64()
	}
	for _, v := range []*int64{&s.Preemptions, &s.Notices, &s.Requests, &s.Grants, &s.Decisions, &s.Wakes, &s.PlanChanges} {
		*v += dice.Int64N(1000)
	}
	s.MissedByS = ptr(*s.FinishS - s.ObjectiveS)
	s.CostUSD = s.CostSpotUSD + s.CostOnDemandUSD + s.CostPSUSD + s.CostStorageUSD + s.CostTransferUSD + s.CostDisksUSD + s.CostTaxUSD +
		s.CostTopupUSD - s.RefundUSD
	s.InstanceH = s.UsefulH + s.RedundantH + s.CheckpointingH + s.RestoringH + s.ReconfiguringH + s.LostH + s.WaitingH + s.StartingH
	return s
}

// Columns that were added are those of versions before.
func TestAddedSince(t *testing.T) {
	type row struct {
		N    int64 `col:"n"`
		Max  int64 `col:"most" added:"5"`
		Mean int64 `col:"mean" added:"7"`
	}
	for version, want := range map[int]string{4: "[most mean]", 5: "[mean]", 7: "[]"} {
		if got := fmt.Sprint(addedSince(reflect.TypeFor[row](), version)); got != want {
			t.Errorf("since %d: %s, want %s", version, got, want)
		}
	}
}

// Tables of version 3, whose columns had other names, are refused.
func TestTooOld(t *testing.T) {
	_, err := ReadAll("testdata/version3")
	wantError(t, err, "schema version 3 is too old", "run the study again")
	if Outdated(SchemaVersion) != "" || Outdated(SchemaVersion-1) == "" {
		t.Errorf("warnings are %q and %q", Outdated(SchemaVersion), Outdated(SchemaVersion-1))
	}
}
