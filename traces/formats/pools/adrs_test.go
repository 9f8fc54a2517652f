package pools

import (
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// In a window of the ADRS problems 0 is available, whatever else looks like counts.
func TestWindow(t *testing.T) {
	const text = `{"generator": "random_start_time", "original_trace": "x", "metadata": {"gap_seconds": 600}, "data": [0, 1, 1]}`
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "us-west-2a_v100_1.json", text))
	if s.Capacity[0].Available != 1 || s.Capacity[1].Available != 0 || s.Manifest.Importer.Name != "adrs-trace" {
		t.Errorf("%+v by %s", s.Capacity, s.Manifest.Importer.Name)
	}
	const zone = `{"metadata": {"gap_seconds": 195, "source_file": "x"}, "data": [0, 1], "prices": [0.5, 0.6]}`
	s, _ = tracetest.Import(t, "adrs-trace", traces.Options{}, tracetest.File(t, "us-east-1c_v100_1.json", zone))
	if s.Capacity[0].Available != 1 || len(s.Prices) != 2 {
		t.Errorf("%+v, %+v", s.Capacity, s.Prices)
	}
}
