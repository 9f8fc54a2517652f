package plot

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

// forms are the files a figure can be drawn into, by the ending of their names.
var forms = map[string]func(*canvas.Figure) ([]byte, error){
	".svg": (*canvas.Figure).SVG, ".png": (*canvas.Figure).PNG, ".pdf": (*canvas.Figure).PDF,
}

// figureCommand makes cmd draw what draw returns into the file of its flag -o.
func figureCommand(cmd *cobra.Command, draw func(args []string) (*canvas.Figure, error)) *cobra.Command {
	var out string
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form := forms[strings.ToLower(filepath.Ext(out))]
		if form == nil {
			return fmt.Errorf("--output %s: expected a name that ends in .svg, .png or .pdf", out)
		}
		figure, err := draw(args)
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
		if err = store.WriteBytes(cmd.Context(), out, b); err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
		}
		return cli.Failed(err)
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "draw into this `file`: .svg, .png or .pdf")
	cli.Must(cmd.MarkFlagRequired("output"))
	return cmd
}
