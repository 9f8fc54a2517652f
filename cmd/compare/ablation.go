package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/table"
)

// sameAblation reports whether two rows are of one table.
func sameAblation(a, b *sweep.Comparison) bool {
	return a.Objective == b.Objective && a.Parameters == b.Parameters && a.Baseline == b.Baseline
}

// printAblation prints a table for each policy, objective and parameter.
func printAblation(w io.Writer, rows []sweep.Comparison) {
	tests := 0
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && sameAblation(&rows[n], &rows[0]) {
			n++
		}
		first := &rows[0]
		fmt.Fprintln(w, strings.TrimSuffix(first.Objective+" "+first.Parameters, " {}"))
		in := "|" + plain(first.Unit)
		t := table.New("value", "n", first.SamplingUnit+"s", "missed|percent", "95 %", heading(first)+in, "minus "+first.Baseline+"|"+signed(first.Unit), "95 %",
			"p|%.2g", "p, Holm|%.2g")
		for i := range rows[:n] {
			c := &rows[i]
			cells := []any{c.Policy, c.N}
			if c.N > 0 {
				cells = append(cells, c.MissedCI.Units, c.Missed, fmt.Sprintf("%.1f to %.1f", 100*c.MissedCI.Low, 100*c.MissedCI.High), c.Value)
			}
			if c.P != nil {
				cells = append(cells, c.Diff, between(c.DiffCI, signed(c.Unit)), *c.P, *c.PHolm)
				tests++
			}
			t.Row(cells...)
		}
		term.Print(w, t)
		warnComparisons(w, rows[:n])
		fmt.Fprintln(w)
		rows = rows[n:]
	}
	fmt.Fprintf(w, "missed: misses the objective; 95 %%: confidence interval; minus: mean of the paired differences; p: Student's paired test;\n"+
		"p, Holm: corrected for %s, so that below 0.05 not one of them is by chance in 95 of 100 such tables\n", cli.Count(tests, "comparison", "comparisons"))
}

// escaped writes a text for LaTeX.
var escaped = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`)

// latexAblation prints one table, with a rule between groups.
func latexAblation(w io.Writer, rows []sweep.Comparison) error {
	if len(rows) == 0 {
		return fmt.Errorf("no runs to compare")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{lrrrrr}\n\\hline\n & missed & %s & difference & 95\\,\\%% & $p$ (Holm) \\\\\n", escaped.Replace(heading(&rows[0])))
	for i := range rows {
		c := &rows[i]
		if i == 0 || !sameAblation(c, &rows[i-1]) {
			fmt.Fprintf(&b, "\\hline\n\\multicolumn{6}{l}{%s} \\\\\n", escaped.Replace(strings.TrimSuffix(c.Objective+" "+c.Parameters, " {}")))
		}
		fmt.Fprintf(&b, "%s & %.1f\\,\\%% & %s", escaped.Replace(c.Policy), 100*c.Missed, table.Format(plain(c.Unit), c.Value))
		if c.P == nil {
			b.WriteString(" & & & \\\\\n")
			continue
		}
		fmt.Fprintf(&b, " & $%s$ & $%s$ to $%s$ & %.2g \\\\\n", table.Format(signed(c.Unit), c.Diff), table.Format(signed(c.Unit), c.DiffCI.Low),
			table.Format(signed(c.Unit), c.DiffCI.High), *c.PHolm)
	}
	b.WriteString("\\hline\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}
