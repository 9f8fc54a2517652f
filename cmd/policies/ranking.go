package policies

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/internal/table"
)

// printResult prints the table of all policies, and on demand those of the studies.
func printResult(w io.Writer, r *judge.Result, studies bool) {
	sealed := ""
	if r.Set.Sealed {
		sealed = ", sealed"
	}
	fmt.Fprintf(w, "%s, version %d%s: %s, %s a policy; SHA-256 %.12s\n", r.Set.Name, r.Set.Version, sealed,
		cli.Count(len(r.Studies), "objective", "objectives"), cli.Count(runs(r), "run", "runs"), r.Set.SHA256)
	t := table.New("rank", "95 %", "policy|left", "score|%.3f", "95 %", "minus "+r.With+"|%+.3f", "95 %", "met|percent", "95 %", "cost / bound|%.3f", "objectives")
	for i := range r.Policies {
		row(t, &r.Policies[i], r)
	}
	term.Print(w, t)
	for i := range r.Studies {
		if studies {
			printStudy(w, &r.Studies[i])
		}
	}
	fmt.Fprintf(w, "\nscore: mean of cost / bound; a run that misses its objective also pays %v times what the whole job costs on demand; each objective\n"+
		"counts the same; minus: difference of the scores, of pairs; 95 %%: confidence interval (bootstrap of seeds or starts; of met, Wilson's);\n"+
		"objectives: those that a policy is for: in the others it counts as ondemand\n", r.Set.Late)
	for _, text := range r.Warnings {
		term.Warn(w, "%s", text)
	}
}

func runs(r *judge.Result) (n int) {
	for i := range r.Studies {
		n += r.Studies[i].Runs
	}
	return n
}

func row(t *table.Table, p *judge.RankingRow, r *judge.Result) {
	name := p.Policy
	if p.Entry != nil {
		name = "> " + name
	}
	if p.Failed != "" {
		t.Row("out", "", name)
		return
	}
	var minus any
	of := ""
	if p.Policy != r.With {
		minus, of = p.Minus, between("%+.3f", p.MinusCI)
	}
	t.Row(p.Rank, ranks(p.Place), name, p.Score, between("%.3f", p.ScoreCI), minus, of, float64(p.Met)/float64(p.Runs),
		fmt.Sprintf("%.1f to %.1f", 100*p.MetCI.Low, 100*p.MetCI.High), p.OverBound, fmt.Sprintf("%d/%d", p.Objectives, len(r.Studies)))
}

func ranks(p *intervals.Place) string {
	if p.RankLow == p.RankTop {
		return fmt.Sprint(p.RankLow)
	}
	return fmt.Sprintf("%d to %d", p.RankLow, p.RankTop)
}

func between(form string, i intervals.Interval) string {
	return fmt.Sprintf(form+" to "+form, i.Low, i.High)
}

// printStudy prints what the policies did for one objective.
func printStudy(w io.Writer, s *judge.StudyResult) {
	fmt.Fprintf(w, "\n%s, %s: %s; market: %s; the bound is %s USD (mean)\n", s.Study, s.Objective, cli.Count(s.Runs, "run", "runs"), s.Market,
		format.USD(s.BoundUSD))
	t := table.New("policy", "met", "cost USD|usd", "cost / bound|%.3f", "score|%.3f")
	for _, p := range s.Policies {
		t.Row(p.Policy, fmt.Sprintf("%d/%d", p.Met, s.Runs), p.CostUSD, p.OverBound, p.Score)
	}
	term.Print(w, t)
}
