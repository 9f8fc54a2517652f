package gym

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// openRecorded returns environments of ten days of four machines, whose price is 1 USD/h for five days, and 2 USD/h
// then.
func openRecorded(t *testing.T, within, horizon string, rules Rules) (*Study, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"prices.json": `{"SpotPriceHistory": [` + priceAt(1, "1.0") + "," + priceAt(6, "2.0") + "," + priceAt(11, "2.0") + "]}",
		"spec.yaml": `
name: ten-days
horizon_s: ` + horizon + `
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{loss: 0.54, within: ` + within + `}]
policies: [{name: reactive}]
market:
  traces: [{name: prices, path: prices.json}]
  pools:
    - {type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06, prices: {trace: prices}}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return New(study, rules)
}

// priceAt is a price from a day of a month on.
func priceAt(day int, usd string) string {
	return fmt.Sprintf(`{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", `+
		`"SpotPrice": %q, "Timestamp": "2026-01-%02dT00:00:00Z"}`, usd, day)
}

// Episodes begin anywhere in recorded traces, where their seeds draw, and end as long after that as at the beginning.
func TestStartsAreDrawn(t *testing.T) {
	check := near.Count(t)
	starts := map[string]map[time.Duration]bool{}
	for _, part := range []string{"", spec.Train, spec.Judge} {
		g, err := openRecorded(t, "2h", "10800", Rules{Step: 10 * time.Minute, LateUSD: 100, Part: part})
		if err != nil {
			t.Fatal(err)
		}
		e, late := g.New(), 0
		starts[part] = map[time.Duration]bool{}
		for seed := range int64(50) {
			start := g.Start(seed)
			starts[part][start] = true
			if err := e.Reset(seed, start); err != nil {
				t.Fatal(err)
			}
			x, steps := Outcome{}, 0
			for ; x.End == Running; steps++ {
				if x, err = e.Act([]int32{1, 0}); err != nil {
					t.Fatal(err)
				}
			}
			if x.End == Late {
				late++
			}
			price := 1.0
			if start > 120*time.Hour {
				price = 2
			}
			if want := 3 * (price + 0.192); check.Off(x.USD, want, 0.01) && (start <= 117*time.Hour || start > 120*time.Hour) {
				t.Errorf("%s, seed %d: %v USD from %v, expected 3 h of an instance and a parameter server for %v USD", part, seed, x.USD, start, want)
			}
		}
		if late != 50 || len(starts[part]) < 45 {
			t.Errorf("%s: %d of 50 episodes are late, %d starts", part, late, len(starts[part]))
		}
	}
	for at := range starts[spec.Train] {
		for other := range starts[spec.Judge] {
			if d := (at - other).Abs(); d < 6*time.Hour {
				t.Errorf("an episode from %v learns, one from %v judges", at, other)
			}
		}
	}
}

// A job whose deadline is over when the horizon is is late; one that could have met it is truncated, and pays nothing
// for lateness.
func TestTimeRunsOut(t *testing.T) {
	check := near.Count(t)
	for _, x := range []struct {
		within, horizon string
		end             End
	}{{"2h", "7200", Late}, {"3h", "7200", Truncated}} {
		g, err := openRecorded(t, x.within, x.horizon, Rules{Step: time.Hour, LateUSD: 100})
		if err != nil {
			t.Fatal(err)
		}
		e, sum, last := g.New(), 0.0, Outcome{}
		if err := e.Reset(1, 100*time.Hour); err != nil {
			t.Fatal(err)
		}
		for last.End == Running {
			if last, err = e.Act([]int32{0, 0}); err != nil {
				t.Fatal(err)
			}
			sum += last.Reward
		}
		want := -last.USD
		if x.end == Late {
			want -= 100
		}
		if last.End != x.end || check.Off(sum, want, 1e-9) {
			t.Errorf("within %s: end %v, rewards %v, expected %v and %v", x.within, last.End, sum, x.end, want)
		}
	}
}

// Parts are of recorded traces that are long enough.
func TestPartsNeedTraces(t *testing.T) {
	if _, err := openMany(t, "quickstart", Rules{Step: time.Hour, Part: spec.Train}); err == nil || !strings.Contains(err.Error(), "expected recorded traces") {
		t.Error(err)
	}
	if _, err := openRecorded(t, "2h", fmt.Sprint(120*3600), Rules{Step: time.Hour, Part: spec.Train}); err == nil ||
		!strings.Contains(err.Error(), "too short for two parts") {
		t.Error(err)
	}
	if g := open(t, Rules{Step: time.Hour}); g.Start(math.MaxInt64) != 0 {
		t.Error("a market that each seed draws has no starts")
	}
}
