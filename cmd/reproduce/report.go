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
	report := &claimsReport{Command: command}
	list = papers.Ordered(list) // figures with numbers from papers first
	_, report.Origins = papers.Count(list)
	at := map[string]int{}
	for _, o := range list {
		name := o.Claim.Figure()
		figure, known := at[name]
		if !known {
			spec, err := papers.OpenSpec(name)
			if err != nil {
				return nil, err
			}
			figure = len(report.Figures)
			at[name] = figure
			report.Figures = append(report.Figures, claimsFigure{
				Name:       name,
				About:      strings.TrimSpace(spec.About),
				Spec:       spec.File(),
				References: papers.ReferencesOf(name),
			})
			report.Figures[figure].Minutes = o.Seconds / 60
			report.Minutes += o.Seconds / 60
		}
		report.Figures[figure].add(o)
		report.add(o)
	}
	if !images {
		return report, nil
	}
	return report, report.draw(list)
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
	report, err := newClaimsReport(command, list, page)
	if err != nil {
		return err
	}
	written := &document{page: page}
	report.write(written)
	text := written.whole("marigram: published and simulated")
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
	d.paragraph(fmt.Sprintf("%d numbers, recomputed: %s. %s. %s minutes on %d cores.",
		r.Numbers, r.OriginsText(), d.tally(r.Tally), d.escaped(r.minutesText()), cores))
	d.paragraph("The error is relative to the published number (tolerance in %), a difference in its unit, " +
		"or the amount by which a bound (at most, at least) is missed.\n" +
		"Fitted: within its tolerance, but an input or used in a fit, so not a prediction. " +
		"Open: not claimed, for the given reason. " +
		"Not pulled: not computed, because it needs a trace that is not in the cache (marigram traces pull).")
	d.paragraph(d.escaped(fmt.Sprintf("marigram %s, %s; ", cli.Version(), runtime.Version())) + d.code(r.Command))
	origins := table.New("origin", "numbers", "pass", "fail", "fitted", "open", "not pulled")
	for _, o := range r.Origins {
		text := fmt.Sprintf("%s: %s", o.Origin, o.Origin.Text())
		origins.Row(text, o.Numbers, o.Pass, o.Fail, o.Fitted, o.Open, o.Missing)
	}
	d.table(origins)
	d.paragraph("Where tolerances come from: " + basesText(r.claims()) + ".")
	if r.Fail > 0 {
		d.heading(2, "Misses", "")
		for i := range r.Claims {
			if r.Claims[i].Verdict == papers.Fail {
				d.paragraph(d.escaped(missText(r.Claims[i])))
			}
		}
	}
	d.heading(2, "Figures and tables", "")
	figures := table.New("figure or table", "claims", "pass", "fail", "fitted", "open", "not pulled",
		fmt.Sprintf("minutes on %d cores", cores))
	for i := range r.Figures {
		figure := &r.Figures[i]
		figures.Row(figure.Name, figure.Numbers, figure.Pass, figure.Fail, figure.Fitted, figure.Open, figure.Missing,
			figure.minutesText())
		figures.Link(0, "#"+anchor(figure.Name))
	}
	d.table(figures)
	for i := range r.Figures {
		r.Figures[i].write(d)
	}
}

// missText says of a claim that misses its tolerance what it is.
func missText(o papers.Outcome) string {
	return fmt.Sprintf("%s: published %s, simulated %s; %s",
		o.Name, publishedText(o.Claim), simulatedText(o), remark(o))
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
		d.paragraph(d.escaped("No claim notices if one of these parameters is 10 % larger: " +
			strings.Join(missed, ", ") + "."))
	}
	d.image(f.Name+": simulated over published points", f.Image)
	shown := table.New("claim", "published", "simulated", "error", "tolerance", "tolerance from|left", "verdict|left",
		"origin|left", "source; remarks, reason if open|left")
	for i := range f.Claims {
		claim := &f.Claims[i]
		source := claim.Source
		if text := remark(*claim); text != "" {
			source += "\n" + text
		}
		shown.Row(item(claim), publishedText(claim.Claim), simulatedText(*claim), errorText(*claim),
			tolerance(claim.Claim), claim.Basis, claim.Verdict, claim.Origin, source)
		shown.Tint(6, tones[claim.Verdict])
	}
	d.table(shown)
}
