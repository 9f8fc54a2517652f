package synth

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/internal/series"
	"pgregory.net/rapid"
)

// fitted returns a generator of every law, those that need a trace fitted to
// made ones: counts and prices of six pools, and machines.
func fitted(t testing.TB) map[string]*Generator {
	t.Helper()
	fits.Do(func() { fits.all = fitAll(t) })
	return fits.all
}

var fits struct {
	sync.Once
	all map[string]*Generator
}

func fitAll(t testing.TB) map[string]*Generator {
	counts := mustSynthetic(t, 3, SyntheticPools(2, 3, p32), 10*24*time.Hour)
	bathtub, err := Standard("bathtub")
	if err != nil {
		t.Fatal(err)
	}
	machines, err := bathtub.Generate(1, 5*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Generator{}
	for _, l := range models.All() {
		s := counts
		if l.name == "kaplan-meier" || l.name == "bathtub" || l.name == "bamboo" {
			s = machines
		}
		g, err := Fit(l.name, s, FitOptions{Seeds: 2})
		if err != nil {
			t.Fatalf("%s: %v", l.name, err)
		}
		out[l.name] = g
		if l.standard != nil {
			if out[l.name+" as published"], err = Standard(l.name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func mustGenerate(t testing.TB, g *Generator, seed uint64, span time.Duration) *traces.Set {
	t.Helper()
	s, err := g.Generate(seed, span)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGenerators(t *testing.T) {
	for name, g := range fitted(t) {
		a, b, c := mustGenerate(t, g, 1, 48*time.Hour), mustGenerate(t, g, 1, 48*time.Hour), mustGenerate(t, g, 2, 48*time.Hour)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: one seed made two traces", name)
		}
		if reflect.DeepEqual(a.Capacity, c.Capacity) && reflect.DeepEqual(a.InstanceEvents, c.InstanceEvents) && reflect.DeepEqual(a.Prices, c.Prices) {
			t.Errorf("%s: two seeds made one trace", name)
		}
		if a.Counts().Events() == 0 || a.Manifest.Semantics != traces.SemanticsSynthetic || a.Manifest.TEndUs != 48*tracetest.HourUs {
			t.Errorf("%s: %d rows, manifest %+v", name, a.Counts().Events(), a.Manifest)
		}
		for _, p := range a.Pools {
			if p.Cloud != "synthetic" || !strings.HasPrefix(p.Name, "synthetic-") {
				t.Errorf("%s: pool %+v is not marked synthetic", name, p)
			}
		}
		longer := mustGenerate(t, g, 1, 72*time.Hour)
		if !slices.Equal(countsBefore(a, 48), countsBefore(longer, 48)) {
			t.Errorf("%s: a longer trace begins otherwise", name)
		}
	}
}

// countsBefore returns the instants and counts or machines before an hour.
func countsBefore(s *traces.Set, hour int64) []string {
	var out []string
	for _, r := range s.Capacity {
		if r.T < hour*tracetest.HourUs {
			out = append(out, fmt.Sprint(r.T, r.PoolID, r.Available))
		}
	}
	// Machines are numbered along the span by some laws: only their number counts.
	for p, rows := range series.ByPool(s.InstanceEvents, len(s.Pools)) {
		for _, x := range series.EventSteps(rows) {
			if x.T < hour*tracetest.HourUs {
				out = append(out, fmt.Sprint(x.T, p, x.V))
			}
		}
	}
	return out
}

// Same seed, same bytes, also on disk.
func TestGeneratedBytes(t *testing.T) {
	for name, g := range fitted(t) {
		var files [2]string
		for i := range files {
			dir := t.TempDir()
			if err := mustGenerate(t, g, 9, 24*time.Hour).Write(dir); err != nil {
				t.Fatal(err)
			}
			paths, _ := filepath.Glob(filepath.Join(dir, "*.parquet"))
			for _, p := range paths {
				text, err := os.ReadFile(p)
				if err != nil {
					t.Fatal(err)
				}
				files[i] += filepath.Base(p) + string(text)
			}
		}
		if files[0] != files[1] {
			t.Errorf("%s: one seed made two files", name)
		}
	}
}

// Whatever the seed and the span: instants ascend and lie within the span, as
// many machines go as came and are not there, counts stay within the cap, and
// prices within the floor and the ceiling.
func TestGeneratedBalance(t *testing.T) {
	all := fitted(t)
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		g := all[rapid.SampledFrom(names).Draw(r, "law")]
		span := time.Duration(rapid.Int64Range(1, 200*3600e6).Draw(r, "span us")) * time.Microsecond
		s, err := g.Generate(rapid.Uint64().Draw(r, "seed"), span)
		if err != nil {
			r.Fatal(err)
		}
		if err := s.Check(); err != nil {
			r.Fatal(err)
		}
		if first, last, any := s.RowSpan(); any && (first < 0 || last >= span.Microseconds()) {
			r.Fatalf("rows from %d to %d, span %v", first, last, span)
		}
		for p, rows := range series.ByPool(s.InstanceEvents, len(s.Pools)) {
			up := map[string]bool{}
			for _, e := range rows {
				if up[e.InstanceID] == e.Comes() {
					r.Fatalf("pool %d: %s of %s, which is there: %v", p, e.Kind, e.InstanceID, up[e.InstanceID])
				}
				up[e.InstanceID] = e.Comes()
				if !e.Comes() {
					delete(up, e.InstanceID)
				}
				if len(up) > 2*g.Pools[p].Cap {
					r.Fatalf("pool %d: %d machines, cap %d", p, len(up), g.Pools[p].Cap)
				}
			}
			for _, x := range series.EventSteps(rows) {
				if int(x.V) > g.Pools[p].Cap {
					r.Fatalf("pool %d: %v machines at %d, cap %d", p, x.V, x.T, g.Pools[p].Cap)
				}
			}
		}
	})
}

func TestGeneratorFile(t *testing.T) {
	for name, g := range fitted(t) {
		path := filepath.Join(t.TempDir(), "gen.json")
		if err := g.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := ReadGenerator(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a, b := mustGenerate(t, g, 5, 24*time.Hour), mustGenerate(t, got, 5, 24*time.Hour); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: from its file it makes another trace", name)
		}
		if g.Trace != nil && (got.Fit == nil || len(got.Fit.Rows) == 0 || got.Trace.SHA256 == "" || got.Fit.SHA256 != got.Trace.SHA256) {
			t.Errorf("%s: the file does not say what it was fitted to, and how well", name)
		}
	}
}

func TestGeneratorRefuses(t *testing.T) {
	g, err := Standard("bathtub")
	if err != nil {
		t.Fatal(err)
	}
	good, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeGenerator(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, says string }{
		{`"generator_version":1`, `"generator_version":2`, "generator_version 2, expected 1"},
		{`"law":"bathtub"`, `"law":"bathtube"`, `unknown model "bathtube"`},
		{`"tau1_h":1.526`, `"tau1_h":-1`, "tau1 -1 h"},
		{`"tau1_h":1.526`, `"tau1":1.526`, `unknown field "tau1"`},
		{`"mean_gap_h":[0.025]`, `"mean_gap_h":[]`, "expected 1, one each"},
		{`"mean_gap_h":[0.025]`, `"mean_gap_h":[1e300]`, "mean_gap_h[0]"},
		{`"cap_machines":16`, `"cap_machines":-1`, "cap -1"},
		{`"name":"synthetic-1a/machine"`, `"name":""`, `name ""`},
		{string(good), `{}`, "expected"},
		{string(good), `null`, "is missing"},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("%s is not in %s", c.old, good)
		}
		if _, err := decodeGenerator([]byte(text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, expected %s", c.new, err, c.says)
		}
	}
	if _, err := g.Generate(1, 0); err == nil {
		t.Error("a trace of no length")
	}
	if hourly, err := Standard("bamboo"); err != nil || hourly.Check() != nil {
		t.Fatal(err)
	} else if _, err := hourly.Generate(1, 1<<62); err == nil {
		t.Error("a trace of 146 years, 192 records an hour")
	}
	if _, err := Standard("bulk"); err == nil || !strings.Contains(err.Error(), "fitted to a trace") {
		t.Errorf("bulk without a trace: %v", err)
	}
	prices := tracetest.Table([][2]int64{{0, 1}, {1, 2}}, nil, 5)
	for _, law := range []string{"bulk", "exponential", "bamboo", "kaplan-meier", "bathtub"} {
		if _, err := Fit(law, prices, FitOptions{Seeds: 1}); err == nil {
			t.Errorf("%s was fitted to prices", law)
		}
	}
	if _, err := Fit("price", tracetest.Table(nil, [][2]int64{{0, 1}}, 5), FitOptions{}); err == nil {
		t.Error("price was fitted to counts")
	}
}

// By hand: 4 machines for 2 h, 1 for 3 h, none for 3 h, 2 for 4 h, and back to
// 4: from 4 to 1 once in 2 h, from 1 to 0 once in 3 h, from 0 to 2 once in 3 h,
// from 2 to 4 once in 4 h.
func TestBulkRates(t *testing.T) {
	check := near.Count(t)
	g, err := Fit("bulk", tracetest.Table(nil, [][2]int64{{0, 4}, {2, 1}, {5, 0}, {8, 2}}, 12), FitOptions{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []level{
		{0, 3. / 12, []bulkMove{{0, 2, 1. / 3}}}, {1, 3. / 12, []bulkMove{{1, 0, 1. / 3}}},
		{2, 4. / 12, []bulkMove{{0, 2, 1. / 4}}}, {4, 2. / 12, []bulkMove{{3, 0, 1. / 2}}},
	}
	b := g.Parameters.(*bulk)
	if !reflect.DeepEqual(b.Chains[0].Levels, want) || b.ClockPerHour != .5 {
		t.Errorf("levels %+v, clock %v, expected %+v and .5", b.Chains[0].Levels, b.ClockPerHour, want)
	}
	// 4 of 12 h at 2, 2 at 4, 3 at 1: 19 machine-hours of 48, and 4 lost.
	s := mustGenerate(t, g, 1, 5000*12*time.Hour)
	st := describe.Stats(s)
	for _, x := range []struct {
		what      string
		got, want float64
	}{{"availability", *st.Availability, 19. / 48}, {"drops per hour", *st.DropsPerHour, 2. / 12}, {"MTBP", *st.MTBPHours, 19. / 4},
		{"machines of a drop", *st.BulkMean, 2}} {
		if check.OffRel(x.got, x.want, .03) {
			t.Errorf("%s is %.4f, expected %.4f", x.what, x.got, x.want)
		}
	}
}

// The shares of the common clocks leave every pool as it is alone, and with all
// ticks in common two like pools become one.
func TestBulkShares(t *testing.T) {
	check := near.Count(t)
	g, err := Fit("bulk", mustSynthetic(t, 3, SyntheticPools(1, 2, p32), 20*24*time.Hour), FitOptions{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := g.Parameters.(*bulk)
	b.Chains[1], b.Prices = b.Chains[0], nil
	var alone float64
	for _, share := range []float64{0, .5, 1} {
		b.WorldShare, b.RegionShare = share/2, share/2
		st := describe.Stats(mustGenerate(t, g, 1, 4000*time.Hour))
		r := *st.AvailabilitySame
		if share == 0 && check.Off(r, 0, .1) || share == .5 && check.Outside(r, .1, .8) || share == 1 && check.Below(r, .95) {
			t.Errorf("with the share %v in common the correlation is %.3f", share, r)
		}
		if share == 0 {
			alone = *st.Availability
		} else if check.Off(*st.Availability, alone, .06) {
			t.Errorf("with the share %v the availability is %.3f, alone %.3f", share, *st.Availability, alone)
		}
	}
}

// Every joint of a block bootstrap apart, its moves are recorded ones.
func TestBlocks(t *testing.T) {
	s := tracetest.Table([][2]int64{{0, 1}, {5, 2}}, [][2]int64{{0, 4}, {2, 1}, {5, 0}, {8, 2}}, 12)
	g, err := Fit("block", s, FitOptions{Block: 3 * time.Hour, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := mustGenerate(t, g, 4, 300*time.Hour)
	steps, was := series.CapacitySteps(got.Capacity), -1.0
	for _, x := range steps {
		pair := [2]float64{was, x.V}
		inside := pair == [2]float64{4, 1} || pair == [2]float64{1, 0} || pair == [2]float64{0, 2}
		b := g.Parameters.(*blockBootstrap)
		joint := x.T%(3*tracetest.HourUs) == 0 || b.BlockHours != 3
		if !inside && !joint && pair != [2]float64{2, 4} { // 2 to 4: around the circle
			t.Errorf("from %v to %v at %d us, which was not recorded", was, x.V, x.T)
		}
		was = x.V
	}
	if len(steps) < 50 || len(got.Prices) < 20 {
		t.Errorf("%d counts, %d prices in 100 blocks", len(steps), len(got.Prices))
	}
}

func TestBathtubLaw(t *testing.T) {
	check := near.Count(t)
	b := describe.PublishedBathtub()
	for _, c := range []struct{ hours, alive float64 }{{1, .851}, {6, .724}, {12, .682}, {24, .614}, {24.5, .13}} {
		if got := 1 - b.Died(c.hours); check.Off(got, c.alive, .021) {
			t.Errorf("%.3f alive after %v h, published %.3f", got, c.hours, c.alive)
		}
	}
	for u := 0.; u < 1; u += 1. / 64 {
		if h := b.Quantile(u); check.Off(b.Died(h), u, 1e-6) {
			t.Errorf("by %v h %v have died, expected %v", h, b.Died(h), u)
		}
	}
	// From its own lives the law is found again.
	var lifetimes []describe.Lifetime
	for i := range 2000 {
		lifetimes = append(lifetimes, describe.Lifetime{To: int64(math.Round(b.Quantile((float64(i)+.5)/2000) * series.HourUs)), Lost: true})
	}
	f, err := describe.KaplanMeier(lifetimes).FitBathtub()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]float64{{f.A, b.A}, {f.Tau1, b.Tau1}, {f.Tau2, b.Tau2}, {f.B, b.B}} {
		if check.OffRel(x[0], x[1], .02) {
			t.Errorf("fitted %v, expected %v", f, b)
		}
	}
}

// With the cap no machine is older than a day.
func TestMaxLife(t *testing.T) {
	check := near.Count(t)
	g, err := Standard("bathtub")
	if err != nil {
		t.Fatal(err)
	}
	s := mustGenerate(t, g, 1, 200*time.Hour)
	g, err = Fit("kaplan-meier", s, FitOptions{MaxLifetime: 24 * time.Hour, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	capped := 0
	lifetimes, _ := describe.Lifetimes(mustGenerate(t, g, 1, 200*time.Hour))
	for _, l := range lifetimes {
		if check.Above(l.Hours(), 24) {
			t.Errorf("a machine of %v h", l.Hours())
		}
		if l.Hours() == 24 {
			capped++
		}
	}
	if capped == 0 {
		t.Error("no machine met the cap")
	}
}

func TestWalkStaysInRange(t *testing.T) {
	check := near.Count(t)
	s := mustSynthetic(t, 2, SyntheticPools(1, 3, p32), 30*24*time.Hour)
	g, err := Fit("price", s, FitOptions{Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	w := g.Parameters.(*priceWalk)
	for seed := range uint64(20) {
		for _, r := range mustGenerate(t, g, seed, 90*24*time.Hour).Prices {
			q := w.Walks[r.PoolID].Quantiles
			if p := float64(r.PriceNanoUSD); check.Outside(p, q[0]-.5, q[len(q)-1]+.5) {
				t.Fatalf("price %v, floor %v, ceiling %v", p, q[0], q[len(q)-1])
			}
		}
	}
	if !g.Fit.Passes {
		t.Errorf("prices fitted to made ones: %+v", g.Fit.Rows)
	}
}

func FuzzGenerator(f *testing.F) {
	for _, l := range models.All() {
		if l.standard != nil {
			g, _ := Standard(l.name)
			text, _ := json.Marshal(g)
			f.Add(text)
		}
	}
	f.Add([]byte(`{"generator_version":1,"law":"bulk","pools":[{"name":"a","cap_machines":2,"single_machines":false}],` +
		`"parameters":{"clock_per_hour":1,"world_share":0.5,"region_share":0,"chains":[{"levels":[{"machines":0,"share_of_time":0.5,` +
		`"moves":[{"gone_machines":0,"came_machines":2,"per_hour":1}]},{"machines":2,"share_of_time":0.5,"moves":[{"gone_machines":2,` +
		`"came_machines":0,"per_hour":0.5}]}]}]}}`))
	f.Add([]byte(`{"generator_version":1,"law":"block","pools":[{"name":"a","cap_machines":2,"single_machines":true}],` +
		`"parameters":{"block_h":1,"pools_cut_together":true,"tracks":[{"span_us":7200000000,"start_machines":1,"moves_us_gone_came":[[3600000000,` +
		`1,2]],"prices_us_nanousd_per_h":[[0,5]]}]}}`))
	f.Add([]byte(`{"generator_version":1,"law":"price","pools":[{"name":"a","cap_machines":0,"single_machines":false}],` +
		`"parameters":{"walks":[{"price_quantiles_nanousd_per_h":[900000000,1000000000],"mean_nanousd_per_h":950000000,"changes_per_day":24,` +
		`"step_quantiles":[0.001,0.02],"reversion_per_log":1}],"trend":0.1,"trend_days":4}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := decodeGenerator(text)
		if err != nil || g.Parameters.rate(g.Pools)*float64(len(g.Pools)) > 1e5 || len(g.Pools) > 100 {
			return
		}
		if s, err := g.Generate(1, time.Hour); err == nil && s.Manifest.Semantics != traces.SemanticsSynthetic {
			t.Error("not marked synthetic")
		} else if err != nil && !strings.Contains(err.Error(), "expected") {
			t.Errorf("an accepted generator makes nonsense: %v", err)
		}
	})
}

func BenchmarkGenerate(b *testing.B) {
	for name, g := range fitted(b) {
		b.Run(name, func(b *testing.B) {
			rows := 0
			for seed := uint64(0); b.Loop(); seed++ {
				rows += mustGenerate(b, g, seed, 30*24*time.Hour).Counts().Events()
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
