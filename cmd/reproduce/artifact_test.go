package reproduce

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/traces/catalogue"
)

var (
	all  = flag.Bool("all", false, "figures that take seconds, and the totals, too")
	slow = flag.Bool("slow", false, "figures that take minutes, too")
)

// root is that of the repository.
const root = "../.."

// What papers/FIGURES.md says is what comes out: how many numbers of each origin, and of each figure how many are
// fitted or open, and the largest relative error. Without -all only of figures that take less than a twentieth of a
// second by the table; make check gives it, and TestFigures of papers runs the others. -update writes the table, with
// the seconds of this machine, which are not compared.
func TestArtifact(t *testing.T) {
	if testing.Short() {
		t.Skip("short: published numbers")
	}
	for _, e := range catalogue.Catalogue() {
		pulled.Has(t, e.Name)
	}
	path := filepath.Join(root, "papers", "FIGURES.md")
	before, table, after := cutTable(t, path, "<!-- figures -->\n", "<!-- end of figures -->")
	list, err := papers.Select()
	if err != nil {
		t.Fatal(err)
	}
	list, _ = papers.Quick(list)
	whole := *all || *testutil.UpdateGolden
	if !whole {
		list = slices.DeleteFunc(list, func(c papers.Claim) bool { return !atOnce(table, c.Figure()) })
	}
	outcomes, err := papers.Run(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.Claim.Timed() && o.Verdict == papers.Fail { // speed is for benchmarks on a machine that does nothing else
			t.Logf("%s is slower than its bound on this machine now: error %v", o.Name, *o.Error)
			o.Verdict = papers.Pass
		}
	}
	r, err := newClaimsReport("", outcomes, false)
	if err != nil {
		t.Fatal(err)
	}
	if *testutil.UpdateGolden {
		writeTable(t, path, before+artifactTotals(r)+"\n"+artifactHead+artifactRows(r)+"\n"+artifactReferences()+after)
		writeTotals(t, r)
		return
	}
	for _, f := range r.Figures {
		if row, _ := artifactRow(&f); !notPulled(&f) && !strings.Contains(table, row) {
			t.Errorf("papers/FIGURES.md lacks\n%s\n(%s)", row, writeArtifact)
		}
	}
	if !strings.Contains(table, artifactReferences()) {
		t.Errorf("papers/FIGURES.md lacks a reference (%s)", writeArtifact)
	}
	if whole {
		checkTotals(t, table, r)
	}
}

const writeArtifact = "go test -run TestArtifact ./cmd/reproduce -update"

// checkTotals holds what papers/FIGURES.md and README.md say of all figures together.
func checkTotals(t *testing.T, table string, r *claimsReport) {
	t.Helper()
	if n := strings.Count(table, "| `marigram reproduce "); n != len(r.Figures) {
		t.Errorf("papers/FIGURES.md has %d figures, there are %d (%s)", n, len(r.Figures), writeArtifact)
	}
	// The table was written with all sets but the sessions of notebooks/template.
	if slices.ContainsFunc(r.Figures, func(f claimsFigure) bool { return notPulled(&f) != (f.Name == "notebooks/template") }) {
		t.Log("totals are not compared: other sets are pulled than when papers/FIGURES.md was written")
		return
	}
	if totals := artifactTotals(r); !strings.Contains(table, totals) {
		t.Errorf("papers/FIGURES.md lacks\n%s\n(%s)", totals, writeArtifact)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(readme)), " ")
	for _, text := range readmeTotals(t, r) {
		if !strings.Contains(words, text) {
			t.Errorf("README.md lacks %q (%s)", text, writeArtifact)
		}
	}
}

