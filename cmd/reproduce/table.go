package reproduce

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/papers"
)

// printAll prints the outcomes, and of figures that were asked for by name what they are.
func printAll(w io.Writer, list []papers.Outcome, named, asJSON bool) error {
	if asJSON {
		r, err := newReproduced(list)
		if err != nil {
			return err
		}
		return cli.WriteJSON(w, r)
	}
	if named {
		specs, err := figureSpecs(list)
		if err != nil {
			return err
		}
		for _, s := range specs {
			fmt.Fprintf(w, "%s (%s): %s\n\n", s.Name, s.File(), strings.TrimSpace(s.About))
		}
	}
	printOutcomes(w, papers.Ordered(list))
	all, by := papers.Count(list)
	fmt.Fprintln(w)
	for _, t := range by {
		fmt.Fprintf(w, "%d %s: %s\n", t.Numbers, t.Origin.Text(), tallyText(t.Tally))
	}
	_, err := fmt.Fprintln(w, totalText(all, by))
	return err
}

// totalText sums up in a line, what is printed in papers with it.
func totalText(all papers.Tally, by []papers.OriginTally) string {
	text := fmt.Sprintf("%d claims: %s", all.Numbers, tallyText(all))
	if by[0].Origin == papers.Printed && len(by) > 1 {
		text += fmt.Sprintf("; printed in papers: %d of %d pass", by[0].Pass, by[0].Numbers)
	}
	return text
}

func tallyText(t papers.Tally) string {
	return fmt.Sprintf("%d pass, %d fail, %d fitted, %d open", t.Pass, t.Fail, t.Fitted, t.Open)
}

// printOutcomes prints the table, and below it what is to be said of single claims.
func printOutcomes(w io.Writer, list []papers.Outcome) {
	t := table.New("claim", "published", "simulated", "error", "tolerance", "verdict", "seconds|%.1f", "origin|left", "source|left")
	var remarks []string
	for _, o := range list {
		t.Row(o.Name, publishedText(o.Claim), simulatedText(o), errorText(o), tolerance(o.Claim), o.Verdict,
			o.Seconds, o.Origin, o.Source)
		t.Tint(5, tones[o.Verdict])
		if text := remark(o); text != "" {
			remarks = append(remarks, fmt.Sprintf("%s %s: %s", o.Verdict, o.Name, text))
		}
	}
	term.Print(w, t)
	if len(remarks) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(remarks, "\n"))
	}
}

// tones are the colours of verdicts.
var tones = map[papers.Verdict]table.Tone{papers.Pass: table.Green, papers.Fail: table.Red, papers.Open: table.Yellow, papers.Fitted: table.Yellow}

func publishedText(c papers.Claim) string { return cli.Significant(c.Published) + " " + c.Unit }

// remark is what the numbers are of, and why the claim is open.
func remark(o papers.Outcome) string {
	if o.Note != "" && o.Reason != "" {
		return o.Note + "; " + o.Reason
	}
	return o.Note + o.Reason
}

func simulatedText(o papers.Outcome) string {
	if o.Simulated == nil {
		return "none"
	}
	return cli.Significant(*o.Simulated)
}

func errorText(o papers.Outcome) string {
	switch {
	case o.Error == nil:
		return "none"
	case o.Kind == papers.Relative:
		return cli.Percent(*o.Error)
	}
	return strconv.FormatFloat(*o.Error, 'g', 3, 64)
}

func tolerance(c papers.Claim) string {
	switch c.Kind {
	case papers.Relative:
		return cli.Percent(c.Tolerance)
	case papers.Absolute:
		return strconv.FormatFloat(c.Tolerance, 'g', 3, 64)
	case papers.Max:
		return "at most"
	case papers.Min:
		return "at least"
	}
	return "exact"
}

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
	Open      string        `json:"open,omitempty"`
}

// printList prints what is claimed.
func printList(w io.Writer, list []papers.Claim, asJSON bool) error {
	var rows []listed
	t := table.New("claim", "published", "tolerance", "origin|left", "fitted|fitted/|left", "source|left")
	for _, c := range list {
		rows = append(rows, listed{c.Name, c.Source, c.Origin, c.Fitted, c.Published, c.Unit, c.Kind, c.Tolerance, c.Open})
		t.Row(c.Name, publishedText(c), tolerance(c), c.Origin, c.Fitted, c.Source)
	}
	if asJSON {
		return cli.WriteJSON(w, rows)
	}
	term.Print(w, t)
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
