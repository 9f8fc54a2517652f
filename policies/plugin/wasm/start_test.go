package wasm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/wasm"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// cheapest is what the examples of "marigram policies new" do.
type cheapest struct{}

func (cheapest) Name() string { return "cheapest" }

func (cheapest) Decide(v sim.View, plan *sim.Plan) {
	best := -1
	for p := range v.Pools() {
		if x := v.Pool(p); !x.OnDemand && x.Quota > 0 && (best < 0 || v.Price(p) < v.Price(best)) {
			best = p
		}
	}
	clear(plan.Jobs[0].Hold)
	plan.Jobs[0].Hold[best] = min(3, v.Pool(best).Quota)
	plan.WakeIn(10 * time.Minute)
}

// copied copies a file in Go that has another name.
func copied(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The policies in C and in Go that users begin with decide alike.
func TestProgramsExamples(t *testing.T) {
	for name, module := range map[string]func(testing.TB) string{
		"C":  func(t testing.TB) string { return cModule(t, "../templates/c/start.c") },
		"Go": func(t testing.TB) string { return goModule(t, copied(t, "../templates/start.go.txt")) },
	} {
		t.Run(name, func(t *testing.T) {
			carrier, err := wasm.Open(wasm.Module{Path: module(t), Patience: slow, Settings: map[string]float64{"instances": 3}})
			if err != nil {
				t.Fatal(err)
			}
			defer carrier.Close()
			if s, err := carrier.Settings(); err != nil || len(s) != 1 || s[0].Name != "instances" || s[0].Default != 4.0 || *s[0].Max != 4096 || !s[0].Whole {
				t.Errorf("settings %+v, %v", s, err)
			}
			for seed := range uint64(5) {
				theirs := plugin.New("cheapest", func() (plugin.Carrier, error) { return carrier, nil })
				if want, got := run(t, cheapest{}, seed, simtest.Jobs(1)), run(t, theirs, seed, simtest.Jobs(1)); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d:\n%+v\nwant\n%+v", seed, got, want)
				}
			}
		})
	}
}

// readsView is testdata/look.c in Go.
type readsView struct {
	market *sim.Market
	asked  int
}

func (*readsView) Name() string { return "looks" }

func (l *readsView) Decide(v sim.View, plan *sim.Plan) {
	at := l.asked % v.Pools()
	l.asked++
	sum := 0.0
	for p := range v.Pools() {
		x, move, pool := v.Seen(p), v.Job(0).Move(at, p), v.Pool(p)
		gone := v.Leaving(p, nil)
		state := 0.0
		if v.Job(0).StateIn(p) {
			state = 1
		}
		sum += v.PriceAt(p, v.Now()/2) + float64(x.Removals) + float64(x.Arrivals) + float64(x.Grants) + x.Held.Seconds() + x.Waited.Seconds() +
			state + move.USD + move.Time.Seconds() + float64(len(gone))
		sum += orElse(x.RefusedAt, 1) + orElse(x.TakenAt, 2)
		for _, t := range gone {
			sum += float64(t) / 1e6
		}
		reserved := map[bool]float64{true: 1}[pool.Reserved]
		sum += float64(min(l.market.Apart(p, at), 3)) + reserved + pool.NoticeMissing + pool.Wait.Seconds() + pool.Length.Seconds()
	}
	sum -= 60 * float64(uint64(sum/60))
	clear(plan.Jobs[0].Hold)
	plan.Jobs[0].Hold[at] = 1 + int(sum/20)
	plan.Jobs[0].Drain = l.asked%2 == 1
	plan.WakeIn(time.Duration(600+uint32(sum)) * time.Second)
	plan.WaitFor(sim.TriggerNotice | sim.TriggerGone)
	plan.WakeWhen(sim.Waited(0, time.Duration(120+uint32(sum))*time.Second).Every(time.Minute))
}

func orElse(t sim.Time, otherwise float64) float64 {
	if t == sim.Never {
		return otherwise
	}
	return float64(t) / 1e6
}

// far makes moves take what the names of pools say.
type far struct{}

func (far) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	return sim.Move{USD: float64(len(from.Name)) / 100, Time: time.Duration(len(to.Name)) * time.Second}
}

// A module sees of pools, and waits for, what a policy in Go does.
func TestReadsView(t *testing.T) {
	carrier, err := wasm.Open(wasm.Module{Path: cModule(t, "testdata/look.c"), Patience: slow})
	if err != nil {
		t.Fatal(err)
	}
	defer carrier.Close()
	for seed := range uint64(6) {
		traces := simtest.Traces(seed, 6*time.Hour)
		for i := range traces {
			p := &traces[i].Pool
			p.Region, p.Above = fmt.Sprint("rack ", i/2), []string{fmt.Sprint("pod ", i/4)}
			p.Reserved = i == 5
		}
		traces[1].Wait, traces[1].Length = 5*time.Minute, 2*time.Hour
		market, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), traces)
		if err != nil {
			t.Fatal(err)
		}
		totals := func(p sim.Policy) *sim.Totals {
			w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(1), Policy: p, Seed: seed, Billing: sim.PerSecond(), Moves: far{}})
			if err != nil {
				t.Fatal(err)
			}
			return w.Run()
		}
		theirs := plugin.New("looks", func() (plugin.Carrier, error) { return carrier, nil })
		want, got := totals(&readsView{market: market}), totals(theirs)
		if !reflect.DeepEqual(got, want) || want.Decisions < 5 {
			t.Fatalf("seed %d:\n%+v\nwant\n%+v", seed, got, want)
		}
	}
}