// readmeTotals are the counts of README.md: of all numbers, those of figures that take minutes by their tables, since
// TestArtifactSlow runs these.
func readmeTotals(t *testing.T, quick *claimsReport) []string {
	t.Helper()
	list, err := papers.Select()
	if err != nil {
		t.Fatal(err)
	}
	total := quick.Tally
	printed := papers.Tally{}
	for _, o := range quick.Origins {
		if o.Origin == papers.Printed {
			printed = o.Tally
		}
	}
	_, slowOnes := papers.Quick(list)
	origins := map[papers.Origin]int{}
	for i := range list {
		c := &list[i]
		origins[c.Counted()]++
		if _, isSlow := slowOnes[c.Figure()]; !isSlow {
			continue
		}
		total.Add(papers.Tabled(c))
		if c.Counted() == papers.Printed {
			printed.Add(papers.Tabled(c))
		}
	}
	texts := []string{
		fmt.Sprintf("against %d numbers", len(list)),
		fmt.Sprintf("%d pass, %d are fitted, %d open", printed.Pass, printed.Fitted, printed.Open),
		"together: " + tallyText(total),
	}
	for _, b := range papers.CountBases(list) {
		texts = append(texts, fmt.Sprintf("%d %s", b.N, b.Basis.Text()))
	}
	for origin, n := range origins {
		texts = append(texts, fmt.Sprintf("%d %s", n, origin.Text()))
	}
	return texts
}

// writeTotals writes the counts of README.md, where lines may break anywhere.
func writeTotals(t *testing.T, r *claimsReport) {
	t.Helper()
	path := filepath.Join(root, "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := readmeTotals(t, r)
	text := string(data)
	number, space := regexp.MustCompile(`\d+`), regexp.MustCompile(` `)
	for _, want := range texts {
		pattern := regexp.MustCompile(space.ReplaceAllString(number.ReplaceAllString(regexp.QuoteMeta(want), `\d+`), `\s+`))
		counts := number.FindAllString(want, -1)
		text = pattern.ReplaceAllStringFunc(text, func(have string) string {
			i := -1
			return number.ReplaceAllStringFunc(have, func(string) string { i++; return counts[i] })
		})
	}
	writeTable(t, path, text)
}

// atOnce reports whether a figure takes less than a twentieth of a second by the table. One that
// the table lacks does not take long until it is known to.
func atOnce(table, figure string) bool {
	_, row, ok := strings.Cut(table, "| `marigram reproduce "+figure+"` |")
	if !ok {
		return true
	}
	row, _, _ = strings.Cut(row, " |\n")
	seconds, err := strconv.ParseFloat(row[strings.LastIndex(row, " ")+1:], 64)
	return err != nil || seconds < 0.05
}

// cutTable returns what a file has up to a table, the table, and the rest.
func cutTable(t *testing.T, path, begin, end string) (before, table, after string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(begin)) + len(begin)
	to := bytes.Index(data, []byte(end))
	if at < len(begin) || to < at {
		t.Fatalf("%s has no %s and %s", path, begin, end)
	}
	return string(data[:at]), string(data[at:to]), string(data[to:])
}

