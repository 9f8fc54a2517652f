package parcae

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/parcae/reference"
)

// distance reports how far forecasts stay below knowing the future, %, by
// look-ahead in one hour and at most over all networks and hours, and what a
// longer look-ahead is worth.
func distance(f *papers.Figure) error {
	var in struct {
		Replay  setting `json:"replay"`
		Network string  `json:"network"`
		Segment string  `json:"segment"`
		Ahead   []int   `json:"look_aheads"`
		Ratio   [2]int  `json:"ratio"` // look-aheads that are compared
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	worst := 0.0
	for _, network := range in.Replay.Networks {
		ideal, _, err := in.Replay.replay(network, reference.Proactive)
		if err != nil {
			return err
		}
		minutes, _, err := in.Replay.forecast(network)
		if err != nil {
			return err
		}
		for _, s := range pipeline.ParcaeSegments() {
			worst = max(worst, 100*(1-samplesOf(minutes, s)/samplesOf(ideal, s)))
			if network != in.Network || s.Name != in.Segment {
				continue
			}
			samples := map[int]float64{}
			for _, ahead := range in.Ahead {
				at := in.Replay
				at.Ahead = ahead
				minutes, _, err := at.forecast(network)
				if err != nil {
					return err
				}
				samples[ahead] = samplesOf(minutes, s)
			}
			f.Report(fmt.Sprintf("below-ideal-%d", in.Replay.Ahead), 100*(1-samples[in.Replay.Ahead]/samplesOf(ideal, s)))
			f.Report(fmt.Sprintf("look-ahead-%d-over-%d", in.Ratio[0], in.Ratio[1]), samples[in.Ratio[0]]/samples[in.Ratio[1]])
			best := in.Ahead[0]
			for _, ahead := range in.Ahead {
				if samples[ahead] > samples[best] {
					best = ahead
				}
			}
			f.Report("best-look-ahead", float64(best))
		}
	}
	f.Report("most-below-ideal", worst)
	return nil
}
