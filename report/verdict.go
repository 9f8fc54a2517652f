package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

// onDemand is the policy that others are compared with in a verdict.
const onDemand = "ondemand"

// verdict is what a report says of an objective first.
type verdict struct {
	Goal    string // what is asked for
	Policy  string // the best; empty if none was run
	Text    string // of it, in one sentence that begins with its name
	Meets   bool
	Never   bool   // no policy ever meets the objective
	asked   bool   // a share of the runs is to meet it
	Proven  string // the first policy that surely meets it, where the best does not; empty if there is none
	Cheaper string // what costs less and is no answer; empty if there is nothing
	figure  *canvas.Figure
}

// notes stand below the answer.
func (v *verdict) notes() (out []string) {
	if v.Proven != "" {
		out = append(out, "Proven to meet it: "+v.Proven+".")
	}
	if v.Cheaper != "" {
		out = append(out, "Cheaper, but misses the objective: "+v.Cheaper+".")
	}
	return out
}

// Lead says before the name of the policy what it is.
func (v *verdict) Lead() string {
	switch {
	case v.Policy == "":
		return ""
	case v.Never:
		return "No policy ever meets the objective. The cheapest: "
	case !v.Meets && v.asked:
		return "No policy meets the objective in the share of runs asked for. The closest: "
	case !v.Meets:
		return "No policy always meets the objective. The closest: "
	}
	return ""
}

// Verdicts say for each objective in a sentence which policy is the best: those of the page, without its figures.
func Verdicts(set *results.Set) (out []string) {
	study := Of(set)
	study.rank()
	for _, objective := range study.objectives {
		answer := objective.verdict()
		out = append(out, answer.Lead()+answer.Policy+answer.Text)
	}
	return out
}

// verdict is the answer for an objective, with its figure.
func (s *Study) verdict(o *objective) (v verdict, err error) {
	v = o.verdict()
	if v.Policy != "" {
		v.figure, err = s.ranking(o)
	}
	return v, err
}

// verdict says which policy is the best for the objective, whose rows are ranked, or why none is called that.
func (o *objective) verdict() verdict {
	answer := o.ranked()
	if why := o.noBest(); why != "" && o.Best() != nil {
		return verdict{Goal: answer.Goal, Text: "No policy is called the best: " + why + "."}
	}
	return answer
}

// ranked says which policy stands first.
func (o *objective) ranked() verdict {
	if o.many() {
		return o.shortest()
	}
	answer := verdict{Goal: o.Goal(), asked: o.Share != nil}
	best := o.Best()
	if best == nil {
		return answer
	}
	answer.Policy = best.Policy
	answer.Meets = !best.Oracle && !best.Misses()
	answer.Never = best.Met == 0
	parts := []string{best.cost()}
	if o.Kind.ByWork {
		parts = []string{fmt.Sprintf("%s of the training done for %s", units.Percent(1-best.value.Mean()/100),
			best.cost())}
	} else if text := o.against(best); text != "" {
		parts = append(parts, text)
	}
	answer.Text = ": " + strings.Join(append(parts, best.late()), ", ") + best.proof() + "."
	bound := &best.Bound
	if answer.Meets && bound.WithoutForesight != nil {
		answer.Text += fmt.Sprintf(" No policy without foresight that always meets it costs less than %s USD +- %s in "+
			"expectation.", units.AboutUSD(*bound.WithoutForesight), units.AboutUSD(*bound.WithoutForesightStdErr))
	}
	for _, text := range o.notDecided {
		answer.Text += " N" + strings.TrimPrefix(text, "n") + "."
	}
	answer.Cheaper = o.cheaper(best)
	answer.Proven = o.proven(best)
	return answer
}

