package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
)

func summaryCommand() *cobra.Command {
	var f cli.Answer
	return cli.WithFlags(&cobra.Command{
		Use:   "summary FOLDER|FILE.runs.csv",
		Short: "Show what a folder of the profiler can predict, and with which error",
		Long: fmt.Sprintf(`Reads a folder that calibrate/profiler/profiler.py wrote, or one precision of
it, and prints by network and precision

- how well a line through the other batch sizes predicts the step time and the memory
  of each: mean and worst |residual/measured|, and the largest batch that fits;
- the sum of the layers relative to the whole network;
- how long the GPU waits for data (Stash);
- its speed relative to published GPUs that trained the same network.

An exclamation mark marks errors over %s (mean) or %s (worst), a largest
batch other than predicted, and layers whose sum is more than %s off.`,
			cli.Percent(stalls.GoodMean), cli.Percent(stalls.GoodWorst), cli.Percent(stalls.GoodLayers)),
		Example: `  marigram calibrate summary h200
  marigram calibrate summary h200/bf16.runs.csv --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := stalls.OpenSummaries(args[0])
			if err != nil {
				return err
			}
			return f.Give(cmd, list, func(w io.Writer) { printSummaries(w, list) })
		},
	}, &f)
}

func printSummaries(w io.Writer, list []stalls.Summary) {
	shown := table.New("network", "precision|left", "GPU|left", "batches", "step mean", "worst", "memory mean", "worst",
		"largest batch", "predicted", "layers/whole")
	for _, s := range list {
		stepMean, stepWorst := leftOut(s.Step)
		memoryMean, memoryWorst := leftOut(s.Memory)
		measured := "-"
		predicted := "-"
		if largest := s.Largest; largest != nil {
			measured = fmt.Sprint(largest.Measured)
			predicted = marked(fmt.Sprint(largest.Predicted), largest.Measured != largest.Predicted)
		}
		shown.Row(s.Model, s.Precision, s.GPU, fmt.Sprintf("%d to %d", s.Batches[0], s.Batches[len(s.Batches)-1]),
			stepMean, stepWorst, memoryMean, memoryWorst, measured, predicted, layersCell(s.Layers))
	}
	term.Print(w, shown)
	for _, s := range list {
		if stalls := s.Stalls; stalls != nil {
			disk := "not measured"
			if stalls.Disk != nil {
				disk = cli.Percent(*stalls.Disk) + " of a cold one"
			}
			fmt.Fprintf(w, "%s, %s, %d samples: waits %s of a warm epoch for data preparation, %s for the disk\n",
				s.Model, s.Precision, stalls.Batch, cli.Percent(stalls.CPU), disk)
		}
		for _, r := range s.Ratios {
			fmt.Fprintf(w, "%s, %s: %s times as fast as %s (%s)\n",
				s.Model, s.Precision, cli.Significant(r.Times), r.Than, r.Of)
		}
	}
}

// leftOut returns the errors of batches that were left out, "-" where there are none.
func leftOut(l *stalls.Line) (mean, worst string) {
	if l == nil {
		return "-", "-"
	}
	return marked(cli.Percent(l.Mean), l.Mean > stalls.GoodMean),
		marked(cli.Percent(l.Worst), l.Worst > stalls.GoodWorst)
}

func layersCell(list []stalls.LayersMeasured) string {
	if len(list) == 0 {
		return "-"
	}
	var cells []string
	for _, l := range list {
		cells = append(cells, marked(fmt.Sprintf("%.3f", l.Ratio),
			l.Ratio > 1+stalls.GoodLayers || l.Ratio < 1-stalls.GoodLayers))
	}
	return strings.Join(cells, ", ")
}

func marked(text string, over bool) string {
	if over {
		return text + " !"
	}
	return text
}
