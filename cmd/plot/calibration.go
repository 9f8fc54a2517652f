package plot

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

type calibrationFlags struct {
	Profile string `flag:"profile" help:"CSV <file> of measured runs, or the name of one that comes with marigram"`
}

func calibrationCommand() *cobra.Command {
	var f calibrationFlags
	return figureCommand(&cobra.Command{
		Use:   "calibration MODEL -o FILE",
		Short: "Predictions of a model file against measurements, with residuals",
		Long: `Draws the output of marigram calibrate check: the prediction of each run against its
measurement, with the residual below. Rows held out of the fit and rows outside the
fitted range have their own markers. Without --profile the rows are those of the fit.`,
		Example: `  marigram plot calibration model.json -o fit.svg
  marigram plot calibration model.json --profile others.csv -o check.pdf`,
	}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
		return drawCalibration(args[0], f.Profile)
	}, &f)
}

func drawCalibration(model, profile string) (*canvas.Figure, error) {
	fitted, err := calibrate.OpenModel(model)
	if err != nil {
		return nil, err
	}
	list := fitted.Residuals
	means := fitted.Errors
	rows := "fitted to " + fitted.Provenance.Profile
	kind := plots.FittedTo
	if profile != "" {
		profiled, err := cli.OpenMeasured(profile)
		if err != nil {
			return nil, err
		}
		if list, means, err = fitted.Check(profiled); err != nil {
			return nil, err
		}
		rows = "compared with " + profiled.Name
		kind = plots.ComparedWith
	}
	var points []plots.Prediction
	for _, residual := range list {
		point := plots.Prediction{Measured: residual.Measured, Predicted: residual.Predicted, Kind: kind}
		switch {
		case residual.Outside != "":
			point.Kind = plots.OutsideOfRange
		case residual.HeldOut:
			point.Kind = plots.HeldOutOfFit
		}
		points = append(points, point)
	}
	about := []string{rows}
	for _, fixed := range fitted.For {
		if fixed.Value != "" {
			about = append(about, fixed.Column+" "+fixed.Value)
		}
	}
	for _, part := range []struct {
		of    string
		share *float64
	}{{"mean |residual|", means.Fitted}, {"held out", means.HeldOut}} {
		if part.share != nil {
			about = append(about, fmt.Sprintf("%s %s", part.of, cli.Percent(*part.share)))
		}
	}
	return plots.Calibration(fitted.Family+" ("+filepath.Base(model)+")", strings.Join(about, "; "), fitted.Target,
		fitted.Unit, points)
}
