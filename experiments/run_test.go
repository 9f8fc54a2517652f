package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	_ "github.com/marigram/marigram/papers/extensions"
)

func study(t *testing.T, file string, seeds int) *Study {
	t.Helper()
	sp, err := spec.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	sp.Seeds = seeds
	s, err := NewStudy(sp)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func runStudy(t *testing.T, s *Study) *results.Set {
	t.Helper()
	set, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Summaries {
		if err := set.Summaries[i].Check(); err != nil {
			t.Error(err)
		}
	}
	return set
}

// goldenTotals compares the totals of a study with those that were looked at once.
func goldenTotals(t *testing.T, name string, set *results.Set) {
	t.Helper()
	file := filepath.Join("golden", name+".json")
	type totals struct {
		Reason string      `json:"reason"`
		Rows   []Aggregate `json:"rows"`
	}
	got := totals{Rows: Aggregates(set.Summaries)}
	data, err := os.ReadFile(file)
	var want totals
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if *testutil.UpdateGolden {
		got.Reason = want.Reason
		out, _ := json.MarshalIndent(got, "", " ")
		if err := os.WriteFile(file, append(out, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil || want.Reason == "" {
		t.Fatalf("%s: %v, reason %q: go test -update, look at the difference, and say why in its reason", file, err, want.Reason)
	}
	if a, b := flat(t, got.Rows), flat(t, want.Rows); !sameNumbers(a, b) {
		t.Errorf("%s: the totals are other than the golden ones (run go test -update and look at the difference)\n%v\n%v", file, a, b)
	}
}

func flat(t *testing.T, v any) []any {
	t.Helper()
	data, err := json.Marshal(v)
	var out []any
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameNumbers compares decoded JSON; numbers may differ by rounding between
// processors.
func sameNumbers(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && near.Is(x, y, 1e-9*max(1, math.Abs(y)))
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameNumbers(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if !sameNumbers(x[k], y[k]) {
				return false
			}
		}
		return true
	}
	return a == b
}

func TestQuickstart(t *testing.T) {
	set := runStudy(t, study(t, "specs/quickstart.yaml", 10))
	goldenTotals(t, "quickstart", set)
	preempted := false
	for _, r := range set.Summaries {
		preempted = preempted || r.Preemptions > 0
		if !strings.Contains(r.Market, "synthetic") {
			t.Fatalf("a synthetic market is called %q", r.Market)
		}
	}
	if !preempted || len(set.Spans) == 0 || len(set.Decisions) == 0 {
		t.Errorf("preempted %v, %d spans, %d decisions", preempted, len(set.Spans), len(set.Decisions))
	}
}

// Recorded prices and preemptions, of pulled sets.
func TestRealAWS(t *testing.T) {
	for _, name := range []string{"dime-aws-spot-prices-us", "skynomad-aws-v100-availability"} {
		pulled.Dir(t, name)
	}
	s := study(t, "specs/real-aws-2020.yaml", 1)
	set := runStudy(t, s)
	goldenTotals(t, "real-aws-2020", set)
	starts := map[float64]bool{}
	for _, r := range set.Summaries {
		if !strings.Contains(r.Replay, "binary_all") || !strings.Contains(r.Replay, "v100-2023") || strings.Contains(r.Market, "synthetic") {
			t.Fatalf("market %q, replay %q", r.Market, r.Replay)
		}
		starts[r.StartS] = true
	}
	for _, a := range Aggregates(set.Summaries) {
		if a.NoBest != "" || a.MetCI.Units != 30 || a.Policy != "ondemand" && a.Preemptions == 0 {
			t.Errorf("%s: %d starts, %v preemptions, %q", a.Policy, a.MetCI.Units, a.Preemptions, a.NoBest)
		}
	}
	if text := intervals.Overlap(slices.Collect(maps.Keys(starts)), s.Spec.HorizonS); text != "" {
		t.Error(text)
	}
	if len(s.Markets.Inputs) != 66 { // 60 of prices, 6 of availability
		t.Errorf("%d inputs, expected every file of the price history", len(s.Markets.Inputs))
	}
}

// The same spec and seed write the same bytes, whatever GOMAXPROCS.
func TestSameBytes(t *testing.T) {
	var first map[string][]byte
	for _, procs := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(procs)
		s := study(t, "specs/quickstart.yaml", 8)
		set := runStudy(t, s)
		runtime.GOMAXPROCS(old)
		var err error
		if set.Provenance, err = s.Provenance("v", "c", []string{"marigram"}); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := results.WriteAll(dir, *set); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, name := range results.Files() {
			if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(first[name], files[name]) {
				t.Errorf("%s differs with GOMAXPROCS=%d", name, procs)
			}
		}
		if first == nil {
			first = files
		}
	}
}

// What is recorded does not change what happens.
func TestTimelinesChangeNothing(t *testing.T) {
	sp, err := spec.Open("specs/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var bills [2][]float64
	for i, n := range []int{0, 3} {
		sp.Seeds, sp.Timelines = 3, &n
		s, err := NewStudy(sp)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runStudy(t, s).Summaries {
			bills[i] = append(bills[i], r.CostUSD, r.InstanceH, float64(r.Decisions))
		}
	}
	for k := range bills[0] {
		if bills[0][k] != bills[1][k] {
			t.Fatalf("%v with spans, %v without", bills[1][k], bills[0][k])
		}
	}
}

// Timelines are those of the first seed unless the spec, or whoever runs the
// study, says of how many.
func TestTimelinesKept(t *testing.T) {
	sp, err := spec.Open("specs/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sp.Seeds = 3
	two := 2
	for _, c := range []struct {
		spec  *int
		study func(*Study)
		want  int
	}{
		{nil, func(*Study) {}, 1},
		{&two, func(*Study) {}, 2},
		{&two, func(s *Study) { s.Timelines = 0 }, 0},
	} {
		sp.Timelines = c.spec
		s, err := NewStudy(sp)
		if err != nil {
			t.Fatal(err)
		}
		c.study(s)
		kept := map[int64]bool{}
		for _, d := range runStudy(t, s).Decisions {
			kept[d.Seed] = true
		}
		for seed := range int64(3) {
			if kept[sp.Seed+seed] != (int(seed) < c.want) {
				t.Errorf("timelines of seeds %v, expected the first %d from %d", kept, c.want, sp.Seed)
			}
		}
	}
}

func TestRunStopsWhenAsked(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if set, err := study(t, "specs/quickstart.yaml", 1000).Run(ctx); !errors.Is(err, context.Canceled) || set != nil {
		t.Errorf("%v, %v", set, err)
	}
}

// ownModel writes the files of a model whose mini-batch takes a second, and
// whose loss after j of them is 1000/(j+1), into a folder.
func ownModel(t *testing.T) (dir string, write func(name, text string)) {
	t.Helper()
	dir = t.TempDir()
	write = func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("profile.csv", "instance_type,gpu,gpus,quota,spot_usd_per_h,batch_per_gpu,speed_samples_per_s\nx.large,X,1,1,3.6,100,100\n")
	write("coefficients.csv", "symbol,value\nS,1e-9\nB_req,1\nB_ps,100\nB_pcie,100\nalpha1,0.1\nbeta1,-1\ngamma1,1\ngamma2,0\ngamma3,1000\ngamma5,0\n")
	return dir, write
}

// One worker, files of one's own, arithmetic by hand. Its mini-batch takes a
// second; the loss after j of them is 1000/(j+1): 0.5 after 1999 s. The price is
// 3.60 $/h (0.001 $/s) until minute 10, then twice that: 0.6 + 1399 * 0.002. It
// is taken at minute 20 and there again at minute 25.
func TestOwnFiles(t *testing.T) {
	dir, write := ownModel(t)
	write("prices.json", `{"SpotPriceHistory": [
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "7.200000", "Timestamp": "2024-01-01T00:10:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "7.200000", "Timestamp": "2024-01-02T00:10:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": `+
		`"2024-01-01T00:00:00.000Z"}]}`)
	write("events.csv", "0,add,a\n1200000,remove,a\n1500000,add,b\n86400000,remove,b\n")
	write("spec.yaml", `name: own
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: spotdnn, settings: {patience_s: 0}}]
market:
  boot: {median_s: 0}
  billing: {increment_s: 0, minimum_s: 0, skip_parameter_servers: true}
  traces:
    - {name: prices, path: prices.json, from: 2024-01-01T00:00:00Z}
    - {name: events, path: events.csv}
  pools:
    - {type: x.large, quota: 1, prices: {trace: prices}, capacity: {trace: events}, replay: {adapter: per_event}}
`)
	s := study(t, filepath.Join(dir, "spec.yaml"), 1)
	r := runStudy(t, s).Summaries[0]
	check := near.Count(t)
	if !r.Met || check.Off(*r.FinishS, 1999+300, 1e-6) || check.Off(r.CostUSD, 0.6+1399*0.002, 1e-6) || r.Preemptions != 1 || r.Notices != 1 {
		t.Errorf("%+v, finish %v", r, *r.FinishS)
	}
}

// In the bidding era a price above the bid took the machine: with a bid of 5 and a
// price that doubles from 3.60 to 7.20 at minute 10, two machines are held for ten
// minutes at 0.001 $/s each. Copies make two of the one that a fleet had.
func TestBidAndCopies(t *testing.T) {
	check := near.Count(t)
	dir, write := ownModel(t)
	write("prices.json", `{"SpotPriceHistory": [
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": "2024-01-01T03:00:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "7.200000", "Timestamp": "2024-01-01T00:10:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": `+
		`"2024-01-01T00:00:00.000Z"}]}`)
	write("events.csv", "0,add,a\n600000,remove,a\n86400000,add,b\n")
	s := func(capacity, replay string) string {
		return `name: own
horizon_s: 7200
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive, settings: {instances: 2}}]
market:
  boot: {median_s: 0}
  billing: {increment_s: 0, minimum_s: 0, skip_parameter_servers: true}
  traces:
    - {name: prices, path: prices.json}
    - {name: events, path: events.csv}
  pools:
    - {type: x.large, quota: 2, prices: {trace: prices}, capacity: {trace: ` + capacity + `}, replay: {` + replay + `}}
`
	}
	for _, c := range []struct {
		capacity, replay, says string
		preemptions            int64
	}{
		{"prices", "adapter: bid, bid_usd_per_h: 5", "bid(", 2},
		{"events", "adapter: per_event, copies: 2", "copies=2", 2},
		{"events", "adapter: per_event", "per_event(", 1},
	} {
		write("spec.yaml", s(c.capacity, c.replay))
		r := runStudy(t, study(t, filepath.Join(dir, "spec.yaml"), 1)).Summaries[0]
		held := 600.0 * float64(c.preemptions)
		if r.Preemptions != c.preemptions || check.Off(r.CostUSD, held*0.001, 1e-9) || !strings.Contains(r.Replay, c.says) {
			t.Errorf("%s: %d preemptions, %v USD, replay %q", c.replay, r.Preemptions, r.CostUSD, r.Replay)
		}
	}
	write("spec.yaml", s("prices", "adapter: bid"))
	if _, err := spec.Open(filepath.Join(dir, "spec.yaml")); err == nil || !strings.Contains(err.Error(), "bid_usd_per_h is missing") {
		t.Errorf("a bid of nothing: %v", err)
	}
}

// What a replay assumes is said of every pool where they differ, and settings
// that would not count are refused.
func TestReplayIsSaid(t *testing.T) {
	text := `name: x
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, time_s: 2400}]
market:
  synthetic: {zones: 1}
  pools:
    - {type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3.06, replay: {notice_s: 30}}
    - {type: g4dn.4xlarge, quota: 2, on_demand_usd_per_h: 1.2, replay: {notice_s: 600, adapter: binary_all}}
`
	s, err := spec.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := market.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Replay, "p3.2xlarge count_cap(") || !strings.Contains(m.Replay, "g4dn.4xlarge binary_all(") ||
		!strings.Contains(m.Replay, "notice=600s") {
		t.Errorf("replay %q", m.Replay)
	}
	for _, bad := range [][2]string{
		{"quota: 2, on_demand_usd_per_h: 1.2", "quota: 2, zone: b, on_demand_usd_per_h: 1.2"},
		{"type: g4dn.4xlarge, quota: 2", "type: p3.2xlarge, quota: 2"},
	} {
		if _, err := spec.Parse("x.yaml", []byte(strings.Replace(text, bad[0], bad[1], 1))); err == nil {
			t.Errorf("accepted %q", bad[1])
		}
	}
	twice := `name: x
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, time_s: 2400}]
market:
  traces: [{name: h, path: p}]
  pools:
    - {type: p3.2xlarge, zone: a, quota: 2, on_demand_quota: 2, on_demand_usd_per_h: 3.06, prices: {trace: h}}
    - {type: p3.2xlarge, zone: b, quota: 2, on_demand_quota: 9, on_demand_usd_per_h: 3.06, prices: {trace: h}}
`
	if _, err := spec.Parse("x.yaml", []byte(twice)); err == nil || !strings.Contains(err.Error(), "expected it at the first pool of type p3.2xlarge only") {
		t.Errorf("two on-demand pools of one type: %v", err)
	}
}

// A panic in a run is an error of one line.
func TestGuarded(t *testing.T) {
	if err := guarded(func() error { panic("index out of range") }); err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Error(err)
	}
}
