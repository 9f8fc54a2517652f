package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

// markup is text that is HTML already.
type markup string

// escaped writes text as it stands in HTML.
var escaped = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "&", "&amp;")

// put writes a form of fmt with values. All but markup and numbers is escaped, whatever its type, so that no text of
// a spec or a result gets into the page as HTML.
func (w *webPage) put(form string, values ...any) {
	for i, value := range values {
		switch value.(type) {
		case markup, int, uint64, float64:
		default:
			values[i] = escaped.Replace(fmt.Sprint(value))
		}
	}
	fmt.Fprintf(w, form, values...)
}

// webPage is a report as an HTML page, and the colours of its figures.
type webPage struct {
	bytes.Buffer
	theme *canvas.Theme
}

// tag writes text in an element.
func (w *webPage) tag(element, more, words string) {
	fmt.Fprintf(w, "<%s%s>%s</%[1]s>\n", element, more, html.EscapeString(words))
}

func (w *webPage) figure(class string, f *canvas.Figure, caption string) error {
	svg, err := f.Inline(w.theme)
	w.put("<figure%s>%s", markup(class), markup(svg))
	if caption != "" {
		w.put("<figcaption>%s</figcaption>", caption)
	}
	w.put("</figure>\n")
	return err
}

// head writes the page to the end of its header: the answers are HTML.
func (w *webPage) head(p *page, policy, style string, answers markup) {
	w.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s: marigram report</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%[2]s</h1>
<div class="answers">
%[4]s</div>
`, policy, p.name, markup(style), answers)
	before, after := p.context()
	w.put(`<p class="context"><strong>Simulated</strong>%s`, before)
	if p.market != "synthetic" {
		w.put("%s", p.market)
	}
	if p.synthetic() {
		w.put(` <strong class="badge">synthetic</strong>`)
	}
	w.put("%s</p>\n", after)
	w.warnings(p)
	w.put(`<nav aria-label="Sections">`)
	for _, part := range p.sections() {
		w.put(`<a href="#%s">%s</a> `, part.anchor, part.title)
	}
	w.put("</nav>\n</header>\n")
}

func (w *webPage) warnings(p *page) {
	if len(p.Warnings) == 0 {
		return
	}
	w.put(`<details class="warnings" open><summary>Warnings</summary><ul>` + "\n")
	for _, group := range p.Warnings {
		w.put("<li><strong>%s</strong>", group.Of)
		if len(group.Texts) == 1 {
			w.put(": %s", group.Texts[0])
		} else {
			w.put("<ul>")
			for _, text := range group.Texts {
				w.put("<li>%s</li>", text)
			}
			w.put("</ul>")
		}
		w.put("</li>\n")
	}
	w.put("</ul></details>\n")
}

func (w *webPage) answer(v *verdict) error {
	class := "poor"
	if v.Meets {
		class = "good"
	}
	w.put(`<div class="answer">
<p class="goal">%s</p>
<p class="verdict %s">%s<strong>%s</strong>%s</p>
`, v.Goal, class, v.Lead(), v.Policy, v.Text)
	for _, note := range v.notes() {
		w.put(`<p class="cheaper">%s</p>`+"\n", note)
	}
	var err error
	if v.figure != nil {
		err = w.figure(` class="ranking"`, v.figure, "")
	}
	w.put("</div>\n")
	return err
}

func (w *webPage) List(items []item) {
	w.put("<ul>")
	for _, one := range items {
		w.put("<li><strong>%s</strong> %s</li>\n", one.Of, one.Text)
	}
	w.put("</ul>\n")
}

// timelinesHTML are the parts of the page that its script fills.
//
//go:embed timelines.html
var timelinesHTML string

func (w *webPage) timelines(cases []*chartCase, data []byte) {
	options := &webPage{}
	for place, one := range cases {
		options.put(`<option value="%d">%s</option>`, place, one.Name)
	}
	w.put(timelinesHTML, markup(options.String()), markup(data))
}

func (w *webPage) Provenance(p *page) {
	w.put(`<pre id="command"><code>`)
	for _, line := range p.commands() {
		w.put("%s\n", line)
	}
	from := &p.from
	w.put(`</code></pre>
<dl>
<dt>marigram</dt><dd>%s (%s), %s, schema %v</dd>
<dt>spec</dt><dd>%s, SHA-256 <code>%s</code></dd>
<dt>first seed</dt><dd>%v</dd>
</dl>
`, from.Version, from.Commit, from.GOARCH, from.SchemaVersion, from.SpecName, from.SpecSHA256, from.Seed)
	if len(from.Inputs) > 0 {
		w.put("<details><summary>%s</summary><ul>", units.Count(len(from.Inputs), "input file", "input files"))
		for _, input := range from.Inputs {
			w.put("<li>%s <code>%s</code></li>", input.Name, input.SHA256)
		}
		w.put("</ul></details>\n")
	}
	if p.Charts != nil {
		w.put("<details><summary>Licence of uPlot, which draws the timelines</summary><pre>%s</pre></details>\n",
			uplotLicence)
	}
}
