package sweep

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A policy that has no setting a setting which is varied runs the same for each of
// its values, and the plan and the comparison say so; of one that has it, and of
// a setting with one value, nothing is said.
func TestLacking(t *testing.T) {
	spec, err := Open(recorded(t, "every: 4h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{"policy.overhead_s=0,600", "policy.instances=3", "horizon_s=3600,7200"} {
		if err := spec.Override(x); err != nil {
			t.Fatal(err)
		}
	}
	p, err := spec.Plan(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	const text = "reactive has no setting policy.overhead_s"
	if got := p.Lacking(); !reflect.DeepEqual(got, []string{text}) {
		t.Fatalf("%q", got)
	}
	if !slices.Contains(p.Warnings, text+": the same runs for every value") {
		t.Errorf("warnings %q", p.Warnings)
	}
	f := begin(t, p)
	runAll(t, f, Options{Workers: 1, Shard: Whole})
	costs := map[string][]float64{} // of reactive, by all but the setting
	for _, r := range rowsOf(t, f) {
		if key := strings.NewReplacer(`:600`, "", `:0`, "").Replace(r.Parameters); r.Policy == "reactive" {
			costs[key] = append(costs[key], r.CostUSD)
		}
	}
	for key, list := range costs {
		if n := len(list) / 2; !slices.Equal(list[:n], list[n:]) {
			t.Errorf("%s: %v", key, list)
		}
	}
	all, err := f.Compare(By{Baseline: "reactive"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if got := strings.Contains(strings.Join(c.Warnings, "\n"), "has no setting policy.overhead_s: its runs are the same"); got != (c.Policy == "reactive") {
			t.Errorf("%s: %q", c.Policy, c.Warnings)
		}
	}
}
