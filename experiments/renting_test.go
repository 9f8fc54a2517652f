package experiments_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
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
		if want := 2*4*8.5 + 2*24 + 1.5*lasted; math.Abs(row.CostCommitmentsUSD-want) > 1e-9 {
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

func TestBadRenting(t *testing.T) {
	for more, want := range map[string]string{
		"  quotas: [{region: x}]": "instances is missing", "  quotas: [{instances: 0}]": "expected 1 to",
		"  quotas: [{instances: 1, region: x}]":                                                                     "no pool is spot x",
		"  commitments: [{kind: x, type: p3.2xlarge, instances: 1, usd_per_h: 1}]":                                  "expected reservation",
		"  commitments: [{kind: reservation, type: x, instances: 1, usd_per_h: 1}]":                                 "type of one of the pools",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 0, usd_per_h: 1}]":                        "instances",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: -1}]":                       "usd_per_h",
		"  commitments: [{kind: capacity_block, type: p3.2xlarge, instances: 1, usd_per_h: 1}]":                     "until_h is missing",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, zone: a}]":               "capacity_block",
		"  commitments: [{kind: reservation, type: p3.2xlarge, instances: 1, usd_per_h: 1, from_h: 3, until_h: 2}]": "more than from_h",
		"  billing: {clouds: [{cloud: aws}]}":                                                                       "increment_s, minimum_s or both", "  billing: {clouds: [{cloud: aws, minimum_s: -1}]}": "minimum_s",
		"  billing: {checkpoint: {gb: 0, usd_per_gb_month: 1}}": "gb is 0", "  billing: {checkpoint: {gb: 1, keep: -1, usd_per_gb_month: 1}}": "keep",
	} {
		if _, err := rentingStudy(t, renting+more+"\n"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "renting.yaml:") {
			t.Errorf("%s: %v, expected %q", more, err, want)
		}
	}
}
