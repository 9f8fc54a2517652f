package parallel

import (
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// Every published speed is of a known kind, in order, and has a source.
func TestSpeeds(t *testing.T) {
	all := Speeds()
	for i, s := range all {
		if s.Network == "" || s.GPU == "" || s.GPUs < 1 || s.Node < 1 || !(s.SamplesPerS > 0) || !(s.Batch > 0) || s.Source == "" || s.Conditions == "" ||
			s.How != "measured" && s.How != "computed" {
			t.Errorf("row %d: %+v", i, s)
		}
	}
	if !slices.IsSortedFunc(all, func(a, b Speed) int { return strings.Compare(a.Network, b.Network) }) || len(all) < 100 {
		t.Errorf("%d rows, expected 100 or more by network", len(all))
	}
	speeds, err := PublishedSpeeds("llama-3.1-8b", "H100")
	if err != nil || len(speeds) != 2 {
		t.Fatal(speeds, err)
	}
	on := OnMachines(speeds, "p5.48xlarge", 8)
	if len(on) != 2 || on[0].Workers != 8 || on[1].Workers != 16 {
		t.Errorf("%+v", on)
	}
	near.Rel(t, "64 H100", on[0].SamplesPS, 83.286, 1e-3)
	for name, want := range map[string]string{"llama-3.1-8": "did you mean \"llama-3.1-8b\"?", "bert": "expected one of"} {
		if _, err := PublishedSpeeds(name, "H100"); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	if _, err := PublishedSpeeds("llama-3.1-8b", "V100"); err == nil || !strings.Contains(err.Error(), "only on B200, B300") {
		t.Error(err)
	}
}
