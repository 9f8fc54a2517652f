package judge

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/format"
)

// print prints the table of all policies, and on demand those of the studies.
func print(w io.Writer, r *judge.Result, studies bool) error {
	sealed := ""
	if r.Set.Sealed {
		sealed = ", sealed"
	}
	fmt.Fprintf(w, "%s, version %d%s: %s, %s a policy; SHA-256 %.12s\n", r.Set.Name, r.Set.Version, sealed,
		cli.Count(len(r.Studies), "objective", "objectives"), cli.Count(runs(r), "run", "runs"), r.Set.SHA256)
	t := term.NewTable("rank", "95 %", "policy", "score", "95 %", "minus "+r.With, "95 %", "met", "95 %", "cost / bound", "objectives")
	t.Text = []int{2}
	for i := range r.Policies {
		row(t, &r.Policies[i], r)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	if studies {
		for i := range r.Studies {
			if err := printStudy(w, &r.Studies[i], r); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "\nscore: mean of cost / bound; a run that misses its objective also pays %v times what the whole job costs on demand; each objective\n"+
		"counts the same; minus: difference of the scores, of pairs; 95 %%: confidence interval (bootstrap of seeds or starts; of met, Wilson's);\n"+
		"objectives: those that a policy is for: in the others it counts as ondemand\n", r.Set.Late)
	for _, text := range r.Warnings {
		term.Warn(w, "%s", text)
	}
	return nil
}

func runs(r *judge.Result) (n int) {
	for i := range r.Studies {
		n += r.Studies[i].Runs
	}
	return n
}

func row(t *term.Table, p *judge.RankingRow, r *judge.Result) {
	name := p.Policy
	if p.Entry != nil {
		name = "> " + name
	}
	if p.Failed != "" {
		t.Row("out", "", name, "", "", "", "", "", "", "", "")
		return
	}
	minus, of := "", ""
	if p.Policy != r.With {
		minus, of = fmt.Sprintf("%+.3f", p.Minus), between("%+.3f", p.MinusCI)
	}
	t.Row(fmt.Sprint(p.Rank), ranks(p.Place), name, fmt.Sprintf("%.3f", p.Score), between("%.3f", p.ScoreCI), minus, of,
		fmt.Sprintf("%.1f %%", 100*float64(p.Met)/float64(p.Runs)),
		fmt.Sprintf("%.1f to %.1f", 100*p.MetCI.Low, 100*p.MetCI.High), fmt.Sprintf("%.3f", p.OverBound),
		fmt.Sprintf("%d/%d", p.Objectives, len(r.Studies)))
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
func printStudy(w io.Writer, s *judge.StudyResult, r *judge.Result) error {
	fmt.Fprintf(w, "\n%s, %s: %s; market: %s; the bound is %s USD (mean)\n", s.Study, s.Objective, cli.Count(s.Runs, "run", "runs"), s.Market,
		format.USD(s.BoundUSD))
	t := term.NewTable("policy", "met", "cost USD", "cost / bound", "score")
	for _, p := range s.Policies {
		t.Row(p.Policy, fmt.Sprintf("%d/%d", p.Met, s.Runs), format.USD(p.CostUSD), fmt.Sprintf("%.3f", p.OverBound), fmt.Sprintf("%.3f", p.Score))
	}
	return t.Print(w)
}