// shortest says which policy has the shortest mean completion time.
func (o *objective) shortest() verdict {
	answer := verdict{Goal: "Mean job completion time, " + o.Name,
		Text: "No policy had all jobs done before its runs were cut."}
	best := o.Rows[0]
	if best.value.Units() == 0 || best.Unfinished() > 0 {
		return answer
	}
	_, write := o.value()
	mean := best.value.Mean()
	answer.Policy = best.Policy
	answer.Meets = true
	answer.Text = ": " + write(mean) + " h"
	if interval := best.value.MeanInterval(); interval != nil {
		answer.Text += fmt.Sprintf(" (95 %%: %s)", between(interval, write))
	}
	for _, row := range o.Rows[1:] {
		if row.value.Units() > 0 && row.Unfinished() == 0 && !row.Oracle && mean > 0 {
			next := row.value.Mean()
			answer.Text += fmt.Sprintf("; next %s with %s h (%+.1f %%)", row.Policy, write(next), 100*(next/mean-1))
			break
		}
	}
	answer.Text += "."
	return answer
}

// cost is the mean with its interval.
func (r *row) cost() string {
	text := units.AboutUSD(r.CostUSD.Mean()) + " USD"
	if interval := r.CostUSD.MeanInterval(); interval != nil {
		text += fmt.Sprintf(" (95 %%: %s to %s)", units.AboutUSD(interval.Low), units.AboutUSD(interval.High))
	}
	return text
}

// against compares a policy's cost with that of the policy ondemand (the best plan on demand alone, or one cluster,
// as its settings say); empty where that was not run.
func (o *objective) against(r *row) string {
	for _, other := range o.Rows {
		if other.Policy != onDemand || other == r || !(other.CostUSD.Mean() > 0) {
			continue
		}
		less := math.Round(100 * (1 - r.CostUSD.Mean()/other.CostUSD.Mean()))
		if less > 0 {
			return fmt.Sprintf("%.0f %% below the policy ondemand", less)
		}
		if less < 0 {
			return fmt.Sprintf("%.0f %% above the policy ondemand", -less)
		}
		return "as much as the policy ondemand"
	}
	return ""
}

// late says in how many units a run was late, and what runs say of a goal beside the deadline.
func (r *row) late() string {
	if says := r.said(); says != "" {
		return says
	}
	missed := "late"
	if r.objective.Kind.NeedNotEnd {
		missed = "objective missed"
	}
	units := r.met.Units()
	return fmt.Sprintf("%s in %d of %s", missed, units-r.met.AllHit(), intervals.Count(units, r.objective.by))
}

// said says what the runs say of a goal beside the deadline: "late in 12 % of the runs, 3.10 USD of it for being late".
func (r *row) said() string {
	var parts []string
	for _, said := range r.says.Means() {
		if said.Share {
			parts = append(parts, fmt.Sprintf("%s in %s of the runs", said.Name, units.Percent(said.Mean)))
		} else {
			parts = append(parts, fmt.Sprintf("%s USD of it %s", units.AboutUSD(said.Mean), said.Name))
		}
	}
	return strings.Join(parts, ", ")
}

// proof says what the interval makes of the share that was asked for.
func (r *row) proof() string {
	if r.objective.Share == nil {
		return ""
	}
	return fmt.Sprintf("; %s of the runs asked: %s", units.Percent(*r.objective.Share), r.Verdict())
}

// proven names the first policy that is proven to meet the objective in the share of runs asked for,
// where the best one is not.
func (o *objective) proven(best *row) string {
	if o.Share == nil || best.Verdict() == intervals.Proven {
		return ""
	}
	for _, r := range o.Rows {
		if !r.Oracle && r.N > 0 && r.Verdict() == intervals.Proven {
			return fmt.Sprintf("%s (%s USD)", r.Policy, units.AboutUSD(r.CostUSD.Mean()))
		}
	}
	return ""
}

// cheaper names the policies that cost less than the best one and miss the objective
// more often.
func (o *objective) cheaper(best *row) string {
	var names []string
	for _, r := range o.Rows {
		if r.Oracle || r.N == 0 || !r.Misses() || r.Share() >= best.Share() {
			continue
		}
		if usd := r.CostUSD.Mean(); usd < best.CostUSD.Mean() {
			met := units.Percent(r.Share())
			names = append(names, fmt.Sprintf("%s (%s USD, met in %s)", r.Policy, units.AboutUSD(usd), met))
		}
	}
	return strings.Join(names, ", ")
}
