package skynomad

import (
	"testing"

	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers/skynomad/reference"
	plan "github.com/marigram/marigram/policies/skynomad"
)

// BenchmarkSkyNomad is one run of SkyNomad as its public code counts: 6 zones, 34.6 h of work
// in 51.8 h, ticks of 10 minutes.
func BenchmarkSkyNomad(b *testing.B) {
	pulled.Dir(b, h100Probes)
	list, err := ZonesNamed("us-central1-a", "us-east4-b", "us-west1-a", "us-west1-b", "europe-west1-c", "asia-southeast1-b")
	if err != nil {
		b.Fatal(err)
	}
	job := reference.Job{Job: plan.Job{TickS: 600, WorkS: 186600 / 1.5, DeadlineS: 186600, RestartS: 720, CheckpointGB: 50}, Start: 311}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reference.Run("unified_cost_model_risk", reference.Options{}, job, list, nil); err != nil {
			b.Fatal(err)
		}
	}
}
