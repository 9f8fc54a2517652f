package cmdare

import (
	"embed"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
)

// checkpointTimes returns CM-DARE's measured times of a checkpoint, seconds, by
// its size, MB: all samples, or the means of the networks that the authors train
// on.
func checkpointTimes(means bool) (x [][]float64, y []float64) {
	samples := 0.
	last := ""
	for _, r := range facts.ReadFrom[checkpointFact](files, "checkpoints") {
		switch {
		case !means:
			x, y = append(x, []float64{r.MB}), append(y, r.Seconds)
		case r.Split != "train":
		case r.Network != last:
			last, samples = r.Network, 1
			x, y = append(x, []float64{r.MB}), append(y, r.Seconds)
		default:
			samples++
			y[len(y)-1] += (r.Seconds - y[len(y)-1]) / samples
		}
	}
	return x, y
}

type checkpointFact struct {
	Network string  `col:"model"`
	Split   string  `col:"split"`
	MB      float64 `col:"size_mb"`
	Seconds float64 `col:"time_s"`
}

// rollbackTimes returns CM-DARE's measured overheads, seconds, of single runs
// over the mean of those without a roll back, by steps since the checkpoint.
func rollbackTimes() (steps, seconds []float64) {
	type fact struct {
		Steps float64 `col:"steps_since_checkpoint"`
		Total float64 `col:"total_s"`
	}
	base, runs := 0., 0.
	for _, r := range facts.ReadFrom[fact](files, "rollback") {
		if math.IsNaN(r.Steps) {
			base, runs = base+r.Total, runs+1
			continue
		}
		steps, seconds = append(steps, r.Steps), append(seconds, r.Total)
	}
	for i := range seconds {
		seconds[i] -= base / runs
	}
	return steps, seconds
}

// startupTimes returns CM-DARE's measured times from the request for a GCE
// machine to its boot, seconds: of a GPU (K80, P100) on a market (on_demand,
// preemptible) in a region (us-east, us-west), or in both for "".
func startupTimes(gpu, market, region string) []float64 {
	type fact struct {
		GPU     string  `col:"gpu"`
		Market  string  `col:"market"`
		Region  string  `col:"region"`
		Seconds float64 `col:"time_s"`
	}
	var out []float64
	for _, r := range facts.Read[fact]("cmdare_startup") {
		if r.GPU == gpu && r.Market == market && (region == "" || r.Region == region) {
			out = append(out, r.Seconds)
		}
	}
	return out
}

// setupTimes returns CM-DARE's measured times from the boot of a machine to its
// worker's first step, seconds: for a network on a new machine ("cold") or one
// that has trained before ("warm").
func setupTimes(network, start string) []float64 {
	type fact struct {
		Network string  `col:"model"`
		Start   string  `col:"start"`
		Seconds float64 `col:"time_s"`
	}
	var out []float64
	for _, r := range facts.Read[fact]("cmdare_replacement") {
		if r.Network == network && r.Start == start {
			out = append(out, r.Seconds)
		}
	}
	return out
}

// distances returns the points of CM-DARE: two GPUs, four networks, 30 ms.
func distances() []ps.DistancePoint {
	type fact struct {
		GPU     string  `col:"gpu"`
		Network string  `col:"model"`
		Latency float64 `col:"latency_ms"`
		Seconds float64 `col:"step_s"`
	}
	bytes := map[string]float64{}
	for _, n := range facts.Read[networkFact]("cmdare_networks") {
		bytes[n.Name] = 4 * n.Parameters
	}
	rows := facts.ReadFrom[fact](files, "distance")
	var out []ps.DistancePoint
	for _, near := range rows {
		for _, far := range rows {
			if near.GPU == far.GPU && near.Network == far.Network && near.Latency < far.Latency {
				out = append(out, ps.DistancePoint{
					GPU: near.GPU, Network: near.Network, RTT: (far.Latency - near.Latency) / 1e3,
					Bytes: bytes[near.Network], Near: near.Seconds, Far: far.Seconds})
			}
		}
	}
	return out
}

//go:embed *.csv *.yaml
var files embed.FS
