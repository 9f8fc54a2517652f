package plot

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

type learningFlags struct {
	Baseline []string `flag:"baseline" was:"beside" help:"a line for the reward of another policy, <NAME=REWARD>; may be repeated"`
}

func learningCommand() *cobra.Command {
	var f learningFlags
	return figureCommand(&cobra.Command{
		Use:   "learning CURVE.csv -o FILE",
		Short: "How the reward of a policy that learns grows by round",
		Long: `Draws what a program that learns has printed (marigram policies new --learner): a table with the
columns round, reward, usd and met, a row a round. Left: the reward. Right: the share of runs that
met the objective.`,
		Example: "  python3 learn.py > curve.csv\n  marigram plot learning curve.csv --baseline reactive=-69.8 -o learning.svg",
	}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
		return drawLearning(args[0], f.Baseline)
	}, &f)
}

// maxRounds is the longest curve.
const maxRounds = 100_000

func drawLearning(path string, baselines []string) (*canvas.Figure, error) {
	file, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	columns, err := readCurve(path, file)
	if err != nil {
		return nil, err
	}
	rounds := columns["round"]
	reward := plots.CurvePanel{Title: "reward", X: "round", Y: "USD an episode", Curves: []plots.Curve{{Name: "learned", X: rounds, Y: columns["reward"]}}}
	for _, text := range baselines {
		name, number, _ := strings.Cut(text, "=")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || name == "" {
			return nil, fmt.Errorf("--baseline %s: expected NAME=REWARD, a number", text)
		}
		reward.Level = x
		reward.Curves = append(reward.Curves, plots.Curve{Name: name, X: []float64{rounds[0], rounds[len(rounds)-1]}, Y: []float64{x, x}})
	}
	met := plots.CurvePanel{Title: "objective", X: "round", Y: "share of runs that met it", Level: 1, Curves: []plots.Curve{{Name: "learned", X: rounds,
		Y: columns["met"]}}}
	return plots.Curves("A policy that learns", "mean of the episodes on seeds that it does not learn from", []plots.CurvePanel{reward, met})
}

// readCurve reads the columns of a curve. Lines that begin with # are left out.
func readCurve(path string, from io.Reader) (map[string][]float64, error) {
	r := csv.NewReader(io.LimitReader(from, 64*maxRounds))
	r.Comment = '#'
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, want := range []string{"round", "reward", "met"} {
		if !slices.Contains(head, want) {
			return nil, fmt.Errorf("%s: line 1: columns %s, expected round, reward, usd and met", path, strings.Join(head, ","))
		}
	}
	columns := map[string][]float64{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for i, text := range row {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				line, column := r.FieldPos(i)
				return nil, fmt.Errorf("%s:%d:%d: %s %q, expected a number", path, line, column, head[i], text)
			}
			columns[head[i]] = append(columns[head[i]], x)
		}
	}
	if n := len(columns["round"]); n < 2 || n > maxRounds {
		return nil, fmt.Errorf("%s: %d rounds, expected 2 to %d", path, n, maxRounds)
	}
	return columns, nil
}
