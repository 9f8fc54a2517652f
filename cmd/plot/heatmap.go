package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

// heatFlags say which runs of a sweep are drawn over which of its parameters.
type heatFlags struct {
	cli.Selection
	Of string `flag:"of" default:"cost" names:"@quantities" help:"the <number> to draw"`
	X  string `flag:"x" help:"<path> of the parameter on the horizontal axis"`
	Y  string `flag:"y" help:"<path> of the parameter on the vertical axis"`
}

func heatMapCommand() *cobra.Command {
	var f heatFlags
	return figureCommand(&cobra.Command{
		Use:   "heatmap DIR -o FILE",
		Short: "Mean of a number over the runs of a sweep, by two of its parameters",
		Long: `Draws, for each policy, the mean of a number over the runs of the sweep in DIR, by two
parameters: --x and --y. They may be left out if the sweep varies only two. --where
selects a value of every other parameter, --objective one of several objectives. An
asterisk marks cells in which some runs did not finish: their cost is counted until
the horizon, and they have no finish time. Costs of a policy that misses
its objective are hollow, with the share of the runs that met it.

` + cli.NamesHelp("Numbers", "quantities"),
		Example: `  marigram plot heatmap sweep -o cost.svg
  marigram plot heatmap sweep --of missed --x market.replay.notice_s --y market.pools.0.quota \
    --where market.pools.1.quota=4 -o missed.pdf`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) { return f.draw(cmd, args[0]) }, &f)
}

func (f *heatFlags) draw(cmd *cobra.Command, dir string) (*canvas.Figure, error) {
	values, err := settled(dir, &f.Selection, axis{"--x", &f.X}, axis{"--y", &f.Y})
	if err != nil {
		return nil, err
	}
	drawn := heat{heatFlags: f, q: quantityNamed(f.Of), across: values[f.X], up: values[f.Y]}
	runs := study{Selection: f.Selection}
	if err := runs.readOne(cmd, dir, drawn.add); err != nil {
		return nil, err
	}
	return drawn.figure(&runs)
}

// settled returns the values of the parameters that differ among the chosen cells of a sweep, and chooses those of
// the axes that were not named.
func settled(dir string, f *cli.Selection, axes ...axis) (map[string][]string, error) {
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	values, err := parameters(folder.Plan, f)
	if err != nil {
		return nil, err
	}
	return values, settle(values, axes)
}

// readOne is read for a figure of one objective.
func (s *study) readOne(cmd *cobra.Command, dir string, visit func(r *runOf)) error {
	if err := s.read(cmd, dir, visit); err != nil || s.Objective != "" || len(s.Objectives) < 2 {
		return err
	}
	return fmt.Errorf("--objective is missing: the objectives are %s", strings.Join(s.Objectives, ", "))
}

