package experiments_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const renting = `name: renting
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.6, within: 6h}]
policies: [{name: ondemand}, {name: reactive}, {name: spotdnn}, {name: mixed}, {name: "safe:reactive"}]
market:
  synthetic: {regions: 3, zones: 2, machines: 4}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`

// rentingStudy opens a spec.
func rentingStudy(t *testing.T, text string) (*experiments.Study, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "renting.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Open(path)
	if err != nil {
		return nil, err
	}
	return experiments.NewStudy(s)
}

// rent runs each policy of the study once, and checks that the parts of each bill add up.
func rent(t *testing.T, text string) (rows []results.Summary) {
	t.Helper()
	s, err := rentingStudy(t, text)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Worker()
	for p := range s.Spec.Policies {
		row, err := w.Run(experiments.Case{Policy: p, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Check(); err != nil {
			t.Error(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// Whatever a policy does, a commitment is paid from its start to its end, and the parts of the
// bill add up to it.
func TestCommitmentsArePaid(t *testing.T) {
	check := near.Count(t)
	plain := rent(t, renting)
	rows := rent(t, renting+`  commitments:
    - {kind: capacity_block, type: p3.2xlarge, instances: 2, usd_per_h: 4, from_h: 1, until_h: 9.5}
    - {kind: savings_plan, type: p3.2xlarge, instances: 1, usd_per_h: 2, until_h: 24}
    - {kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1.5}
  billing: {checkpoint: {gb: 2, keep: 2, usd_per_gb_month: 0.023}, clouds: [{cloud: synthetic, increment_s: 3600}], tax: 0.19}
  quotas: [{instances: 6, region: synthetic-1}, {instances: 3, zone: synthetic-1a}, {instances: 3, type: p3.2xlarge, on_demand: true}]
`)
	for i, row := range rows {
		lasted := row.LastedS() / 3600
		if want := 2*4*8.5 + 2*24 + 1.5*lasted; check.Off(row.CostCommitmentsUSD, want, 1e-9) {
			t.Errorf("%s: commitments %v USD, expected %v", row.Policy, row.CostCommitmentsUSD, want)
		}
		if row.CostSpotUSD < 0 || row.CostOnDemandUSD < 0 || plain[i].CostCommitmentsUSD != 0 || plain[i].CostCheckpointsUSD != 0 {
			t.Errorf("%s: spot %v, on demand %v", row.Policy, row.CostSpotUSD, row.CostOnDemandUSD)
		}
	}
	if a, b := rows[0].CostOnDemandUSD, plain[0].CostOnDemandUSD; !(a < b) {
		t.Errorf("on demand costs %v where two of four are paid already, %v without", a, b)
	}
}

// A queue delays what it grants by the wait, and takes it back after the length.
func TestQueuedCapacity(t *testing.T) {
	policies := "policies: [{name: reactive}, {name: spotdnn}]"
	plain := strings.Replace(renting, renting[strings.Index(renting, "policies:"):strings.Index(renting, "market:")], policies+"\n", 1)
	plain = strings.Replace(plain, "machines: 4", "machines: 400", 1)
	queued := strings.Replace(plain, "quota: 4,", "quota: 4, queue: {wait_s: 7200, length_s: 3600},", 1)
	before := rent(t, plain)
	for i, row := range rent(t, queued) {
		if row.Preemptions == 0 || row.LastedS() < before[i].LastedS()+7200 {
			t.Errorf("%s: %d grants, %d removals, %v s; without a queue %v s", row.Policy, row.Grants, row.Preemptions, row.LastedS(), before[i].LastedS())
		}
	}
}

// With a spread the wait is drawn at the request: seeds differ.
func TestWaitsAreDrawn(t *testing.T) {
	s, err := rentingStudy(t, strings.Replace(renting, "quota: 4,", "quota: 4, queue: {wait_s: 7200, wait_sigma: 0.5, length_s: 3600},", 1))
	if err != nil {
		t.Fatal(err)
	}
	all, err := market.Of(s.Spec)
	if err != nil {
		t.Fatal(err)
	}
	a, err := all.For(1)
	if err != nil {
		t.Fatal(err)
	}
	if p := a.Pool(0); p.Wait != 2*time.Hour || p.WaitSigma != 0.5 || p.Length != time.Hour {
		t.Errorf("wait %v, spread %v, length %v", p.Wait, p.WaitSigma, p.Length)
	}
}

// A reservation of one region covers what is held on demand there, and not in another. The job holds
// one instance for two hours: on demand costs the same everywhere, and the first region is taken.
func TestReservationOfARegion(t *testing.T) {
	check := near.Count(t)
	const text = renting + "  on_demand: region\n  moves: {gb: 10, usd_per_gb: 1}\n"
	rows := rent(t, text)
	for region, covers := range map[string]bool{"synthetic-1": true, "synthetic-3": false} {
		reserved := rent(t, text+"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 4, usd_per_h: 1, region: "+region+"}]\n")[0]
		if want := 4 * reserved.LastedS() / 3600; check.Off(reserved.CostCommitmentsUSD, want, 1e-9) {
			t.Errorf("%s: commitments %v USD, expected %v", region, reserved.CostCommitmentsUSD, want)
		}
		if plain := rows[0].CostOnDemandUSD; reserved.CostOnDemandUSD != map[bool]float64{true: 0, false: plain}[covers] || plain == 0 {
			t.Errorf("%s: on demand costs %v, without a reservation %v", region, reserved.CostOnDemandUSD, plain)
		}
	}
}

// Where a price is given, no move between regions is free: also not by way of on demand.
func TestMovesToOnDemandArePaid(t *testing.T) {
	for _, by := range []string{"type", "region"} {
		s, err := rentingStudy(t, renting+"  on_demand: "+by+"\n  moves: {gb: 10, usd_per_gb: 1}\n")
		if err != nil {
			t.Fatal(err)
		}
		all, err := market.Of(s.Spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := all.For(1)
		if err != nil {
			t.Fatal(err)
		}
		free := 0
		for a := range m.Pools() {
			for b := range m.Pools() {
				x, y := m.Pool(a), m.Pool(b)
				if far := x.Region != y.Region || x.OnDemand != y.OnDemand && by == "type"; far && all.Moves().Move(nil, x, y).USD == 0 {
					free++
				}
			}
		}
		warned := strings.Contains(strings.Join(all.Warnings, ";"), "moves to pools on demand")
		if want := by == "type"; (free > 0) != want || warned != want {
			t.Errorf("on_demand: %s: %d pairs of pools between which moves are free, warned %v", by, free, warned)
		}
	}
}

func TestBadRenting(t *testing.T) {
	for more, want := range map[string]string{
		"  quotas: [{region: x}]": "instances is missing", "  quotas: [{instances: 0}]": "expected 1 to",
		"  quotas: [{instances: 1, region: x}]":                                                                              "no pool is spot x",
		"  commitments: [{kind: x, type: p3.2xlarge, instances: 1, usd_per_h: 1}]":                                           "expected reservation",
		"  commitments: [{kind: reservation, type: x, instances: 1, usd_per_h: 1}]":                                          "type of one of the pools",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 0, usd_per_h: 1}]":                                 "instances",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: -1}]":                                "usd_per_h",
		"  commitments: [{kind: capacity_block, type: p3.2xlarge, instances: 1, usd_per_h: 1}]":                              "until_h is missing",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, zone: a}]":                        "capacity_block",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, from_h: 3, until_h: 2}]":          "more than from_h",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, region: synthetic-1}]":            "market.on_demand: region",
		"  on_demand: region\n  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, region: x}]": "is in region \"x\"",
		"  on_demand: x":                      "expected type or region",
		"  billing: {clouds: [{cloud: aws}]}": "increment_s, minimum_s or both", "  billing: {clouds: [{cloud: aws, minimum_s: -1}]}": "minimum_s",
		"  billing: {checkpoint: {gb: 0, usd_per_gb_month: 1}}":           "gb: 0, expected more than 0",
		"  billing: {checkpoint: {gb: 1, keep: -1, usd_per_gb_month: 1}}": "keep",
	} {
		if _, err := rentingStudy(t, renting+more+"\n"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "renting.yaml:") {
			t.Errorf("%s: %v, expected %q", more, err, want)
		}
	}
}
