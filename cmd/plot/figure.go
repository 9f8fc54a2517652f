package plot

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// output is the file of a figure.
type output struct {
	Output string `flag:"output,o" required:"true" help:"draw into this <file>: .svg, .png or .pdf"`
}

// figureCommand makes cmd draw what draw returns into the file of its flag -o; its other flags are those of the
// structs.
func figureCommand(
	cmd *cobra.Command, draw func(cmd *cobra.Command, args []string) (*canvas.Figure, error), structs ...any,
) *cobra.Command {
	var to output
	if cmd.Args == nil {
		cmd.Args = cobra.ExactArgs(1)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form := canvas.Forms[strings.ToLower(filepath.Ext(to.Output))]
		if form == nil {
			return fmt.Errorf("--output %s: expected a name that ends in .svg, .png or .pdf", to.Output)
		}
		figure, err := draw(cmd, args)
		if errors.Is(err, plots.ErrNothing) {
			return fmt.Errorf("%s has no data that can be drawn", args[0])
		}
		if err != nil {
			return err
		}
		drawn, err := form(figure)
		if err != nil {
			return cli.Failed(err)
		}
		if err = store.WriteBytes(cmd.Context(), to.Output, drawn); err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), to.Output)
		}
		return cli.Failed(err)
	}
	return cli.WithFlags(cmd, append(structs, &to)...)
}

// tablesOf returns the tables of a folder of marigram run, or the totals of a sweep.
func tablesOf(dir string) (set results.Set, err error) {
	if !cli.IsSweep(dir) {
		return results.ReadAll(dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return set, err
	}
	err = folder.Rows(func(part []results.SweepRow) error {
		for i := range part {
			if part[i].Error == "" {
				set.Summaries = append(set.Summaries, part[i].Summary)
			}
		}
		return nil
	})
	return set, err
}
