package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"

	"github.com/marigram/marigram/internal/table"
)

// What a page needs beside its HTML.
var (
	//go:embed page.css
	pageStyle string
	//go:embed tables.js
	tablesScript string
	//go:embed timeline.js
	timelineScript string
)

func (w *webPage) Heading(level int, words string) { w.tag(fmt.Sprint("h", level), "", words) }
func (w *webPage) Text(words string)               { w.tag("p", "", words) }

func (w *webPage) Table(t *table.Table) {
	t.Mark = func(policy string) string { return w.theme.Styles.Of(policy).Swatch(w.theme, "dot") }
	w.WriteString(t.HTML())
}

func (w *webPage) Details(summary string, t *table.Table) {
	w.WriteString("<details>")
	w.tag("summary", "", summary)
	w.Table(t)
	w.WriteString("</details>\n")
}

func (w *webPage) Figure(f *canvas.Figure, caption string) error { return w.figure("", f, caption) }

func (w *webPage) Timelines(p *page) error {
	if p.Sweep != nil && p.Sweep.NoTimelines != "" {
		w.tag("p", ` class="poor"`, "No timelines: "+p.Sweep.NoTimelines+".")
	}
	if p.Charts == nil {
		return nil
	}
	data, err := json.Marshal(p.Charts)
	w.timelines(p.Charts.Cases, data)
	return err
}

// Page writes the page about the study: HTML in one file that asks the network for nothing.
func (s *Study) Page(w io.Writer) error {
	var theme canvas.Theme
	p, err := s.page(&theme)
	if err != nil {
		return err
	}
	answers := &webPage{theme: &theme}
	body := &webPage{theme: &theme}
	for i := range p.Verdicts {
		if err := answers.answer(&p.Verdicts[i]); err != nil {
			return err
		}
	}
	for _, part := range p.sections() {
		fmt.Fprintf(body, "<section id=%q>\n", part.anchor)
		body.Heading(2, part.title)
		if err := part.write(body); err != nil {
			return err
		}
		body.WriteString("</section>\n")
	}
	scripts := []string{tablesScript}
	if p.Charts != nil {
		scripts = append(scripts, uplotScript, timelineScript)
	}
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; " +
		"script-src " + strings.Join(digests(scripts), " ")
	out := &webPage{theme: &theme}
	out.head(p, policy, uplotStyle+pageStyle+theme.CSS(), markup(answers.String()))
	out.put("<main>\n%s</main>\n", markup(body.String()))
	for _, script := range scripts {
		out.put("<script>%s</script>\n", markup(script))
	}
	out.put("</body>\n</html>\n")
	_, err = out.WriteTo(w)
	return err
}

// Digests are the hashes of the scripts of a page, as a content security policy has them: a page that shows one in a
// frame must allow them.
func Digests() []string { return digests([]string{tablesScript, uplotScript, timelineScript}) }

func digests(scripts []string) (all []string) {
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script))
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return all
}

// Page writes a page about a set: HTML in one file that asks the network for nothing.
// The timelines of the first 20 runs that have one are in it, those of the lowest seeds
// first.
func Page(w io.Writer, set *results.Set) error {
	return Of(set).Page(w)
}
