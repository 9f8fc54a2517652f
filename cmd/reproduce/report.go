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
	"github.com/marigram/marigram/papers"
)

// claimsReport is what the templates print: page.qtpl and markdown.qtpl.
type claimsReport struct {
	Version, Go, Command string
	Cores                int
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
	Claims  []reportedClaim
	Minutes float64 // wall clock
}

// reportedClaim prints the numbers of an outcome.
type reportedClaim struct{ papers.Outcome }

// Item is its name in its figure.
func (c reportedClaim) Item() string { return strings.TrimPrefix(c.Name, c.Claim.Figure()+"/") }

// PublishedText is the published number.
func (c reportedClaim) PublishedText() string { return cli.Significant(c.Published) + " " + c.Unit }

// SimulatedText is ours.
func (c reportedClaim) SimulatedText() string { return simulatedText(c.Outcome) }

// ErrorText is by how much they differ.
func (c reportedClaim) ErrorText() string { return errorText(c.Outcome) }

// ToleranceText is by how much they may.
func (c reportedClaim) ToleranceText() string { return tolerance(c.Claim) }

// Remark is what the numbers are of, and why the claim is open.
func (c reportedClaim) Remark() string { return remark(c.Outcome) }

// OriginsText says how many numbers there are of each origin.
func (r *claimsReport) OriginsText() string {
	var parts []string
	for _, t := range r.Origins {
		parts = append(parts, fmt.Sprintf("%d %s", t.Numbers, t.Origin.Text()))
	}
	return strings.Join(parts, ", ")
}

// Anchor is the name as an HTML id.
func (f *claimsFigure) Anchor() string { return strings.ReplaceAll(f.Name, "/", "-") }

// Unnoticed lists the parameters that may be 10 % larger without any claim of the figure
// noticing; empty where there are none.
func (f *claimsFigure) Unnoticed() string { return strings.Join(papers.Unnoticed(f.Name), ", ") }

// Misses returns the claims that fail.
func (p *claimsPart) Misses() (list []reportedClaim) {
	for _, c := range p.Claims {
		if c.Verdict == papers.Fail {
			list = append(list, c)
		}
	}
	return list
}

// MinutesText prints the minutes.
func (p *claimsPart) MinutesText() string {
	if p.Minutes < 0.01 {
		return "< 0.01"
	}
	return fmt.Sprintf("%.2f", p.Minutes)
}

func (p *claimsPart) add(o papers.Outcome) {
	p.Claims = append(p.Claims, reportedClaim{o})
	p.Add(o.Verdict)
}

// newClaimsReport sums up the outcomes by figure; with images, their overlays are
// part of it.
func newClaimsReport(command string, list []papers.Outcome, images bool) (*claimsReport, error) {
	r := &claimsReport{Version: cli.Version(), Go: runtime.Version(), Command: command, Cores: runtime.GOMAXPROCS(0)}
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
	if file == "" {
		return writeAll(w, claimsMarkdown(r))
	}
	return store.Write(context.Background(), file, func(w io.Writer) error {
		if page {
			return writeAll(w, claimsPage(r))
		}
		return writeAll(w, claimsMarkdown(r))
	})
}

func writeAll(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }
