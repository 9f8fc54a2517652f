package pipeline

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

func parcaeRows(t *testing.T, name string) []map[string]string {
	t.Helper()
	return testutil.Rows(t, "papers/parcae/testdata/"+name)
}

func float(t *testing.T, s string) float64 { return testutil.Number(t, s) }

func whole(t *testing.T, s string) int { return int(float(t, s)) }

func parcae(t testing.TB, name string) *Parcae {
	t.Helper()
	m, err := LoadParcae(name)
	if err != nil {
		t.Fatal(err)
	}
	m.Quirks = ParcaeAsPublished()
	return m
}

func TestTransferTime(t *testing.T) {
	check := near.Count(t)
	table := parcaeTransfers()
	for _, r := range parcaeRows(t, "p2p_oracle.csv") {
		if got, want := table.Time(float(t, r["volume_bytes"])), float(t, r["cost_ms"]); check.OffRel(got, want, 1e-15) {
			t.Errorf("%s bytes: %v ms, want %v", r["volume_bytes"], got, want)
		}
	}
}

// The facts that come with marigram are the material's.
func TestParcaeFacts(t *testing.T) {
	for _, name := range ParcaeNetworks() {
		m := parcae(t, name)
		for _, r := range parcaeRows(t, "throughput_by_config.csv") {
			if r["model"] == name && m.Speed(whole(t, r["d_pipelines"]), whole(t, r["p_stages"])) != float(t, r["samples_per_s"]) {
				t.Errorf("%s %s x %s: other speed", name, r["d_pipelines"], r["p_stages"])
			}
		}
		for _, r := range parcaeRows(t, "best_config_by_instances.csv") {
			if r["model"] != name {
				continue
			}
			d, p := m.Best(whole(t, r["n_instances"]))
			if r["best_d"] == "" {
				r["best_d"], r["best_p"] = "0", "0"
			}
			if d != whole(t, r["best_d"]) || p != whole(t, r["best_p"]) {
				t.Errorf("%s on %s: best %d x %d, want %s x %s", name, r["n_instances"], d, p, r["best_d"], r["best_p"])
			}
		}
	}
}

func TestPartition(t *testing.T) {
	check := near.Count(t)
	for _, r := range parcaeRows(t, "stage_partition.csv") {
		m, p := parcae(t, r["model"]), whole(t, r["p_stages"])
		for i, want := range strings.Fields(r["layer_boundaries"]) {
			if got := m.plans[p].bounds[i]; got != whole(t, want) {
				t.Errorf("%s in %d stages: bound %d is %d, want %s", r["model"], p, i, got, want)
			}
		}
		if got := m.plans[p].broadcast; check.OffRel(got, float(t, r["bcast_cost_ms"]), 1e-8) {
			t.Errorf("%s in %d stages: broadcast %v, want %s", r["model"], p, got, r["bcast_cost_ms"])
		}
	}
}

func TestRestartTime(t *testing.T) {
	check := near.Count(t)
	for _, r := range parcaeRows(t, "restart_costs.csv") {
		m, d, p := parcae(t, r["model"]), whole(t, r["d_pipelines"]), whole(t, r["p_stages"])
		for want, got := range map[string]float64{
			"restart_cost_ms_add":    m.RestartTime(d, p, true),
			"restart_cost_ms_remove": m.RestartTime(d, p, false),
			"intra_stage_cost_ms":    m.regroup(d, p),
		} {
			if check.Off(got, float(t, r[want]), 0.051) { // the table is rounded
				t.Errorf("%s %d x %d: %s %v, want %s", r["model"], d, p, want, got, r[want])
			}
		}
	}
}

func TestMigrate(t *testing.T) {
	check := near.Count(t)
	for _, r := range parcaeRows(t, "oracle_single_migration.csv") {
		var preempted []int
		for _, id := range strings.Fields(r["preempted_instance_ids"]) {
			preempted = append(preempted, whole(t, id))
		}
		kind, cost := parcae(t, r["model"]).migrate(whole(t, r["d_before"]), whole(t, r["p_before"]), preempted, whole(t, r["d_after"]), whole(t, r["p_after"]))
		want, _, _ := strings.Cut(r["kind"], " with")
		if kind.String() != want || check.OffRel(cost, float(t, r["cost_ms"]), 1e-9) {
			t.Errorf("%v: %v %v", r, kind, cost)
		}
	}
}

func TestExpectMigration(t *testing.T) {
	check := near.Count(t)
	worst := 0.0
	for _, r := range parcaeRows(t, "oracle_expected_migration_cost.csv") {
		from := Exposed{whole(t, r["d_before"]), whole(t, r["p_before"]), whole(t, r["n_instances_before"]), whole(t, r["n_remove"])}
		got, stderr := parcae(t, r["model"]).ExpectMigration(from, whole(t, r["d_after"]), whole(t, r["p_after"]))
		want := float(t, r["expected_cost_ms"])
		if check.OffRel(got, want, 1e-9) || stderr != 0 {
			t.Errorf("%v: %v +- %v", r, got, stderr)
		}
		worst = max(worst, math.Abs(got-want)/max(want, 1))
	}
	t.Logf("largest relative error %.2g", worst)
}
