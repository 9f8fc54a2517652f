package reproduce

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/claims"
)

// listed is a claim with the names of its JSON form.
type listed struct {
	Name      string        `json:"name"`
	Source    string        `json:"source"`
	Origin    claims.Origin `json:"origin"`
	Fitted    bool          `json:"fitted"`
	Published float64       `json:"published"`
	Unit      string        `json:"unit"`
	Kind      claims.Kind   `json:"kind"`
	Tolerance float64       `json:"tolerance"`
	Open      string        `json:"open,omitempty"`
}

func (f *reproduceFlags) printList(w io.Writer, list []claims.Claim) error {
	var rows []listed
	t := term.NewTable("claim", "published", "tolerance", "origin", "fitted", "source")
	t.Text = []int{3, 4, 5}
	for _, c := range list {
		rows = append(rows, listed{c.Name, c.Source, c.Origin, c.Fitted, c.Published, c.Unit, c.Kind, c.Tolerance, c.Open})
		fitted := ""
		if c.Fitted {
			fitted = "fitted"
		}
		t.Row(c.Name, cli.Significant(c.Published)+" "+c.Unit, tolerance(c), string(c.Origin), fitted, c.Source)
	}
	if f.json {
		return cli.WriteJSON(w, rows)
	}
	return t.Print(w)
}

// reproduced is the JSON form of what was reproduced.
type reproduced struct {
	Total   claims.Tally         `json:"total"`
	Origins []claims.OriginTally `json:"origins"`
	Figures []reproducedFigure   `json:"figures"`
	Claims  []claims.Outcome     `json:"claims"`
}

// reproducedFigure is a figure with what it is computed from.
type reproducedFigure struct {
	Name      string  `json:"name"`
	About     string  `json:"about"`
	Spec      string  `json:"spec"` // file in the sources
	Procedure string  `json:"procedure"`
	Inputs    any     `json:"inputs"`
	Seconds   float64 `json:"seconds"`
}

func newReproduced(list []claims.Outcome) (*reproduced, error) {
	specs, err := figureSpecs(list)
	if err != nil {
		return nil, err
	}
	r := &reproduced{Claims: list}
	r.Total, r.Origins = claims.Count(list)
	seconds := map[string]float64{}
	for _, o := range list {
		seconds[o.Claim.Figure()] = o.Seconds
	}
	for _, s := range specs {
		f := reproducedFigure{Name: s.Name, About: strings.TrimSpace(s.About), Spec: s.File(), Procedure: s.Procedure,
			Seconds: seconds[s.Name]}
		if err := s.Inputs(&f.Inputs); err != nil {
			return nil, err
		}
		r.Figures = append(r.Figures, f)
	}
	return r, nil
}

// figureSpecs returns the specs of the figures of outcomes, in their order.
func figureSpecs(list []claims.Outcome) (specs []*experiments.FigureSpec, err error) {
	var of []claims.Claim
	for _, o := range list {
		of = append(of, o.Claim)
	}
	for _, name := range claims.Figures(of) {
		s, err := experiments.OpenFigure(name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// print prints the outcomes, and of figures that were asked for by name what they are.
func (f *reproduceFlags) print(w io.Writer, list []claims.Outcome, named bool) error {
	if f.json {
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
	if err := printOutcomes(w, list); err != nil {
		return err
	}
	all, by := claims.Count(list)
	fmt.Fprintln(w)
	for _, t := range by {
		fmt.Fprintf(w, "%d %s: %s\n", t.Numbers, t.Origin.Text(), tallyText(t.Tally))
	}
	_, err := fmt.Fprintf(w, "%d claims: %s\n", all.Numbers, tallyText(all))
	return err
}

func tallyText(t claims.Tally) string {
	return fmt.Sprintf("%d pass, %d fail, %d fitted, %d open", t.Pass, t.Fail, t.Fitted, t.Open)
}

// printOutcomes prints the table, and below it what is to be said of single claims.
func printOutcomes(w io.Writer, list []claims.Outcome) error {
	t := term.NewTable("claim", "published", "simulated", "error", "tolerance", "verdict", "seconds", "origin", "source")
	t.Text = []int{7, 8}
	var remarks []string
	for _, o := range list {
		t.Row(o.Name, cli.Significant(o.Published)+" "+o.Unit, simulatedText(o), errorText(o), tolerance(o.Claim),
			string(o.Verdict),
			strconv.FormatFloat(o.Seconds, 'f', 1, 64), string(o.Origin), o.Source)
		t.Tint(5, map[claims.Verdict]term.Tone{claims.Pass: term.Green, claims.Fail: term.Red,
			claims.Open: term.Yellow}[o.Verdict])
		if text := remark(o); text != "" {
			remarks = append(remarks, fmt.Sprintf("%s %s: %s", o.Verdict, o.Name, text))
		}
	}
	if err := t.Print(w); err != nil {
		return err
	}
	if len(remarks) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(remarks, "\n"))
	}
	return nil
}

// remark is what the numbers are of, and why the claim is open.
func remark(o claims.Outcome) string {
	if o.Note != "" && o.Reason != "" {
		return o.Note + "; " + o.Reason
	}
	return o.Note + o.Reason
}

func simulatedText(o claims.Outcome) string {
	if o.Simulated == nil {
		return "none"
	}
	return cli.Significant(*o.Simulated)
}

func errorText(o claims.Outcome) string {
	switch {
	case o.Error == nil:
		return "none"
	case o.Kind == claims.Relative:
		return cli.Percent(*o.Error)
	}
	return strconv.FormatFloat(*o.Error, 'g', 3, 64)
}

func tolerance(c claims.Claim) string {
	switch c.Kind {
	case claims.Relative:
		return cli.Percent(c.Tolerance)
	case claims.Absolute:
		return strconv.FormatFloat(c.Tolerance, 'g', 3, 64)
	case claims.Most:
		return "at most"
	case claims.Least:
		return "at least"
	}
	return "exact"
}

// printSpecs prints the specs of the figures of claims, in their order.
func printSpecs(w io.Writer, list []claims.Claim) error {
	for i, name := range claims.Figures(list) {
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		text, err := experiments.FigureSource(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
