package plan

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
)

// reliabilityFlags are the inputs of one job on machines that fail.
type reliabilityFlags struct {
	Nodes    int           `flag:"nodes" required:"true" min:"1" max:"10000000" help:"machines that the job needs, all of them"`
	Rate     float64       `flag:"per-1000-node-days" required:"true" above:"0" help:"failures per 1,000 machine-days: 4.2 of InfiniteHBD, 3.8 of Llama 3, 6.5 of Meta"`
	Save     time.Duration `flag:"save" default:"30s" min:"0s" help:"time that a checkpoint stops the training"`
	Detect   time.Duration `flag:"detect" default:"0s" min:"0s" help:"time from a failure until it is seen: of a hang, the watchdog's"`
	Restart  time.Duration `flag:"restart" default:"10m" min:"0s" help:"time from then until training goes on: replace, restart, load"`
	Interval time.Duration `flag:"interval" min:"0s" help:"work between two saves; by default the best"`
	Repair   time.Duration `flag:"repair" default:"132h" min:"0s" help:"mean time that a machine is down, for the spares: 5.5 days of InfiniteHBD"`
	Share    float64       `flag:"share" default:"0.99" above:"0" max:"0.999999999" help:"share of the time in which enough machines are to be up"`
	cli.Answer
}

func reliabilityCommand() *cobra.Command {
	var f reliabilityFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "reliability",
		Short: "Say how often a job's machines fail, what that costs it, and how many spares it needs",
		Long: `Closed forms for a job that needs all of its machines, which fail one by one at exponential
times: the mean time between failures, the interval between saves by Young, by Daly and the exact
one, the effective training time ratio (ETTR: productive time per time held, after Daly, with
failures during restarts and saves), and the spares with which enough machines are up for a share of
the time. Repairs may have any law; each machine is as good as the others. What needs more than these
assumptions, such as bad machines, standbys or a recorded trace, is a simulation: the key failures
of a spec (docs/failures.md).`,
		Example: `  marigram plan reliability --nodes 2048 --per-1000-node-days 3.79
  marigram plan reliability --nodes 16384 --per-1000-node-days 6.5 --save 5s --detect 2m --restart 3m --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer := f.answer()
			return f.Give(cmd, answer, answer.print)
		},
	}, &f)
}

// reliabilityAnswer is the answer, with the names of its JSON form.
type reliabilityAnswer struct {
	Nodes     int                   `json:"nodes"`
	MTTF      float64               `json:"mttf_s"`
	Failures  float64               `json:"failures_per_day"`
	Intervals []reliabilityInterval `json:"intervals"`
	Down      float64               `json:"down_mean"`
	Spares    int                   `json:"spares"`
	Share     float64               `json:"share"`
}

// reliabilityInterval is an interval between saves and what it gives.
type reliabilityInterval struct {
	Name     string  `json:"name"`
	Interval float64 `json:"interval_s"`
	ETTR     float64 `json:"ettr"`
}

func (f *reliabilityFlags) answer() *reliabilityAnswer {
	nodes := formulas.Nodes{N: f.Nodes, Rate: f.Rate}
	saves := policies.CheckpointInterval{
		Save:    f.Save.Seconds(),
		MTBF:    nodes.MTTF(),
		Restart: (f.Detect + f.Restart).Seconds(),
	}
	answer := &reliabilityAnswer{
		Nodes:    f.Nodes,
		MTTF:     nodes.MTTF(),
		Failures: 86400 / nodes.MTTF(),
		Down:     nodes.Down(f.Repair.Seconds()),
		Spares:   nodes.Spares(f.Repair.Seconds(), f.Share),
		Share:    f.Share,
	}
	add := func(name string, interval float64) {
		if interval > 0 { // without any time for a save, it is made all the time
			row := reliabilityInterval{name, interval, 1 / saves.Stretch(interval)}
			answer.Intervals = append(answer.Intervals, row)
		}
	}
	add("given", f.Interval.Seconds())
	add("exact", saves.Exact())
	add("Young", saves.Young())
	add("Daly", saves.Daly())
	if len(answer.Intervals) == 0 {
		answer.Intervals = []reliabilityInterval{{"saves take no time", 0, math.Exp(-saves.Restart / saves.MTBF)}}
	}
	return answer
}

func (r *reliabilityAnswer) print(w io.Writer) {
	first := r.Intervals[0]
	fmt.Fprintf(w, "one of %s fails every %s, %.3g a day\n",
		units.Count(r.Nodes, "machine", "machines"), span(r.MTTF), r.Failures)
	fmt.Fprintf(w, "ETTR %.4f with %s of work between saves (%s)\n", first.ETTR, span(first.Interval), first.Name)
	shown := table.New("interval", "work between saves", "ETTR|%.4f")
	for _, row := range r.Intervals {
		shown.Row(row.Name, span(row.Interval), row.ETTR)
	}
	term.Print(w, shown)
	fmt.Fprintf(w, "%.1f machines are down in the mean; with %s enough are up for %s of the time\n", r.Down,
		units.Count(r.Spares, "spare", "spares"), cli.Percent(r.Share))
}

// span writes a time, s, in the unit that suits it.
func span(s float64) string {
	switch {
	case s >= 2*86400:
		return fmt.Sprintf("%.1f d", s/86400)
	case s >= 2*3600:
		return fmt.Sprintf("%.2f h", s/3600)
	case s >= 120:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}
