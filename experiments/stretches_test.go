package experiments

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// wholeRecorder keeps all that a recorder is told of pools: what a row for each pool in each interval would say.
type wholeRecorder struct {
	*jobRecorder
	pools [][]sim.PoolSpan
	ends  []sim.Time
	usd   []float64
}

func (r *wholeRecorder) Span(s *sim.Span) {
	r.pools, r.ends, r.usd = append(r.pools, slices.Clone(s.Pools)), append(r.ends, s.To), append(r.usd, s.USD)
	r.jobRecorder.Span(s)
}

// In a market of 100 pools a row is written where the state of its pool changes, and in all intervals of the first pool
// and of those that are used: a twentieth of a row for each pool in each interval. All of that can be read back from
// them.
func TestSpansOfManyPools(t *testing.T) {
	s, err := spec.Parse("pools", []byte(`{"name": "pools", "model": {"published": "spotdnn-resnet110", "begin_loss": 4.605}, "objectives": `+
		`[{"loss": 0.54, "within": "6h"}],
		"policies": [{"name": "reactive"}], "market": {"synthetic": {"regions": 5, "zones": 20, "machines": 16},
		"pools": [{"type": "p3.2xlarge", "quota": 2, "on_demand_quota": 4, "on_demand_usd_per_h": 3.06}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	of, err := NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	w := of.Worker()
	policy, err := s.Policies[0].New()
	if err != nil {
		t.Fatal(err)
	}
	config, err := w.Config(Case{Seed: s.Seed}, policy)
	if err != nil {
		t.Fatal(err)
	}
	r := &wholeRecorder{jobRecorder: newJobRecorder(label{}, config.Market, config.Start, nil)}
	config.Recorder = r
	world, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	r.close(world.Run().End)

	changes, i := 0, 0
	for rows, err := range results.Stretches(r.rows.Spans) {
		if err != nil {
			t.Fatal(err)
		}
		if rows[0].EndS != r.elapsed(r.ends[i]) || rows[0].CostUSD != r.usd[i] {
			t.Fatalf("interval %d until %v s, %v USD, want %v s, %v USD", i, rows[0].EndS, rows[0].CostUSD, r.elapsed(r.ends[i]), r.usd[i])
		}
		for p := range rows {
			x, row := r.pools[i][p], &rows[p]
			if row.PriceUSDPerH != x.Price || (row.Capacity == nil) != (x.Capacity < 0) || row.Capacity != nil && int(*row.Capacity) != x.Capacity ||
				int(row.Ready) != x.Ready || int(row.Starting) != x.Starting ||
				int(row.Noticed) != x.Noticed || int(row.Waiting) != x.Waiting {
				t.Fatalf("interval %d, %s: %+v, want %+v", i, row.Pool, row, x)
			}
			if p == 0 || i == 0 || row.Used() || r.pools[i-1][p] != x {
				changes++
			}
		}
		i++
	}
	all := len(r.pools) * len(r.pools[0])
	if i != len(r.pools) || len(r.rows.Spans) != changes || 20*changes > all {
		t.Errorf("%d rows of %d intervals, want %d of %d, and at most a twentieth of %d", len(r.rows.Spans), i, changes, len(r.pools), all)
	}
	hours := func(spans []results.Span) (sum float64) {
		for i := range spans {
			sum += float64(spans[i].Held()) * (spans[i].EndS - spans[i].StartS) / 3600
		}
		return sum
	}
	whole := 0.0
	for rows := range results.Stretches(r.rows.Spans) {
		whole += hours(rows)
	}
	near.Rel(t, "instance-hours in the rows", hours(r.rows.Spans), whole, 1e-9)
	near.In(t, "instance-hours in the intervals", whole, 1, 1e6)
}
