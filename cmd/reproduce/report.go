package reproduce

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/papers"
)

// claimsReport is what a report says of claims.
type claimsReport struct {
	Command string
	claimsPart
	Origins []papers.OriginTally
	Figures []claimsFigure
}

// claimsFigure is a figure or table with its claims.
type claimsFigure struct {
	Name, About string
	Spec        string // file in the sources
	References  []papers.Reference
	Image       string // the overlay, an SVG as a data URL; empty in Markdown
	claimsPart
}

// claimsPart is claims and how they stand.
type claimsPart struct {
	papers.Tally
	Claims  []papers.Outcome
	Minutes float64 // wall clock
}

// OriginsText says how many numbers there are of each origin.
func (r *claimsReport) OriginsText() string {
	var parts []string
	for _, t := range r.Origins {
		parts = append(parts, fmt.Sprintf("%d %s", t.Numbers, t.Origin.Text()))
	}
	return strings.Join(parts, ", ")
}

// item is the name of a claim in its figure.
func item(o *papers.Outcome) string { return strings.TrimPrefix(o.Name, o.Claim.Figure()+"/") }

// minutesText prints the minutes.
func (p *claimsPart) minutesText() string {
	if p.Minutes < 0.01 {
		return "< 0.01"
	}
	return fmt.Sprintf("%.2f", p.Minutes)
}

func (p *claimsPart) add(o papers.Outcome) {
	p.Claims = append(p.Claims, o)
	p.Add(o.Verdict)
}

// newClaimsReport sums up the outcomes by figure; with images, their overlays are
// part of it.
func newClaimsReport(command string, list []papers.Outcome, images bool) (*claimsReport, error) {
	r := &claimsReport{Command: command}
	list = papers.Ordered(list) // figures with numbers from papers first
	_, r.Origins = papers.Count(list)
	at := map[string]int{}
	for _, o := range list {
		name := o.Claim.Figure()
		i, known := at[name]
		if !known {
			s, err := papers.OpenSpec(name)
			if err != nil {
				return nil, err
			}
			i = len(r.Figures)
			at[name] = i
			r.Figures = append(r.Figures, claimsFigure{Name: name, About: strings.TrimSpace(s.About), Spec: s.File(),
				References: papers.ReferencesOf(name)})
			r.Figures[i].Minutes = o.Seconds / 60
			r.Minutes += o.Seconds / 60
		}
		r.Figures[i].add(o)
		r.add(o)
	}
	if !images {
		return r, nil
	}
	return r, r.draw(list)
}

func (r *claimsReport) draw(list []papers.Outcome) error {
	drawn, err := overlays(list)
	if err != nil {
		return err
	}
	for i, d := range drawn { // in the order of the figures
		svg, err := d.Figure.SVG()
		if err != nil {
			return err
		}
		r.Figures[i].Image = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	}
	return nil
}

// writeReport writes the report in the form that the extension of the file names,
// or without a file Markdown to w.
func writeReport(w io.Writer, file, command string, list []papers.Outcome) error {
	page := strings.HasSuffix(file, ".html")
	r, err := newClaimsReport(command, list, page)
	if err != nil {
		return err
	}
	d := &document{page: page}
	r.write(d)
	text := d.whole("marigram: published and simulated")
	if file == "" {
		_, err := io.WriteString(w, text)
		return err
	}
	return store.WriteBytes(context.Background(), file, []byte(text))
}

// write writes the report into a document.
func (r *claimsReport) write(d *document) {
	cores := runtime.GOMAXPROCS(0)
	d.heading(1, "Published and simulated", "")
	d.paragraph(fmt.Sprintf("%d numbers, recomputed: %s. %s. %s minutes on %d cores.", r.Numbers, r.OriginsText(), d.tally(r.Tally),
		d.escaped(r.minutesText()), cores))
	d.paragraph("The error is relative to the published number (tolerance in %), a difference in its unit, or the amount by which a bound (at most, " +
		"at least) is missed.\nFitted: within its tolerance, but an input or used in a fit, so not a prediction. Open: not claimed, for the given " +
		"reason. Not pulled: not computed, because it needs a trace that is not in the cache (marigram traces pull).")
	d.paragraph(d.escaped(fmt.Sprintf("marigram %s, %s; ", cli.Version(), runtime.Version())) + d.code(r.Command))
	t := table.New("origin", "numbers", "pass", "fail", "fitted", "open", "not pulled")
	for _, x := range r.Origins {
		t.Row(fmt.Sprintf("%s: %s", x.Origin, x.Origin.Text()), x.Numbers, x.Pass, x.Fail, x.Fitted, x.Open, x.Missing)
	}
	d.table(t)
	d.paragraph("Where tolerances come from: " + basesText(r.claims()) + ".")
	if r.Fail > 0 {
		d.heading(2, "Misses", "")
		for i := range r.Claims {
			if o := &r.Claims[i]; o.Verdict == papers.Fail {
				d.paragraph(d.escaped(fmt.Sprintf("%s: published %s, simulated %s; %s", o.Name, publishedText(o.Claim), simulatedText(*o), remark(*o))))
			}
		}
	}
	d.heading(2, "Figures and tables", "")
	t = table.New("figure or table", "claims", "pass", "fail", "fitted", "open", "not pulled", fmt.Sprintf("minutes on %d cores", cores))
	for i := range r.Figures {
		f := &r.Figures[i]
		t.Row(f.Name, f.Numbers, f.Pass, f.Fail, f.Fitted, f.Open, f.Missing, f.minutesText())
		t.Link(0, "#"+anchor(f.Name))
	}
	d.table(t)
	for i := range r.Figures {
		r.Figures[i].write(d)
	}
}

// claims returns the claims of all outcomes.
func (r *claimsReport) claims() []papers.Claim {
	var list []papers.Claim
	for _, o := range r.Claims {
		list = append(list, o.Claim)
	}
	return list
}

// basesText says how many tolerances come from where: "33 the source's own error or bound, ...".
func basesText(list []papers.Claim) string {
	var parts []string
	for _, b := range papers.CountBases(list) {
		parts = append(parts, fmt.Sprintf("%d %s", b.N, b.Basis.Text()))
	}
	return strings.Join(parts, ", ")
}

// anchor is the name of a figure as an HTML id.
func anchor(figure string) string { return strings.ReplaceAll(figure, "/", "-") }

func (f *claimsFigure) write(d *document) {
	d.heading(2, f.Name, anchor(f.Name))
	d.paragraph(d.escaped(f.About+" Inputs: ") + d.code(f.Spec) + ".")
	for _, x := range f.References {
		d.paragraph(d.escaped(x.Text()))
	}
	if missed := papers.Unnoticed(f.Name); len(missed) > 0 {
		d.paragraph(d.escaped("No claim notices if one of these parameters is 10 % larger: " + strings.Join(missed, ", ") + "."))
	}
	d.image(f.Name+": simulated over published points", f.Image)
	t := table.New("claim", "published", "simulated", "error", "tolerance", "tolerance from|left", "verdict|left", "origin|left",
		"source; remarks, reason if open|left")
	for i := range f.Claims {
		o := &f.Claims[i]
		source := o.Source
		if text := remark(*o); text != "" {
			source += "\n" + text
		}
		t.Row(item(o), publishedText(o.Claim), simulatedText(*o), errorText(*o), tolerance(o.Claim), o.Basis, o.Verdict, o.Origin, source)
		t.Tint(6, tones[o.Verdict])
	}
	d.table(t)
}
