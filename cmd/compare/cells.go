package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// cellsOf counts the combinations of parameters.
func cellsOf(rows []sweep.Comparison) int {
	seen := map[string]bool{}
	for i := range rows {
		seen[rows[i].Parameters] = true
	}
	return len(seen)
}

// printCells ranks the cells of a sweep by their first policies: a table an objective.
func printCells(w io.Writer, dir, baseline string, rows []sweep.Comparison) error {
	var objectives []string
	for i := range rows {
		if !slices.Contains(objectives, rows[i].Objective) {
			objectives = append(objectives, rows[i].Objective)
		}
	}
	cells := 0
	warned := map[string]bool{}
	for _, objective := range objectives {
		tops, names, err := firstOf(rows, objective)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, objective)
		shown := table.New("cell", "first policy|left", "n", tops[0].SamplingUnit+"s", "missed|percent", "95 %",
			heading(tops[0])+"|"+plain(tops[0].Unit), "95 %", "minus "+baseline+"|"+signed(tops[0].Unit), "95 %")
		ranking := make([]intervals.RankingRow, len(tops))
		for i, best := range tops {
			ranking[i] = best.RankingRow()
			for _, text := range best.Warnings {
				warned[text] = true
			}
		}
		for _, i := range intervals.Rank(ranking, tops[0].Asked) {
			shown.Row(cellRow(names[i], baseline, tops[i])...)
		}
		term.Print(w, shown)
		fmt.Fprintln(w)
		cells = max(cells, len(tops))
	}
	if len(warned) > 0 {
		term.Warn(w, "%d kinds of warnings, which the cells' own tables have", len(warned))
	}
	fmt.Fprintf(w, "the first policy of each of %d cells, and these in their order: where it meets the "+
		"objective, by %s; late: no policy of the cell meets it;\n"+
		"not decided: runs do not show that it is the best of its cell\n"+
		"marigram compare %s --where path=value has all policies of a cell, --all those of every cell\n",
		cells, strings.TrimSuffix(heading(&rows[0]), " USD"), dir)
	return nil
}

// firstOf are the first policies of the cells for an objective, and the cells' names.
func firstOf(rows []sweep.Comparison, objective string) (tops []*sweep.Comparison, names []string, err error) {
	var combinations []cli.Combination
	for i := range rows {
		if rows[i].Objective != objective || rows[i].Rank != 1 {
			continue
		}
		combination, err := cli.ParseCombination(rows[i].Parameters)
		if err != nil {
			return nil, nil, err
		}
		tops = append(tops, &rows[i])
		combinations = append(combinations, combination)
	}
	return tops, cli.CombinationNames(combinations), nil
}

func cellRow(name, baseline string, c *sweep.Comparison) []any {
	policy := c.Policy
	if c.Misses {
		policy += ", late"
	}
	if c.NotDecided != nil {
		policy += ", not decided"
	}
	cells := []any{name, policy, c.N}
	if c.N == 0 {
		return cells
	}
	cells = append(cells, c.MissedCI.Units, c.Missed, missedInterval(c), c.Value, between(c.MeanCI, plain(c.Unit)))
	if c.Policy == baseline {
		return cells
	}
	return append(cells, c.Diff, between(c.DiffCI, signed(c.Unit)))
}

// sameAblation reports whether two rows are of one table.
func sameAblation(a, b *sweep.Comparison) bool {
	return a.Objective == b.Objective && a.Parameters == b.Parameters && a.Baseline == b.Baseline
}

// printAblation prints a table for each policy, objective and parameter.
func printAblation(w io.Writer, rows []sweep.Comparison) {
	tests := 0
	for len(rows) > 0 {
		ofFirst := 1
		for ofFirst < len(rows) && sameAblation(&rows[ofFirst], &rows[0]) {
			ofFirst++
		}
		first := &rows[0]
		fmt.Fprintln(w, strings.TrimSuffix(first.Objective+" "+first.Parameters, " {}"))
		in := "|" + plain(first.Unit)
		shown := table.New("value", "n", first.SamplingUnit+"s", "missed|percent", "95 %", heading(first)+in,
			"minus "+first.Baseline+"|"+signed(first.Unit), "95 %", "p|%.2g", "p, Holm|%.2g")
		for i := range rows[:ofFirst] {
			row := &rows[i]
			cells := []any{row.Policy, row.N}
			if row.N > 0 {
				cells = append(cells, row.MissedCI.Units, row.Missed, missedInterval(row), row.Value)
			}
			if row.P != nil {
				cells = append(cells, row.Diff, between(row.DiffCI, signed(row.Unit)), *row.P, *row.PHolm)
				tests++
			}
			shown.Row(cells...)
		}
		term.Print(w, shown)
		warnComparisons(w, rows[:ofFirst])
		fmt.Fprintln(w)
		rows = rows[ofFirst:]
	}
	fmt.Fprintf(w, "missed: misses the objective; 95 %%: confidence interval; minus: mean of the paired differences; "+
		"p: of the paired differences (t test by Hall's transformation);\n"+
		"p, Holm: corrected for %s, so that below 0.05 not one of them is by chance in 95 of 100 such tables\n",
		units.Count(tests, "comparison", "comparisons"))
}

// escaped writes a text for LaTeX.
var escaped = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{",
	`\{`, "}", `\}`)

// latexAblation prints one table, with a rule between groups.
func latexAblation(w io.Writer, rows []sweep.Comparison) error {
	if len(rows) == 0 {
		return fmt.Errorf("no runs to compare")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{lrrrrr}\n\\hline\n & missed & %s & difference & 95\\,\\%% & $p$ (Holm) \\\\\n",
		escaped.Replace(heading(&rows[0])))
	for i := range rows {
		row := &rows[i]
		if i == 0 || !sameAblation(row, &rows[i-1]) {
			group := strings.TrimSuffix(row.Objective+" "+row.Parameters, " {}")
			fmt.Fprintf(&b, "\\hline\n\\multicolumn{6}{l}{%s} \\\\\n", escaped.Replace(group))
		}
		fmt.Fprintf(&b, "%s & %.1f\\,\\%% & %s",
			escaped.Replace(row.Policy), 100*row.Missed, table.Format(plain(row.Unit), row.Value))
		if row.P == nil {
			b.WriteString(" & & & \\\\\n")
			continue
		}
		form := signed(row.Unit)
		fmt.Fprintf(&b, " & $%s$ & $%s$ to $%s$ & %.2g \\\\\n",
			table.Format(form, row.Diff), table.Format(form, row.DiffCI.Low), table.Format(form, row.DiffCI.High),
			*row.PHolm)
	}
	b.WriteString("\\hline\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}
