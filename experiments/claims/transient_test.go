package claims

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
)

// material returns the rows of a table of ../shared by column, or skips.
func material(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../shared", path))
	if err != nil {
		t.Skip("needs ../shared beside the checkout: ", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func parsed(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// What the claims compare with is what the material measured.
func TestPublishedAgainstMaterial(t *testing.T) {
	byName := map[string]Claim{}
	for _, c := range Published() {
		byName[c.Name] = c
	}
	check := func(name, want string) {
		c, ok := byName[name]
		if w := parsed(t, want); !ok || math.Abs(c.Published-w) > 2e-5*w {
			t.Errorf("%s: %v, the material has %s", name, c.Published, want)
		}
	}
	for _, r := range material(t, "oracles/transient/icac19_revocation_runs.csv") {
		check("icac19/revocations/"+r["cluster"]+"-"+r["zone"]+"-"+r["run"], r["measured_duration_s"])
	}
	for _, r := range material(t, "oracles/transient/icac19_sum_of_speeds.csv") {
		c := icac19Cluster{Experiment: r["experiment"], K80: int(parsed(t, r["n_k80"])), P100: int(parsed(t, r["n_p100"])),
			V100: int(parsed(t, r["n_v100"])), Servers: int(parsed(t, r["n_ps"]))}
		check("icac19/speeds/"+c.name(), r["measured_steps_per_s"])
		_, single := icac19Clusters(64000)
		if sum := c.point(64000, single).Sum; math.Abs(sum-parsed(t, r["sum_of_single_gpu_speeds"])) > 1e-3 {
			t.Errorf("%s: sum %v, the material has %s", c.name(), sum, r["sum_of_single_gpu_speeds"])
		}
	}
}

// Every bill that the material says follows the rule does so to 1e-6 USD.
func TestCostsAgainstMaterial(t *testing.T) {
	rows := material(t, "oracles/transient/icac19_cost.csv")
	runs := map[string]icac19Run{}
	for _, r := range facts.Read[icac19Run]("icac19_k80_spot") {
		runs[r.name()] = r
	}
	for _, r := range rows {
		run, ok := runs[r["cluster"]+"-"+r["zone"]+"-"+r["run"]]
		usd := run.usd(run.Seconds, parsed(t, r["k80_usd_per_s"]), parsed(t, r["ps_usd_per_s"]))
		if matches := math.Abs(usd-parsed(t, r["expected_cost_usd"])) < 1e-6; !ok || matches != (r["match_1e-6"] == "1") {
			t.Errorf("%s: %v USD, the material has %s, match %s", run.name(), usd, r["expected_cost_usd"], r["match_1e-6"])
		}
	}
}

// A claim cannot hold by itself: without its workers' losses a run is too fast,
// and with the sum of speeds for a law saturated clusters are.
func TestClaimsCanFail(t *testing.T) {
	law, speed, err := icac19K80Law(64000)
	if err != nil {
		t.Fatal(err)
	}
	f, err := reproduce(context.Background(), "icac19/revocations")
	if err != nil {
		t.Fatal(err)
	}
	const name = "4xK80-us-west1-b-2" // loses two workers early
	calm, err := trainFixed(64000, speed, law, 4, nil)
	if err != nil || calm > .6*f.values[name] {
		t.Errorf("undisturbed %v s, with two losses %v s, %v", calm, f.values[name], err)
	}
	clusters, single := icac19Clusters(64000)
	far := 0
	for _, c := range clusters {
		if p := c.point(64000, single); math.Abs(p.Sum/p.Speed-1) > .1 {
			far++
		}
	}
	if far < 10 {
		t.Errorf("speeds add up within 10 %% but for %d clusters, expected more", far)
	}
}
