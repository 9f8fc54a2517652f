package throughput

import (
	"fmt"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/recorded"
)

// The table says what the authors' file says, of every pair in either order.
func TestGavelPairs(t *testing.T) {
	table := Gavel()
	kind := func(r map[string]string, which string) int {
		name := r["model_"+which]
		if batch := r["batch_"+which]; batch != "" {
			name += fmt.Sprintf(" (batch size %s)", batch)
		}
		return slices.Index(table.Kinds, name)
	}
	compared := 0
	for _, r := range recorded.Rows(t, "facts/clusters/gavel_colocation_throughputs.csv") {
		if r["placement"] != "consolidated" {
			continue
		}
		compared++
		speeds := GavelPairs().Together(kind(r, "a"), kind(r, "b"), int(recorded.Number(t, r["n_gpus_a"])))
		want := Pair{recorded.Number(t, r["steps_per_s_a"]), recorded.Number(t, r["steps_per_s_b"])}
		if m := slices.Index(table.GPUs, r["gpu_type"]); speeds == nil || speeds[m] != want {
			t.Fatalf("%v: %v, expected %v", r, speeds, want)
		}
	}
	if compared != 5277 || GavelPairs().Together(0, 0, 3) != nil {
		t.Errorf("%d speeds", compared)
	}
}
