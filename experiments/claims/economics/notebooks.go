package economics

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/experiments/claims"
)

func init() {
	claims.Register("notebooks-pool", pool)
}

// poolSetting is what differs from the default.
type poolSetting struct {
	Name   string `json:"name"`
	Every  int    `json:"every_s,omitempty"`
	Least  int    `json:"least,omitempty"`
	Buffer *int   `json:"buffer,omitempty"`
	Start  int    `json:"start_s,omitempty"`
	Most   int    `json:"most,omitempty"`
	Cold   int    `json:"cold_s,omitempty"`
}

// pool returns the settings of a pool.
func (s *poolSetting) pool() notebooks.Pool {
	p := notebooks.DefaultPool()
	p.Every, p.Least, p.Start = cmp.Or(s.Every, p.Every), cmp.Or(s.Least, p.Least), cmp.Or(s.Start, p.Start)
	p.Most, p.Cold = cmp.Or(s.Most, p.Most), cmp.Or(s.Cold, p.Cold)
	if s.Buffer != nil {
		p.Buffer = *s.Buffer
	}
	return p
}

// poolRow is what was computed elsewhere.
type poolRow struct {
	Trace    string  `col:"trace"`
	Case     string  `col:"case"`
	Reserved float64 `col:"reserved_gpu_h"`
	Active   float64 `col:"active_gpu_h"`
	HostH    float64 `col:"host_h"`
	Peak     int     `col:"peak_hosts"`
	Cells    int     `col:"cells"`
	Mean     float64 `col:"mean_delay_s"`
	P95      int     `col:"p95_delay_s"`
	Largest  int     `col:"max_delay_s"`
	End      int     `col:"end_s"`
}

// pool reports host-hours by trace and setting, and counts the rows in which all is equal.
func pool(f *claims.Figure) error {
	var in struct {
		Within   float64       `json:"within"`
		Settings []poolSetting `json:"settings"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	sessions, err := sessionsByTrace()
	if err != nil {
		return err
	}
	equal := 0
	for _, r := range facts.Read[poolRow]("notebook_pool") {
		for i := range in.Settings {
			if in.Settings[i].Name != r.Case {
				continue
			}
			p := in.Settings[i].pool()
			got, err := p.Run(sessions[r.Trace])
			if err != nil {
				return err
			}
			f.Report(r.Trace+"-"+r.Case, got.HostH)
			if r.equals(&got, notebooks.BoundsOf(sessions[r.Trace]), in.Within) {
				equal++
			}
		}
	}
	f.Report("rows", float64(equal))
	return nil
}

func (r *poolRow) equals(x *notebooks.Result, b notebooks.Bounds, within float64) bool {
	off := max(math.Abs(b.Reserved-r.Reserved), math.Abs(b.Active-r.Active), math.Abs(x.HostH-r.HostH), math.Abs(x.MeanDelayS-r.Mean))
	return off <= within && x.PeakHosts == r.Peak && x.Cells == r.Cells && x.P95DelayS == r.P95 && x.LargestS == r.Largest && x.EndS == r.End
}

// sessionsByTrace reads the sessions of the facts.
func sessionsByTrace() (map[string][]notebooks.Session, error) {
	type row struct {
		Trace    string `col:"trace"`
		Session  int    `col:"session"`
		Start    int    `col:"start_s"`
		Duration int    `col:"duration_s"`
		GPUs     int    `col:"gpus"`
		Cells    string `col:"cells"`
	}
	out := map[string][]notebooks.Session{}
	for _, r := range facts.Read[row]("notebook_sessions") {
		s := notebooks.Session{Number: r.Session, Start: r.Start, Stop: r.Start + r.Duration, GPUs: r.GPUs}
		for _, text := range strings.Fields(r.Cells) {
			var c notebooks.Cell
			if _, err := fmt.Sscanf(text, "%d+%dx%d", &c.Start, &c.Duration, &c.GPUs); err != nil {
				return nil, fmt.Errorf("session %d of %s: %q: %w", r.Session, r.Trace, text, err)
			}
			s.Cells = append(s.Cells, c)
		}
		out[r.Trace] = append(out[r.Trace], s)
	}
	return out, nil
}
