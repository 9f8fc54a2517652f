package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/report"
)

// dollarsJSON is what --dollars prints as JSON, with a cloud's bill if one is given.
type dollarsJSON struct {
	*report.Dollars
	Own map[charges.Part]float64 `json:"own_usd,omitempty"` // of the cloud's bill, by part
}

// writeDollars says where the dollars of the runs went, next to a cloud's bill if one is given.
func writeDollars(out io.Writer, d *report.Dollars, own *charges.Bill, asJSON bool) error {
	switch {
	case asJSON && own == nil:
		return cli.WriteJSON(out, dollarsJSON{Dollars: d})
	case asJSON:
		return cli.WriteJSON(out, dollarsJSON{d, own.USD})
	}
	printDollars(out, d)
	if own != nil {
		printCompared(out, d, own)
	}
	return nil
}

func printDollars(w io.Writer, d *report.Dollars) {
	of := "1 run"
	if d.Runs > 1 {
		of = fmt.Sprintf("mean of %d runs", d.Runs)
	}
	fmt.Fprintf(w, "%s, %s, %s\n", d.Policy, d.Objective, of)
	parts := table.New("part", "USD|%.6f", "share|share") // to the microdollar
	for _, p := range d.Parts {
		if p.USD != 0 {
			parts.Row(p.Part, p.USD, p.USD/d.TotalUSD)
		}
	}
	parts.Row("total", d.TotalUSD)
	term.Print(w, parts)
}

// printCompared prints a cloud's bill next to the simulated one.
func printCompared(w io.Writer, d *report.Dollars, own *charges.Bill) {
	fmt.Fprintln(w)
	simulated := d.ByOwnPart()
	parts := table.New("part", "your bill|usd", "simulated|usd", "simulated minus yours|+usd")
	for _, p := range charges.Parts() {
		if own.USD[p] != 0 || simulated[p] != 0 {
			parts.Row(string(p), own.USD[p], simulated[p], simulated[p]-own.USD[p])
		}
	}
	parts.Row("total", own.Total(), d.TotalUSD, d.TotalUSD-own.Total())
	term.Print(w, parts)
	fmt.Fprintln(w, "on demand: with parameter servers, and what minimum and rounding add on any market; "+
		"storage: with checkpoints")
	if own.Unknown != nil {
		term.Warn(w, "usage types that no simulated part is like (a column part says what a line is): %s",
			strings.Join(own.Unknown, ", "))
	}
}
