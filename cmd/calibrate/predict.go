package calibrate

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
)

type predictFlags struct {
	Of []string `flag:"of" help:"a <column=value> of the run; may be repeated"`
	cli.Answer
}

func predictCommand() *cobra.Command {
	var f predictFlags
	return flags.On(&cobra.Command{
		Use:   "predict MODEL",
		Short: "Predict one run with a model file",
		Long: `Predicts one run with a model file. --of column=value describes the run, with the
columns of calibrate/PROFILES.md; values that all fitted rows share may be left out. It
warns if the run is outside the fitted range of the model, and that a prediction of
the family roofline is an estimate.`,
		Example: `  marigram calibrate fit gavel-resnet50 --as roofline --where gpus=1 -o roof.json
  marigram calibrate predict roof.json --of gpu=A100 --of batch_per_gpu=64`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := calibrate.OpenModel(args[0])
			if err != nil {
				return err
			}
			value, outside, err := m.PredictOf(f.Of)
			if err != nil {
				return fmt.Errorf("--of: %w", err)
			}
			if outside != "" {
				term.Warn(cmd.ErrOrStderr(), "outside the fitted range of the model: %s", outside)
			}
			return f.Give(cmd, struct {
				Target    string  `json:"target"`
				Unit      string  `json:"unit"`
				Predicted float64 `json:"predicted"`
				Outside   string  `json:"outside"`
			}{m.Target, m.Unit, value, outside}, func(w io.Writer) {
				fmt.Fprintf(w, "%s %s %s\n", m.Target, cli.Significant(value), m.Unit)
			})
		},
	}, &f)
}
