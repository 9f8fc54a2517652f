package icac19

import (
	"context"
	"github.com/marigram/marigram/papers/internal/world"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers"
)

// What the claims compare with is what the material measured.
func TestPublishedAgainstMaterial(t *testing.T) {
	numbers := near.Count(t)
	byName := map[string]papers.Claim{}
	for _, c := range papers.Published() {
		byName[c.Name] = c
	}
	check := func(name, want string) {
		c, ok := byName[name]
		if w := testutil.Number(t, want); !ok || numbers.Off(c.Published, w, 2e-5*w) {
			t.Errorf("%s: %v, the material has %s", name, c.Published, want)
		}
	}
	for _, r := range testutil.Rows(t, "papers/icac19/testdata/icac19_revocation_runs.csv") {
		check("icac19/revocations/"+r["cluster"]+"-"+r["zone"]+"-"+r["run"], r["measured_duration_s"])
	}
	for _, r := range testutil.Rows(t, "papers/icac19/testdata/icac19_sum_of_speeds.csv") {
		c := icac19Cluster{Experiment: r["experiment"], K80: int(testutil.Number(t, r["n_k80"])), P100: int(testutil.Number(t, r["n_p100"])),
			V100: int(testutil.Number(t, r["n_v100"])), Servers: int(testutil.Number(t, r["n_ps"]))}
		check("icac19/speeds/"+c.name(), r["measured_steps_per_s"])
		_, single := icac19Clusters(64000)
		if sum := c.point(64000, single).Sum; numbers.Off(sum, testutil.Number(t, r["sum_of_single_gpu_speeds"]), 1e-3) {
			t.Errorf("%s: sum %v, the material has %s", c.name(), sum, r["sum_of_single_gpu_speeds"])
		}
	}
}

// Every bill that the material says follows the rule does so to 1e-6 USD.
func TestCostsAgainstMaterial(t *testing.T) {
	check := near.Count(t)
	rows := testutil.Rows(t, "papers/icac19/testdata/icac19_cost.csv")
	runs := map[string]icac19Run{}
	for _, r := range facts.Read[icac19Run]("icac19_k80_spot") {
		runs[r.name()] = r
	}
	for _, r := range rows {
		run, ok := runs[r["cluster"]+"-"+r["zone"]+"-"+r["run"]]
		usd := run.usd(run.Seconds, testutil.Number(t, r["k80_usd_per_s"]), testutil.Number(t, r["ps_usd_per_s"]))
		if matches := !check.Off(usd, testutil.Number(t, r["expected_cost_usd"]), 1e-6); !ok || matches != (r["match_1e-6"] == "1") {
			t.Errorf("%s: %v USD, the material has %s, match %s", run.name(), usd, r["expected_cost_usd"], r["match_1e-6"])
		}
	}
}

// A claim cannot hold by itself: without its workers' losses a run is too fast,
// and with the sum of speeds for a law saturated clusters are.
func TestClaimsCanFail(t *testing.T) {
	check := near.Count(t)
	law, speed, err := icac19K80Law(64000)
	if err != nil {
		t.Fatal(err)
	}
	list, err := papers.Select("icac19/revocations/4xK80-us-west1-b-2") // loses two workers early
	if err != nil {
		t.Fatal(err)
	}
	lost, err := papers.Run(context.Background(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	idle, err := world.TrainFixed(64000, speed, law, 4, nil)
	if err != nil || idle > .6**lost[0].Simulated {
		t.Errorf("undisturbed %v s, with two losses %v s, %v", idle, *lost[0].Simulated, err)
	}
	clusters, single := icac19Clusters(64000)
	far := 0
	for _, c := range clusters {
		if p := c.point(64000, single); check.OffRel(p.Sum, p.Speed, .1) {
			far++
		}
	}
	if far < 10 {
		t.Errorf("speeds add up within 10 %% but for %d clusters, expected more", far)
	}
}
