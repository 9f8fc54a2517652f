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
		reproduced, err := newReproduced(list)
		if err != nil {
			return err
		}
		return cli.WriteJSON(w, reproduced)
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
	text := fmt.Sprintf("%d pass, %d fail, %d fitted, %d open", t.Pass, t.Fail, t.Fitted, t.Open)
	if t.Missing > 0 {
		text += fmt.Sprintf(", %d not pulled", t.Missing)
	}
	return text
}

// printOutcomes prints the table, and below it what is to be said of single claims.
func printOutcomes(w io.Writer, list []papers.Outcome) {
	shown := table.New("claim", "published", "simulated", "error", "tolerance", "verdict", "tolerance from|left",
		"seconds|%.1f", "origin|left", "source|left")
	var remarks []string
	for _, o := range list {
		shown.Row(o.Name, publishedText(o.Claim), simulatedText(o), errorText(o), tolerance(o.Claim),
			o.Verdict, o.Basis, o.Seconds, o.Origin, o.Source)
		shown.Tint(5, tones[o.Verdict])
		if text := remark(o); text != "" {
			remarks = append(remarks, fmt.Sprintf("%s %s: %s", o.Verdict, o.Name, text))
		}
	}
	term.Print(w, shown)
	if len(remarks) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(remarks, "\n"))
	}
}

// tones are the colours of verdicts.
var tones = map[papers.Verdict]table.Tone{
	papers.Pass:    table.Green,
	papers.Fail:    table.Red,
	papers.Open:    table.Yellow,
	papers.Fitted:  table.Yellow,
	papers.Missing: table.Yellow,
}

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
