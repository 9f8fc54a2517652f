package formats_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// anyRun makes a run of random events.
func anyRun(seed uint64, relative bool) *ownruns.Run {
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	kinds := ownruns.Kinds()
	at := int64(1767312000e6)
	if relative {
		at = 0
	}
	var events []ownruns.Event
	for i := range 2 + rng.IntN(60) {
		info := kinds[rng.IntN(len(kinds))]
		at += rng.Int64N(3) * rng.Int64N(200e6)
		e := ownruns.Event{T: at, Kind: info.Kind, Value: math.NaN(), Line: int32(i)}
		if info.Kind.OfMachine() || info.Kind == ownruns.Requested || info.Kind == ownruns.Charge || info.Kind == ownruns.Price {
			e.Instance = pick("i-1", "i-2", "node-3", "i 4", `i"5,`, "é")
			e.Type = pick("p3.2xlarge", "a2-highgpu-1g", "t,4")
			e.Zone = pick("", "us-east-2b", "us-central1-c", "part ition")
			e.OnDemand = rng.IntN(3) == 0
		}
		if info.Need == ownruns.Required || info.Need == ownruns.Optional && rng.IntN(2) == 0 {
			e.Value = math.Trunc(max(info.Min, min(info.Max, 1000*rng.Float64()))*1e3) / 1e3
			if info.Kind == ownruns.Step && rng.IntN(2) == 0 || info.Kind == ownruns.Requested {
				e.Value = math.Floor(e.Value + 1)
			}
		}
		events = append(events, e)
	}
	r, err := ownruns.New("run", relative, []string{"run"}, events)
	if err != nil {
		panic(err)
	}
	return r
}

// said is what events say, as text.
func said(t *testing.T, events []ownruns.Event, relative bool) string {
	t.Helper()
	for i := range events {
		events[i].File, events[i].Line = 0, 0
	}
	r, err := ownruns.New("r", relative, []string{"f"}, events)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var b bytes.Buffer
	if err := ownruns.WriteCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(b.Bytes(), []byte("\n"))
	for _, l := range lines {
		count[string(l)]++
	}
	return fmt.Sprint(count) // in the order of the lines' text: at one instant events have no order
}

// What a format can say of a run comes back when it is written and read again, whatever the
// run; and the format is recognised.
func TestRunRoundTrip(t *testing.T) {
	for _, f := range formats.RunFormats() {
		t.Run(f.Name, func(t *testing.T) {
			kept := map[ownruns.Kind]bool{}
			for seed := range uint64(40) {
				relative := seed%4 == 3 && (f.Name == "plain-csv" || f.Name == "wandb-csv" || f.Name == "trainer-csv")
				r := anyRun(seed, relative)
				keep := f.Records.Keep(r)
				if len(keep) == 0 {
					continue
				}
				for _, e := range keep {
					kept[e.Kind] = true
				}
				var b bytes.Buffer
				if _, err := formats.ExportRun(f.Name, r, &b); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "run.txt")
				if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				back, err := formats.ImportRun("", []string{path}, traces.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, b.Bytes())
				}
				if got, want := said(t, back.Events, back.Relative), said(t, keep, relative); got != want {
					t.Fatalf("seed %d: came back as\n%s\nexpected\n%s\nof\n%s", seed, got, want, b.Bytes())
				}
			}
			if len(kept) == 0 {
				t.Error("no run has anything that the format can say")
			}
		})
	}
}
