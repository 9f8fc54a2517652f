// Package plot is the command marigram plot: one figure of results.
package plot

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// Drawing is a command that draws a figure.
type Drawing struct {
	Command *cobra.Command
	Draw    func(cmd *cobra.Command, args []string) (*canvas.Figure, error)
}

// commands make the commands of figures; the file of each registers it.
var commands []func() *cobra.Command

func register(command func() *cobra.Command) bool {
	commands = append(commands, command)
	return true
}

// Command returns the command, with drawings of other packages below it.
func Command(more ...Drawing) *cobra.Command {
	all := tableCommands()
	for _, command := range commands {
		all = append(all, command())
	}
	for _, d := range more {
		all = append(all, figureCommand(d.Command, d.Draw))
	}
	return cli.Group(&cobra.Command{
		Use:   "plot",
		Short: "Draw one figure: distributions, paired differences, heat maps, calibration, compression, bounds, learning, jobs, timelines",
		Long: `Draws one figure of results into a file: SVG, PNG or PDF, by the ending of its
name. The same results give the same bytes, and a policy looks the same in every
figure. marigram run --out, forecast --out, traces plot and reproduce --out write
their own figures into a folder; marigram report makes one page.`,
		Example: `  marigram plot cdf out --of finish -o finish.pdf
  marigram plot paired sweep --baseline reactive -o paired.svg`,
	}, all...)
}

// output is the file of a figure.
type output struct {
	Output string `flag:"output,o" required:"true" help:"draw into this <file>: .svg, .png or .pdf"`
}

// figureCommand makes cmd draw what draw returns into the file of its flag -o; its other flags are those of the structs.
func figureCommand(cmd *cobra.Command, draw func(cmd *cobra.Command, args []string) (*canvas.Figure, error), structs ...any) *cobra.Command {
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
		b, err := form(figure)
		if err != nil {
			return cli.Failed(err)
		}
		if err = store.WriteBytes(cmd.Context(), to.Output, b); err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), to.Output)
		}
		return cli.Failed(err)
	}
	return cli.WithFlags(cmd, append(structs, &to)...)
}