// parameters returns the values of the parameters that differ among the chosen cells, ascending if all are numbers.
func parameters(p *sweep.Plan, f *cli.Selection) (map[string][]string, error) {
	var cells []cli.Combination
	paths := cli.Combination{}
	for i := range p.Cells {
		cell, err := cli.ParseCombination(p.Cells[i].Parameters)
		if err != nil {
			return nil, cli.Failed(err)
		}
		maps.Copy(paths, cell)
		if f.Chosen(cell) {
			cells = append(cells, cell)
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("--where %s: no cell of the sweep has these values", strings.Join(f.Where, " --where "))
	}
	values := map[string][]string{}
	for path := range paths {
		for _, cell := range cells {
			if value := cell.Value(path); !slices.Contains(values[path], value) {
				values[path] = append(values[path], value)
			}
		}
	}
	for _, list := range values {
		ascending(list)
	}
	return values, nil
}

// ascending sorts values if all of them are numbers; others stay in their order.
func ascending(values []string) {
	numbers := make(map[string]float64, len(values))
	for _, value := range values {
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return
		}
		numbers[value] = number
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
}

// short writes numbers without the digits that binary fractions leave.
func short(values []string) []string {
	shorter := make([]string, len(values))
	for i, value := range values {
		shorter[i] = value
		if number, err := strconv.ParseFloat(value, 64); err == nil && len(value) > 8 {
			shorter[i] = strconv.FormatFloat(number, 'g', 6, 64)
		}
	}
	return shorter
}

// axis is the flag of an axis, and the parameter on it, empty where none was named.
type axis struct {
	name string
	path *string
}

// oneOnly says, by axis, what draws a sweep that varies too few.
var oneOnly = [...]string{"", " (marigram plot means draws a number by one)"}

// settle chooses the parameters of the axes that were not named: those with several values.
func settle(values map[string][]string, axes []axis) error {
	var varied []string
	for _, path := range slices.Sorted(maps.Keys(values)) {
		if len(values[path]) > 1 && !slices.ContainsFunc(axes, func(a axis) bool { return path == *a.path }) {
			varied = append(varied, path)
		}
	}
	for k, axis := range axes {
		switch {
		case *axis.path == "" && len(varied) == 0:
			return fmt.Errorf("%s is missing: the sweep has no further parameter with several values%s", axis.name,
				oneOnly[k])
		case *axis.path == "":
			*axis.path = varied[0]
			varied = varied[1:]
		case values[*axis.path] == nil:
			return fmt.Errorf("%s %s: the sweep does not vary it; it varies %s", axis.name, *axis.path,
				strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		case k > 0 && *axis.path == *axes[0].path:
			return fmt.Errorf("--x and --y are both %s, expected two parameters", *axis.path)
		}
	}
	if len(varied) > 0 {
		return fmt.Errorf("%s has %d values: choose one, --where %s", varied[0], len(values[varied[0]]),
			cli.ShellWord(varied[0]+"="+values[varied[0]][0]))
	}
	return nil
}

// heat gathers the runs of the cells of each policy's map.
type heat struct {
	*heatFlags
	q          *quantity
	across, up []string  // values
	drawn      []string  // policies
	tallies    [][]tally // by policy, then up*len(across)+across
}

type tally struct {
	sum           float64
	n, unfinished int
	runs, met     int
	asked         *float64 // share of the runs that is to meet the objective
}

// cell is the tally as it is drawn: a low cost of runs that miss their objective is
// marked.
func (t *tally) cell(costs bool) plots.Cell {
	drawn := plots.Cell{Mean: t.sum / float64(t.n), Marked: t.unfinished > 0} // 0/0: not a number
	if costs && t.runs > 0 {
		drawn.Met = float64(t.met) / float64(t.runs)
		drawn.Misses = !intervals.Meets(drawn.Met, t.asked)
	}
	return drawn
}

func (h *heat) add(r *runOf) {
	at := slices.Index(h.drawn, r.Policy)
	if at < 0 {
		at = len(h.drawn)
		h.drawn = append(h.drawn, r.Policy)
		h.tallies = append(h.tallies, make([]tally, len(h.across)*len(h.up)))
	}
	across := slices.Index(h.across, r.Value(h.X))
	up := slices.Index(h.up, r.Value(h.Y))
	of := &h.tallies[at][up*len(h.across)+across]
	if value, ok := h.q.of(r.Summary); ok {
		of.sum += value
		of.n++
	}
	of.runs++
	of.asked = r.ObjectiveShare
	if !r.Finished {
		of.unfinished++
	}
	if r.Met {
		of.met++
	}
}

func (h *heat) figure(s *study) (*canvas.Figure, error) {
	out := plots.HeatMaps{Name: s.name, What: "mean " + h.q.label(),
		Across: cli.Words(h.X), Up: cli.Words(h.Y), AcrossV: short(h.across), UpV: short(h.up)}
	smallest := math.MaxInt
	largest := 0
	marked := ""
	for k, policy := range h.drawn {
		drawnMap := plots.HeatMap{Title: policy}
		for j := range h.up {
			var row []plots.Cell
			for _, tally := range h.tallies[k][j*len(h.across) : (j+1)*len(h.across)] {
				smallest = min(smallest, tally.n)
				largest = max(largest, tally.n)
				if tally.unfinished > 0 {
					marked = "; *: not all finished"
				}
				row = append(row, tally.cell(h.q.name == "cost"))
			}
			drawnMap.Cells = append(drawnMap.Cells, row)
		}
		out.Maps = append(out.Maps, drawnMap)
	}
	of := fmt.Sprint(largest)
	if smallest < largest {
		of = fmt.Sprintf("%d to %d", smallest, largest)
	}
	about := append([]string{plots.Markets(slices.Values(s.markets)), cmp.Or(h.Objective, s.Objectives[0])}, h.Where...)
	out.About = strings.Join(about, "; ") + "; " + of + " runs per mean" + marked
	return out.Draw()
}
