package experiments

import (
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// lifeSpec writes a model (ownModel) and traces of which a spec makes a pool:
// prices of 0.001 $/s; a machine until minute 10 and another from minute 25; one
// that lived 15 minutes and one that is there at the end.
func lifeSpec(t *testing.T) (s func(pool string) string, open func(text string) (*spec.Spec, error)) {
	t.Helper()
	dir, write := ownModel(t)
	write("prices.json", `{"SpotPriceHistory": [
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": "2024-01-01T03:00:00.000Z"},
  {"AvailabilityZone": "z-1a", "InstanceType": "x.large", "ProductDescription": "Linux/UNIX", "SpotPrice": "3.600000", "Timestamp": `+
		`"2024-01-01T00:00:00.000Z"}]}`)
	write("events.csv", "0,add,a\n600000,remove,a\n1500000,add,b\n86400000,remove,b\n")
	write("lives.csv", "0,add,a\n900000,remove,a\n")
	s = func(pool string) string {
		return `name: own
horizon_s: 7200
model: {profile: profile.csv, coefficients: coefficients.csv}
objectives: [{loss: 0.5, time_s: 2400}]
policies: [{name: reactive, settings: {instances: 1}}]
market:
  boot: {median_s: 0}
  billing: {increment_s: 0, minimum_s: 0, skip_parameter_servers: true}
  traces:
    - {name: prices, path: prices.json}
    - {name: events, path: events.csv}
    - {name: lives, path: lives.csv}
  pools:
    - {type: x.large, quota: 1, prices: {trace: prices}, ` + pool + "}\n"
	}
	return s, func(text string) (*spec.Spec, error) {
		write("spec.yaml", text)
		return spec.Open(filepath.Join(dir, "spec.yaml"))
	}
}

func runText(t *testing.T, open func(string) (*spec.Spec, error), text string) (*market.Markets, *results.Set) {
	t.Helper()
	spec, err := open(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.Markets, runStudy(t, s)
}

// The job takes 1999 s of one machine. Where lives end after 900 s and the next
// machine comes at once, it loses machines at 900 s and 1800 s. Where none can
// be launched from 600 s to 1500 s, the machine outlives that fall, and the job
// waits from 900 s to 1500 s.
func TestLifetimes(t *testing.T) {
	check := near.Count(t)
	spec, open := lifeSpec(t)
	for _, c := range []struct {
		pool, says string
		finish     float64
	}{
		{"replay: {adapter: lifetime_resample, lifetime: {distribution: exponential, mean_h: 1e5, max_h: 0.25}}",
			"capacity assumed: lifetime_resample(n=1,life=exponential(mean=100000h)<=0.25h,", 1999},
		{"replay: {adapter: lifetime_resample, lifetime: {distribution: bathtub, a_share: 1e-6, tau1_h: 1, tau2_h: 1e-6, b_h: 0.25}}",
			"life=bathtub(a=0.000001,tau1=1h,tau2=0.000001h,b=0.25h)", 1999},
		{"replay: {adapter: lifetime_resample, lifetime: {distribution: kaplan_meier, trace: lives}}", "life=kaplan_meier(of=node-events-", 1999},
		{"replay: {adapter: lifetime_resample, lifetime: {distribution: kaplan_meier, trace: lives, pool: lives}}", "/lives,steps=1,longest=0.25h)", 1999},
		{"replay: {adapter: lifetime_resample}, capacity: {trace: lives}, on_demand_usd_per_h: 1", "life=kaplan_meier(pool)", 0},
		{"replay: {adapter: launch_only, lifetime: {distribution: exponential, mean_h: 1e5, max_h: 0.25}}, capacity: {trace: events}",
			"capacity events/events from 1970-01-01T00:00:00Z by launch_only(n=1,life=exponential", 2599},
	} {
		_, set := runText(t, open, spec(c.pool))
		r := set.Summaries[0]
		if !strings.Contains(r.Replay, c.says) {
			t.Errorf("%s: replay %q, expected %q", c.pool, r.Replay, c.says)
		}
		if c.finish == 0 {
			if r.HorizonS != 900 {
				t.Errorf("%s: lasts %v s, expected the 900 s of the trace", c.pool, r.HorizonS)
			}
			continue
		}
		if r.FinishS == nil || check.Off(*r.FinishS, c.finish, 1e-4) || r.Preemptions != 2 || check.Off(r.CostUSD, 1.999, 1e-6) {
			t.Errorf("%s: %+v", c.pool, r)
		}
	}
}

const luckyPools = `replay: {adapter: launch_only, lifetime: {distribution: exponential, mean_h: 0.1}}, capacity: {trace: events}}
    - {type: x.large, zone: b, quota: 1, prices: {trace: prices}, replay: {adapter: launch_only, lifetime: {distribution: exponential, ` +
	`mean_h: 0.1}}, capacity: {trace: events}`

// Each seed has its own lives, each pool its own luck, though both replay one
// record; a seed has one market, whatever GOMAXPROCS.
func TestLifetimesDifferBySeed(t *testing.T) {
	spec, open := lifeSpec(t)
	text := strings.Replace(spec(luckyPools), "name: own", "name: own\nseeds: 6", 1)
	m, first := runText(t, open, text)
	finishes := map[float64]bool{}
	for _, r := range first.Summaries {
		if r.FinishS != nil {
			finishes[*r.FinishS] = true
		}
		if r.Replay != first.Summaries[0].Replay {
			t.Errorf("seed %d: replay %q, expected one text for all", r.Seed, r.Replay)
		}
	}
	if len(finishes) < 4 {
		t.Errorf("6 seeds finish at %v, expected others for others", finishes)
	}
	if all := strings.Join(m.Warnings, "; "); !strings.Contains(all, "missing notices and the lifetimes of the machines of z-1a/x.large, b/x.large") {
		t.Errorf("warnings %q", all)
	}
	market, err := m.For(1)
	if err != nil {
		t.Fatal(err)
	}
	alike := true
	for s := 0.; s < 7200; s += 10 {
		a, _ := market.Capacity(0, sim.At(s))
		b, _ := market.Capacity(1, sim.At(s))
		alike = alike && a == b
	}
	if alike {
		t.Error("two pools have the same luck")
	}
	for _, procs := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(procs)
		_, again := runText(t, open, text)
		runtime.GOMAXPROCS(old)
		if !reflect.DeepEqual(first, again) {
			t.Errorf("other results with GOMAXPROCS=%d", procs)
		}
	}
}

// Seeds are units where each draws all of its market; a start is one where its seeds
// share recorded prices, or counts.
func TestUnits(t *testing.T) {
	sp, open := lifeSpec(t)
	drawn := "replay: {adapter: lifetime_resample, lifetime: {distribution: exponential, mean_h: 2}}"
	assume := func(pool string) string {
		return strings.Replace(sp(pool), "prices: {trace: prices}", "prices: {trace: events, usd_per_h: 1}", 1)
	}
	synthetic, err := spec.Open("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	unit := func(s *spec.Spec, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		m, err := market.Of(s)
		if err != nil {
			t.Fatal(err)
		}
		return m.Unit
	}
	for _, c := range [][3]string{
		{"synthetic", unit(synthetic, nil), results.BySeed},
		{"drawn lives, recorded prices", unit(open(sp(drawn))), results.ByStart},
		{"drawn lives, one assumed price", unit(open(assume(drawn))), results.BySeed},
		{"recorded machines", unit(open(sp("replay: {adapter: per_event}, capacity: {trace: events}"))), results.ByStart},
		{"drawn lives, recorded counts", unit(open(assume(strings.Replace(drawn, "lifetime_resample", "launch_only", 1) + ", capacity: {trace: events}"))),
			results.ByStart},
	} {
		if c[1] != c[2] {
			t.Errorf("%s: %s, want %s", c[0], c[1], c[2])
		}
	}
}

func TestBadLifetimes(t *testing.T) {
	spec, open := lifeSpec(t)
	resample := func(life string) string { return "replay: {adapter: lifetime_resample, lifetime: {" + life + "}}" }
	for _, c := range [][2]string{
		{resample("distribution: weibull, mean_h: 2"), `spec.yaml:14:120: market.pools[0].replay.lifetime.distribution: "weibull", expected ` +
			`exponential, bathtub or kaplan_meier`},
		{resample("mean_h: 2"), "distribution is missing"},
		{resample("distribution: exponential"), "mean_h is missing"},
		{resample("distribution: exponential, mean_h: -1"), "lifetime.mean_h: -1, expected 0.00027 to 876000"},
		{resample("distribution: exponential, mean_h: 1, max_h: 1e-9"), "lifetime.max_h: 1e-09, expected"},
		{resample("distribution: exponential, mean_h: 1, b_h: 24"), "lifetime.b_h: 24, expected only with distribution: bathtub; it is exponential"},
		{resample("distribution: exponential, mean_h: 1, pool: p"), `lifetime.pool: "p", expected only with distribution: kaplan_meier`},
		{resample("distribution: exponential, mean_h: .nan"), "expected a finite number"},
		{resample("distribution: bathtub, a_share: 0.4, tau1_h: 1, b_h: 24"), "tau2_h is missing"},
		{resample("distribution: bathtub, a_share: 4, tau1_h: 1, tau2_h: 1, b_h: 24"), "bathtub a 4,"},
		{resample("distribution: kaplan_meier"), "trace is missing"},
		{resample("distribution: kaplan_meier, trace: nobody"), `lifetime.trace: "nobody" is not among the traces`},
		{resample("distribution: kaplan_meier, trace: prices"), "trace prices: none of 0 machines was lost"},
		{resample("distribution: kaplan_meier, trace: lives, pool: live"), `no pool "live"`},
		{resample("distribution: exponential, mean_h: 1") + ", capacity: {trace: events}", "capacity: expected none"},
		{"replay: {adapter: lifetime_resample}", "capacity is missing"},
		{"replay: {adapter: launch_only}, capacity: {trace: events}", "lifetime is missing"},
		{"replay: {adapter: launch_only, lifetime: {distribution: exponential, mean_h: 1}}", "capacity is missing"},
		{"replay: {adapter: per_event, lifetime: {distribution: exponential, mean_h: 1}}, capacity: {trace: events}", "the adapter per_event draws no lifetimes"},
		{"replay: {lifetime: {distribution: exponential, mean_h: 1}}, capacity: {trace: events}", "the adapter count_cap draws no lifetimes"},
		{"replay: {adapter: per_event, scale: 2}, capacity: {trace: events}", "scale: 2, expected none with the adapter per_event"},
		{"replay: {adapter: unlimited}", `"unlimited", expected count_cap`},
		{resample("distribution: exponential, mean_h: 0.0003"), "too short"},
	} {
		text := spec(c[0])
		if c[1] == "too short" {
			text = strings.NewReplacer("quota: 1", "quota: 4096", "horizon_s: 7200", "horizon_s: 36000").Replace(text)
		}
		s, err := open(text)
		if err == nil {
			_, err = market.Of(s)
		}
		if err == nil || !strings.Contains(err.Error(), c[1]) || !strings.Contains(err.Error(), "spec.yaml:") {
			t.Errorf("%s:\n%v, expected %q", c[0], err, c[1])
		}
	}
}

// A synthetic market has counts to launch from, and no lives of its own.
func TestSyntheticLifetimes(t *testing.T) {
	text := `name: x
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, time_s: 2400}]
market:
  synthetic: {zones: 1}
  replay: {adapter: launch_only, lifetime: {distribution: exponential, mean_h: 0.2}}
  pools:
    - {type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3.06}
`
	s, err := spec.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := market.Of(s)
	if err != nil || m.Replay != "synthetic market, launch_only(n=2,life=exponential(mean=0.2h),notice=120s,missing=0)" {
		t.Errorf("replay %q, %v", m.Replay, err)
	}
	for life, says := range map[string]string{
		"lifetime_resample": "has no recorded lifetimes",
		"lifetime_resample, lifetime: {distribution: kaplan_meier, trace: h}": "is not among the traces",
	} {
		bad := strings.Replace(text, "launch_only, lifetime: {distribution: exponential, mean_h: 0.2}", life, 1)
		if _, err := spec.Parse("x.yaml", []byte(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %q", life, err, says)
		}
	}
}