func writeTable(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// artifactRows is a row a figure, with its seconds.
func artifactRows(r *claimsReport) string {
	var rows strings.Builder
	for _, f := range r.Figures {
		row, seconds := artifactRow(&f)
		fmt.Fprintf(&rows, "%s %.1f |\n", row, seconds)
	}
	return rows.String()
}

const artifactHead = "| command | source | origin | numbers | fitted | open | largest error | seconds |\n|---|---|---|--:|--:|--:|--:|--:|\n"

// Every figure that takes minutes has a row in papers/FIGURES.md; with -slow it is what
// comes out, and -update writes each row when its figure is done, so that a run that
// is cut short keeps those before.
func TestArtifactSlow(t *testing.T) {
	path := filepath.Join(root, "papers", "FIGURES.md")
	before, table, after := cutTable(t, path, "<!-- slow figures -->\n", "<!-- end of slow figures -->")
	list, err := papers.Select()
	if err != nil {
		t.Fatal(err)
	}
	_, slowOnes := papers.Quick(list)
	names := slices.Sorted(maps.Keys(slowOnes))
	rows := map[string]string{}
	for _, line := range strings.SplitAfter(table, "\n") {
		rows[figureOfRow(line)] = line
	}
	for _, name := range names {
		if rows[name] == "" && !*testutil.UpdateGolden {
			t.Errorf("papers/FIGURES.md lacks %s (go test -run TestArtifactSlow ./cmd/reproduce -slow -update)", name)
		}
		if !*slow {
			continue
		}
		r, missed := reproduceFigure(t, name)
		row, _ := artifactRow(&r.Figures[0])
		if missed || !strings.Contains(table, row) && !*testutil.UpdateGolden {
			t.Errorf("papers/FIGURES.md lacks\n%s, or a claim of it fails", row)
		}
		if *testutil.UpdateGolden {
			rows[name] = artifactRows(r)
			text := artifactHead
			for _, n := range names {
				text += rows[n]
			}
			writeTable(t, path, before+text+after)
		}
	}
}

// figureOfRow is the figure that a line of a table is of, "" if of none.
func figureOfRow(line string) string {
	_, name, _ := strings.Cut(line, "| `marigram reproduce ")
	name, _, _ = strings.Cut(name, "`")
	return name
}

// reproduceFigure runs one figure, and says whether a claim of it fails.
func reproduceFigure(t *testing.T, name string) (r *claimsReport, missed bool) {
	t.Helper()
	list, err := papers.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := papers.Run(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = newClaimsReport("", outcomes, false); err != nil {
		t.Fatal(err)
	}
	return r, papers.Missed(outcomes) > 0
}

// artifactReferences is the list of publications.
func artifactReferences() string {
	var out strings.Builder
	out.WriteString("## References\n`marigram reproduce --bibtex` prints them as BibTeX ([docs/references.bib](../docs/references.bib)).\n\n")
	for _, r := range papers.References() {
		fmt.Fprintf(&out, "- [%s] %s\n", r.Key, r.Text())
	}
	return out.String()
}

// The list of publications in docs is what the command prints.
func TestBibTeX(t *testing.T) {
	var out bytes.Buffer
	if err := printBibTeX(&out, papers.Published()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "references.bib")
	testutil.GoldenText(t, path, out.String())
}

// artifactTotals is what papers/FIGURES.md says of all numbers.
func artifactTotals(r *claimsReport) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d numbers: %s.\n\n", r.Numbers, r.OriginsText())
	out.WriteString("| origin | numbers | pass | fail | fitted | open | not pulled |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, t := range r.Origins {
		fmt.Fprintf(&out, "| %s: %s | %d | %d | %d | %d | %d | %d |\n", t.Origin, t.Origin.Text(), t.Numbers, t.Pass, t.Fail,
			t.Fitted, t.Open, t.Missing)
	}
	out.WriteString("\nWhere tolerances come from ([what the words mean](../docs/claims.md)):\n\n")
	for _, b := range papers.CountBases(r.claims()) {
		fmt.Fprintf(&out, "- %d %s\n", b.N, b.Basis.Text())
	}
	return out.String()
}

// notPulled reports whether a figure needs a trace that is not here.
func notPulled(f *claimsFigure) bool {
	return strings.Contains(f.Claims[0].Reason, "is not pulled")
}

// artifactRow is what papers/FIGURES.md says of a figure but for its seconds.
func artifactRow(f *claimsFigure) (row string, seconds float64) {
	source, _, _ := strings.Cut(f.Claims[0].Source, ";")
	worst := -1.0
	for _, c := range f.Claims {
		if c.Verdict == papers.Pass && c.Kind == papers.Relative {
			worst = max(worst, *c.Error)
		}
	}
	largest := ""
	if worst >= 0 {
		largest = cli.Percent(worst)
	}
	for _, r := range f.References {
		source += " [" + r.Key + "]"
	}
	return fmt.Sprintf("| `marigram reproduce %s` | %s | %s | %d | %d | %d | %s |",
		f.Name, source, originsOf(f), f.Numbers, f.Fitted, f.Open, largest), f.Claims[0].Seconds
}

// originsOf is, for instance, "code, 2 bound": the origin of most numbers of a
// figure and how many have another.
func originsOf(f *claimsFigure) string {
	_, by := papers.Count(slices.Clone(f.Claims))
	slices.SortStableFunc(by, func(a, b papers.OriginTally) int { return b.Numbers - a.Numbers })
	text := string(by[0].Origin)
	for _, t := range by[1:] {
		text += fmt.Sprintf(", %d %s", t.Numbers, t.Origin)
	}
	return text
}
