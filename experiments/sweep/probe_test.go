package sweep

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// A probe says within a factor of 3 what a sweep takes: one of many short runs, in more
// cells than are kept open, and one of few whose first runs take many times as long as the
// others. The clock is processor time, of which other programs take none.
func TestProbeIsNotFarOff(t *testing.T) {
	if testutil.Size(0, 1) == 0 {
		t.Skip("compares times of the processor for seconds: make -C tools suites runs it")
	}
	clock := func() time.Time { return time.Unix(0, int64(1e9*tracetest.CPUSeconds(t))) }
	const light = `base: quickstart
seeds: 8
matrix: {market.replay.notice_s: [0, 5, 10, 20, 30, 45, 60, 75, 90, 120, 150, 180]}
`
	const heavy = `base: heavy.yaml
seeds: 16
matrix: {market.replay.notice_s: [30, 120]}
`
	for name, text := range map[string]string{"light": light, "heavy": heavy} {
		dir := t.TempDir()
		for file, text := range map[string]string{"sweep.yaml": text, "heavy.yaml": heavySpec} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(filepath.Join(dir, "sweep.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := s.Plan(context.Background(), "test", "")
		if err != nil {
			t.Fatal(err)
		}
		off := 0.0
		for try := range 3 { // what other programs do to caches comes and goes
			e, err := plan.probe(context.Background(), clock)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := plan.Begin(filepath.Join(dir, "out", string(rune('a'+try))))
			if err != nil {
				t.Fatal(err)
			}
			began := clock()
			if _, err := folder.Run(context.Background(), Options{Workers: 1, Shard: Whole}); err != nil {
				t.Fatal(err)
			}
			took := clock().Sub(began).Seconds()
			t.Logf("%s: %.2f s (%.2f to %.2f) estimated from %d runs of %d cells, %.2f s taken", name, e.TotalSeconds, e.MinSeconds, e.MaxSeconds,
				e.Probed, e.Cells, took)
			if off = max(e.TotalSeconds/took, took/e.TotalSeconds); off < 3 {
				break
			}
		}
		if off >= 3 {
			t.Errorf("%s: off by a factor of %.1f", name, off)
		}
	}
}

const heavySpec = `name: heavy
model:
  data_parallel:
    steps: 600000
    batch: 512
    measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 0.484}, {type: p3.2xlarge, workers: 4, steps_per_s: 1.499}]
    workers: {max: 8}
    restart_s: 120
    save_s: 20
objectives: [{within: 200h}]
policies: [{name: greedy}, {name: checkpoint}]
market:
  synthetic: {zones: 3}
  pools: [{type: p3.2xlarge, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 3.06}]
`
