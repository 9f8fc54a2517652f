package ps

import (
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/fit"
)

func init() { fit.Register(checkpointTime) }

// checkpointTime is CM-DARE's time of a checkpoint.
var checkpointTime = fit.LinearFamily(fit.Family{
	Name:    "checkpoint-time",
	Formula: "checkpoint_s = a + b checkpoint_mb",
	Source:  "CM-DARE (ICDCS 2020), the linear model of checkpoint times",
	Target:  "checkpoint_s",
	Inputs:  []string{"checkpoint_mb"},
	Same:    []string{"instance_type"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "what any checkpoint takes"},
		{Name: "b", Unit: "s/MB", Doc: "1/b is the bandwidth to the store"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{1, m.CheckpointMB} })

type checkpointFact struct {
	Network string  `col:"model"`
	Split   string  `col:"split"`
	MB      float64 `col:"size_mb"`
	Seconds float64 `col:"time_s"`
}

// CheckpointTimes returns CM-DARE's measured times of a checkpoint, seconds, by
// its size, MB: all samples, or the means of the networks that the authors train
// on.
func CheckpointTimes(means bool) (x [][]float64, y []float64) {
	samples := 0.
	last := ""
	for _, r := range facts.Read[checkpointFact]("cmdare_checkpoints") {
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
