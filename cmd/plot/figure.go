package plot

import (
	"cmp"
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

// output is the file of a figure, and how it is to look.
type output struct {
	Output     string  `flag:"output,o" required:"true" help:"draw into this <file>: .svg, .png or .pdf"`
	Style      string  `flag:"style" names:"column,page,slide" help:"size for a place, {names}: a column (3.33 inches, text of 7 points, neither title nor subtitle) or the width (7 inches, 8 points, likewise) of a paper of two columns, or a slide (10 by 5.6 inches, 14 points)"`
	Width      float64 `flag:"width" min:"1" max:"50" help:"width in <inches>, instead of the figure's own or that of --style"`
	Height     float64 `flag:"height" min:"1" max:"50" help:"height in <inches>; in proportion to the width if absent"`
	FontSize   float64 `flag:"font-size" min:"4" max:"48" help:"size of the text in <points>, 8 if absent; lines and points grow with it"`
	Title      *string `flag:"title" help:"<text> of the title, instead of the figure's own; '' for none"`
	NoSubtitle bool    `flag:"no-subtitle" help:"draw no line below the title"`
}

// looks are the styles of --style: what its flags are where they are not given.
var looks = map[string]output{
	"column": {Width: 3.33, FontSize: 7, Title: new(string), NoSubtitle: true},
	"page":   {Width: 7, FontSize: 8, Title: new(string), NoSubtitle: true},
	"slide":  {Width: 10, Height: 5.6, FontSize: 14},
}

// apply gives a figure the look that is asked for.
func (o *output) apply(figure *canvas.Figure) error {
	look := looks[o.Style]
	if title := cmp.Or(o.Title, look.Title); title != nil && len(figure.Title) > 0 {
		figure.Title[0] = canvas.Label(*title, canvas.MaxAbout)
	}
	if (o.NoSubtitle || look.NoSubtitle) && len(figure.Title) > 1 {
		figure.Title = figure.Title[:1]
	}
	figure.Zoom = cmp.Or(o.FontSize, look.FontSize, canvas.TextSize.Points()) / canvas.TextSize.Points()
	width := cmp.Or(o.Width, look.Width)
	if width == 0 && o.Style == "" && o.Height == 0 && o.FontSize == 0 && o.Title == nil && !o.NoSubtitle {
		return nil
	}
	return figure.Resize(width, cmp.Or(o.Height, look.Height))
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
		if err := to.apply(figure); err != nil {
			return fmt.Errorf("--width, --height: %w", err)
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
