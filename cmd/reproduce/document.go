package reproduce

import (
	"fmt"
	"html"
	"strings"

	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/papers"
)

// document is text with headings and tables: Markdown, or a page. What is put into it is of its form already.
type document struct {
	strings.Builder
	page bool
}

// pageHead is what a page begins with, around its title.
const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>%s</title>
<style>
:root { color-scheme: light dark; --line: #8886; --good: #17703c; --bad: #b3261e; --doubtful: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --good: #6fce95; --bad: #ff8a80; --doubtful: #e8b34b; } }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; text-align: right; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th.text, td.text { text-align: left; white-space: normal; }
th { position: sticky; top: 0; background: Canvas; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: bold; } .doubtful { color: var(--doubtful); }
img { max-width: 100%%; background: #fff; }
code { font-size: .93em; }
@media print { h2 { break-after: avoid; } img, tr { break-inside: avoid; } th { position: static; } }
</style>
</head>
<body>
%s</body>
</html>
`

// whole returns the document.
func (d *document) whole(title string) string {
	if d.page {
		return fmt.Sprintf(pageHead, html.EscapeString(title), d.String())
	}
	return d.String()
}

// escaped returns a text that means nothing else.
func (d *document) escaped(text string) string {
	if d.page {
		return html.EscapeString(text)
	}
	return text
}

func (d *document) code(text string) string {
	if d.page {
		return "<code>" + html.EscapeString(text) + "</code>"
	}
	return "`" + text + "`"
}

// tally is how claims stand, in colours where there are any.
func (d *document) tally(t papers.Tally) string {
	if !d.page {
		return "**" + tallyText(t) + "**"
	}
	var parts []string
	for _, x := range []struct {
		class string
		n     int
		what  string
	}{{"good", t.Pass, "pass"}, {"bad", t.Fail, "fail"}, {"doubtful", t.Fitted, "fitted"}, {"doubtful", t.Open, "open"},
		{"doubtful", t.Missing, "not pulled"}} {
		if x.n == 0 {
			x.class = ""
		}
		parts = append(parts, fmt.Sprintf(`<b class="%s">%d %s</b>`, x.class, x.n, x.what))
	}
	return strings.Join(parts, ", ")
}

func (d *document) heading(level int, text, anchor string) {
	switch {
	case !d.page:
		fmt.Fprintf(d, "%s %s\n\n", strings.Repeat("#", level), text)
	case anchor != "":
		fmt.Fprintf(d, "<h%d id=\"%s\">%s</h%[1]d>\n", level, html.EscapeString(anchor), html.EscapeString(text))
	default:
		fmt.Fprintf(d, "<h%d>%s</h%[1]d>\n", level, html.EscapeString(text))
	}
}

func (d *document) paragraph(text string) {
	if d.page {
		text = "<p>" + text + "</p>\n"
	} else {
		text += "\n\n"
	}
	d.WriteString(text)
}

func (d *document) image(about, url string) {
	if url != "" {
		fmt.Fprintf(d, "<img alt=\"%s\" src=\"%s\">\n", html.EscapeString(about), html.EscapeString(url))
	}
}

func (d *document) table(t *table.Table) {
	if d.page {
		d.WriteString("<div class=\"wide\">" + t.HTML() + "</div>\n")
	} else {
		d.WriteString(t.Markdown() + "\n")
	}
}
