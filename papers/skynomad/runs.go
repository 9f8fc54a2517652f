package skynomad

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/skynomad/reference"
)

// recordedRow is the authors' runs of one setting under one policy, by start.
type recordedRow struct {
	Sweep  string  `col:"sweep"`
	Ratio  float64 `col:"ratio"`
	GB     float64 `col:"checkpoint_gb"`
	Zones  int     `col:"zones"`
	Policy string  `col:"policy"`
	Zone   string  `col:"zone"` // of a policy for one zone
	USD    string  `col:"usd"`
	Moves  string  `col:"moves"` // empty: not recorded
}

// summary is the name of rows that are no runs but the least and the mean, over the
// zones, of Uniform Progress's mean cost in one zone.
const summary = "trace_mode_baseline"

// tally counts runs.
type tally struct {
	costs, moves, points, summaries float64
	cpu                             time.Duration // of SkyNomad's runs
	runs                            int           // these
}

// recordedRuns counts by sweep the runs whose cost and moves are those that the authors
// recorded, and says how many times as fast SkyNomad's are as by the authors' code.
func recordedRuns(f *papers.Figure) error {
	var in struct {
		Sweeps []struct {
			Name  string  `json:"name"`
			Fleet fleet   `json:"fleet"`
			USD   float64 `json:"within_usd"`
		} `json:"sweeps"`
		CPU float64 `json:"published_cpu_s_per_run"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	rows := facts.ReadFrom[recordedRow](files, "runs")
	cpu, runs := time.Duration(0), 0
	for _, x := range in.Sweeps {
		s, err := x.Fleet.open()
		if err != nil {
			return err
		}
		var t tally
		for i := range rows {
			if rows[i].Sweep == x.Name {
				if err := t.row(s, &rows[i], x.USD); err != nil {
					return err
				}
			}
		}
		f.Report(x.Name+"-costs", t.costs)
		f.Report(x.Name+"-moves", t.moves)
		f.Report(x.Name+"-points", t.points)
		f.Report(x.Name+"-baselines", t.summaries)
		cpu, runs = cpu+t.cpu, runs+t.runs
	}
	f.Report("speed", in.CPU/(cpu.Seconds()/float64(runs)))
	return nil
}

// row replays the runs of a row. A point that the figures plot is the mean of its runs.
func (t *tally) row(s *sweep, r *recordedRow, within float64) error {
	s = s.in(r.Zone)
	x := &setting{Ratio: r.Ratio, GB: r.GB, Zones: min(r.Zones, len(s.zones))}
	policy := r.Policy
	if policy == summary {
		policy = uniform
	}
	start := papers.CPUTime()
	got, err := s.all(policy, x)
	if err != nil {
		return err
	}
	if strings.HasPrefix(policy, "unified_cost_model_r") { // by risk, or by the ratio of rates
		t.cpu += papers.CPUTime() - start
		t.runs += len(got)
	}
	want := strings.Fields(r.USD)
	if r.Policy == summary {
		smallest, mean := summarise(got, len(s.Starts))
		t.summaries += count(within, want[0], smallest) + count(within, want[1], mean)
		return nil
	}
	moves, sum := strings.Fields(r.Moves), 0.0
	for i := range got {
		t.costs += count(within, want[i], got[i].RecordedUSD)
		if len(moves) > 0 {
			t.moves += count(0, moves[i], float64(got[i].Moves))
		}
		usd, err := strconv.ParseFloat(want[i], 64)
		if err != nil {
			return err
		}
		sum += usd
	}
	mean := meanOf(got, func(r *reference.Result) float64 { return r.RecordedUSD })
	if policy != uniform && math.Abs(mean-sum/float64(len(want))) <= cent {
		t.points++
	}
	return nil
}

// cent is how close the mean of a plotted point has to be, USD.
const cent = 0.01

// in returns the sweep in one zone, or as it is where none is named.
func (s *sweep) in(zone string) *sweep {
	for v, name := range s.Zones {
		if name == zone {
			one := *s
			one.zones = s.zones[v : v+1]
			return &one
		}
	}
	return s
}

// count returns 1 where a number is that of the table.
func count(within float64, want string, got float64) float64 {
	x, err := strconv.ParseFloat(want, 64)
	if err != nil || !(math.Abs(x-got) <= within) {
		return 0
	}
	return 1
}

// summarise returns the least and the mean of the zones' mean costs.
func summarise(list []reference.Result, starts int) (smallest, mean float64) {
	smallest = math.Inf(1)
	for i := 0; i < len(list); i += starts {
		usd := meanOf(list[i:i+starts], func(r *reference.Result) float64 { return r.RecordedUSD })
		smallest, mean = min(smallest, usd), mean+usd*float64(starts)/float64(len(list))
	}
	return smallest, mean
}
