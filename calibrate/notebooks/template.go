package notebooks

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// maxTemplate bounds what is read of a template, bytes.
const maxTemplate = 256 << 20

// ReadTemplate reads the sessions of a workload template of NotebookOS's dashboard (JSON:
// sessions with start_tick, stop_tick, max_resource_request.gpus and trainings), whose ticks
// last n seconds: 60 in its public one. A cell shorter than a tick is one tick there.
// Errors name the session.
func ReadTemplate(r io.Reader, tickS int) ([]Session, error) {
	var doc struct {
		Sessions []struct {
			Start    int `json:"start_tick"`
			Stop     int `json:"stop_tick"`
			Resource struct {
				GPUs float64 `json:"gpus"`
			} `json:"max_resource_request"`
			Trainings []struct {
				Start    int     `json:"start_tick"`
				Duration int     `json:"duration_in_ticks"`
				GPUs     float64 `json:"gpus"`
			} `json:"trainings"`
		} `json:"sessions"`
	}
	if err := json.NewDecoder(io.LimitReader(r, maxTemplate)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if tickS < 1 || tickS > 86400 {
		return nil, fmt.Errorf("ticks of %d s, expected 1 to 86400", tickS)
	}
	var out []Session
	for i, x := range doc.Sessions {
		whole := func(v float64) bool { return v == float64(int(v)) && v >= 0 && v <= 1e6 }
		fits := func(t int) bool { return t >= 0 && t <= maxTime/tickS }
		if !fits(x.Start) || !fits(x.Stop) || !whole(x.Resource.GPUs) {
			return nil, fmt.Errorf("template: session %d: ticks %d to %d, %v GPUs, expected ticks from 0 and whole GPUs", i, x.Start, x.Stop, x.Resource.GPUs)
		}
		s := Session{Number: i, Start: x.Start * tickS, Stop: x.Stop * tickS, GPUs: int(x.Resource.GPUs)}
		for k, c := range x.Trainings {
			if !fits(c.Start) || !fits(c.Duration) || !whole(c.GPUs) {
				return nil, fmt.Errorf("template: session %d: training %d: tick %d for %d ticks, %v GPUs, expected ticks from 0 and whole GPUs", i, k, c.Start,
					c.Duration, c.GPUs)
			}
			s.Cells = append(s.Cells, Cell{c.Start * tickS, c.Duration * tickS, int(c.GPUs)})
		}
		slices.SortStableFunc(s.Cells, func(a, b Cell) int { return a.Start - b.Start })
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("template: no sessions")
	}
	return out, nil
}
