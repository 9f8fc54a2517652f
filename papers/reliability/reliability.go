package reliability

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
)

// cluster is a published cluster: how many nodes fail how often, and what a failure costs a job.
type cluster struct {
	Nodes   int     `json:"nodes"`
	Rate    float64 `json:"per_1000_node_days"`
	Repair  float64 `json:"repair_s"`
	Save    float64 `json:"save_s"`
	Restart float64 `json:"restart_s"` // with the detection
}

// rates reports, of each published cluster, what is claimed of it: the hours between failures, the effective training time ratio with the
// best interval, or the nodes that are down.
func rates(f *papers.Figure) error {
	var in struct {
		Clusters map[string]cluster `json:"clusters"`
		Report   map[string]string  `json:"report"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for name, what := range in.Report {
		c, known := in.Clusters[name]
		if !known {
			return fmt.Errorf("report: a cluster %q, expected one of clusters", name)
		}
		nodes := formulas.Nodes{N: c.Nodes, Rate: c.Rate}
		switch what {
		case "hours":
			f.Report(name, nodes.MTTF()/3600)
		case "ettr":
			saves := policies.CheckpointInterval{Save: c.Save, MTBF: nodes.MTTF(), Restart: c.Restart}
			f.Report(name, 1/saves.Stretch(saves.Exact()))
		case "down":
			f.Report(name, nodes.Down(c.Repair))
		default:
			return fmt.Errorf("report: %q of %s, expected hours, ettr or down", what, name)
		}
	}
	return nil
}
