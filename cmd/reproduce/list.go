package reproduce

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/papers"
)

// listed is a claim with the names of its JSON form.
type listed struct {
	Name      string        `json:"name"`
	Source    string        `json:"source"`
	Origin    papers.Origin `json:"origin"`
	Fitted    bool          `json:"fitted"`
	Published float64       `json:"published"`
	Unit      string        `json:"unit"`
	Kind      papers.Kind   `json:"kind"`
	Tolerance float64       `json:"tolerance"`
	Basis     papers.Basis  `json:"tolerance_from,omitempty"`
	Open      string        `json:"open,omitempty"`
}

// printList prints what is claimed.
func printList(w io.Writer, list []papers.Claim, asJSON bool) error {
	var rows []listed
	shown := table.New("claim", "published", "tolerance", "tolerance from|left", "origin|left", "fitted|fitted/|left",
		"source|left")
	for _, c := range list {
		rows = append(rows, listed{
			Name:      c.Name,
			Source:    c.Source,
			Origin:    c.Origin,
			Fitted:    c.Fitted,
			Published: c.Published,
			Unit:      c.Unit,
			Kind:      c.Kind,
			Tolerance: c.Tolerance,
			Basis:     c.Basis,
			Open:      c.Open,
		})
		shown.Row(c.Name, publishedText(c), tolerance(c), c.Basis, c.Origin, c.Fitted, c.Source)
	}
	if asJSON {
		return cli.WriteJSON(w, rows)
	}
	term.Print(w, shown)
	return nil
}

// printSpecs prints the specs of the figures of claims, in their order.
func printSpecs(w io.Writer, list []papers.Claim) error {
	for i, name := range papers.Figures(list) {
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		text, err := papers.SpecSource(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// printBibTeX prints the publications behind claims.
func printBibTeX(w io.Writer, list []papers.Claim) error {
	behind := map[string]bool{}
	for _, figure := range papers.Figures(list) {
		for _, r := range papers.ReferencesOf(figure) {
			behind[r.Key] = true
		}
	}
	for _, r := range papers.References() {
		if !behind[r.Key] {
			continue
		}
		if _, err := fmt.Fprintln(w, r.BibTeX()); err != nil {
			return err
		}
	}
	return nil
}
