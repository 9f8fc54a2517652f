package notebooks

import (
	"cmp"
	"embed"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/papers"
	policy "github.com/marigram/marigram/papers/notebooks/pool"
	"github.com/marigram/marigram/sim"
)

// poolSetting is what differs from the default.
type poolSetting struct {
	Name   string `json:"name"`
	Every  int    `json:"every_s,omitempty"`
	Min    int    `json:"least,omitempty"`
	Buffer *int   `json:"buffer,omitempty"`
	Start  int    `json:"start_s,omitempty"`
	Max    int    `json:"most,omitempty"`
	Cold   int    `json:"cold_s,omitempty"`
}

// policy returns the autoscaler with the settings.
func (s *poolSetting) policy() *policy.Pool {
	p := policy.New(policy.Autoscaled)
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	p.Every, p.Start, p.Cold = cmp.Or(seconds(s.Every), p.Every), cmp.Or(seconds(s.Start), p.Start), cmp.Or(seconds(s.Cold), p.Cold)
	p.MinHosts, p.MaxHosts = cmp.Or(s.Min, p.MinHosts), cmp.Or(s.Max, p.MaxHosts)
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
	P95      float64 `col:"p95_delay_s"`
	Largest  float64 `col:"max_delay_s"`
	End      float64 `col:"end_s"`
}

// pool reports host-hours of the world by trace and setting, and counts the rows in which all
// is equal.
func pool(f *papers.Figure) error {
	var in struct {
		Within   float64       `json:"within"`
		Settings []poolSetting `json:"settings"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	equal := 0
	for _, r := range facts.ReadFrom[poolRow](files, "pool") {
		sessions, err := notebooks.Published(r.Trace)
		if err != nil {
			return err
		}
		for i := range in.Settings {
			if in.Settings[i].Name != r.Case {
				continue
			}
			hosts, got, err := onHosts(sessions, in.Settings[i].policy())
			if err != nil {
				return err
			}
			f.Report(r.Trace+"-"+r.Case, hosts)
			if r.equals(hosts, &got, in.Within) {
				equal++
			}
		}
	}
	f.Report("rows", float64(equal))
	return nil
}

// onHosts runs sessions in a world of hosts of eight GPUs that are never preempted and boot at
// once, and returns the host-hours.
func onHosts(sessions []notebooks.Session, p sim.Policy) (hosts float64, r notebooks.Result, err error) {
	platform, err := notebooks.NewPlatform(sessions, 8)
	if err != nil {
		return 0, r, err
	}
	const days = 30
	m, err := sim.NewMarket(sim.Time(0).Add(days*24*time.Hour), []sim.Trace{{Pool: sim.Pool{Name: "hosts", Quota: 4096}, Prices: []sim.Price{{}}}})
	if err != nil {
		return 0, r, err
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{{Model: platform, Objective: sim.Objective{Within: days * 24 * time.Hour}}}, Policy: p})
	if err != nil {
		return 0, r, err
	}
	hosts = w.Run().Jobs[0].InstanceTime.Hours()
	return hosts, w.State().(notebooks.Reporter).Notebooks(), nil
}

func (r *poolRow) equals(hosts float64, x *notebooks.Result, within float64) bool {
	off := max(math.Abs(x.Reserved-r.Reserved), math.Abs(x.Active-r.Active), math.Abs(hosts-r.HostH), math.Abs(x.MeanDelay()-r.Mean))
	return off <= within && x.PeakHosts == r.Peak && x.Cells == r.Cells && x.Delay(0.95) == r.P95 && slices.Max(x.DelaysS) == r.Largest && x.EndS == r.End
}

// template reports what the first hours of a recorded workload template take: reserved, by cells
// alone, and what is between, which is the most that can be saved.
func template(f *papers.Figure) error {
	var in struct {
		Set   string  `json:"set"`
		File  string  `json:"file"`
		Hours float64 `json:"hours"` // from the first session
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	path, err := papers.PulledFile(in.Set, in.File)
	if err != nil {
		return err
	}
	own := notebooks.Option{Template: path, Hours: in.Hours}
	platform, err := own.Platform(func(name string) string { return name })
	if err != nil {
		return err
	}
	b := notebooks.BoundsOf(platform.Sessions)
	f.Report("reserved", b.Reserved)
	f.Report("active", b.Active)
	f.Report("saved", b.Reserved-b.Active)
	f.Report("paper", b.Reserved-b.Active)
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
