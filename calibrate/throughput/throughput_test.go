package throughput

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// The table says what the authors' files say, of every kind in their order.
func TestGavel(t *testing.T) {
	kinds := testutil.Rows(t, "papers/gavel/testdata/gavel_job_types.csv")
	if len(Gavel().Kinds) != len(kinds) {
		t.Fatalf("%d kinds, expected %d", len(Gavel().Kinds), len(kinds))
	}
	for i, k := range kinds {
		several := Gavel().Speeds(k["job_type"], 8) != nil
		if Gavel().Kinds[i] != k["job_type"] || several != (k["multi_gpu_allowed"] == "1") {
			t.Errorf("kind %d is %s, several GPUs %v, expected %v", i, Gavel().Kinds[i], several, k)
		}
	}
	compared := 0
	for _, r := range testutil.Rows(t, "papers/gavel/testdata/gavel_throughputs.csv") {
		if r["placement"] != "consolidated" {
			continue
		}
		kind := r["model"]
		if batch := r["batch_size_per_gpu"]; batch != "" {
			kind += fmt.Sprintf(" (batch size %s)", batch)
		}
		table := GavelPhysical()
		if r["source"] == "gavel/simulation_throughputs.json" {
			table = Gavel()
		}
		got := table.Speed(kind, r["gpu_type"], int(testutil.Number(t, r["n_gpus"])))
		if want := testutil.Number(t, r["steps_per_s_aggregate"]); got != want {
			t.Errorf("%s: %v, expected %v", r, got, want)
		}
		compared++
	}
	if compared != 2*249 || Gavel().Speed("A3C", "v100", 2) != 0 || Gavel().Speed("A3C", "h100", 1) != 0 {
		t.Errorf("%d speeds compared, expected 498", compared)
	}
}
