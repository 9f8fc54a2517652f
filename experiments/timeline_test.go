package experiments

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// Every policy that searches says what it took and what it weighed up, and what
// it took is what it wants.
func TestCandidates(t *testing.T) {
	set := runStudy(t, study(t, "specs/quickstart.yaml", 2))
	type id struct{ run, decision int64 }
	of := map[id][]results.Candidate{}
	for _, c := range set.Candidates {
		of[id{c.Run, c.Decision}] = append(of[id{c.Run, c.Decision}], c)
	}
	explained := map[string]int{}
	for _, d := range set.Decisions {
		all := of[id{d.Run, d.Number}]
		for i, c := range all {
			if c.AtS != d.AtS || c.Name == "" || c.Unit == "" {
				t.Fatalf("%+v is a candidate of %+v", c, d)
			}
			if c.Chosen {
				explained[d.Policy]++
				if c.Name != d.Plan {
					t.Errorf("%s at %v s: took %q, wants %q", d.Policy, d.AtS, c.Name, d.Plan)
				}
				if !strings.Contains(c.Note, "late") {
					for _, other := range all[:i] {
						if !strings.Contains(other.Note, "late") && other.Score < c.Score {
							t.Errorf("%s at %v s: took %+v before %+v", d.Policy, d.AtS, c, other)
						}
					}
				}
			}
		}
	}
	for _, p := range []string{"ondemand", "reactive", "spotdnn"} {
		if explained[p] == 0 {
			t.Errorf("%s took none of its candidates", p)
		}
	}
}

// Policies of pipelines weigh up layouts, and the one taken is the one wanted.
func TestLayoutCandidates(t *testing.T) {
	set := runStudy(t, study(t, "specs/shrinking-fleet.yaml", 1))
	type id struct{ run, decision int64 }
	taken := map[id]string{}
	weighed := map[string]int{}
	for _, c := range set.Candidates {
		weighed[c.Policy]++
		if c.Unit != "samples/s" || !(c.Score >= 0) {
			t.Fatalf("%+v", c)
		}
		if c.Chosen {
			taken[id{c.Run, c.Decision}] = c.Name
		}
	}
	for _, d := range set.Decisions {
		_, layout, _ := strings.Cut(d.Plan, "stages ")
		if name := taken[id{d.Run, d.Number}]; name != "" && layout != "" && !strings.HasSuffix(name, " "+layout) {
			t.Errorf("%s at %v s took %q, and wants %s", d.Policy, d.AtS, name, d.Plan)
		}
	}
	for _, r := range set.Summaries {
		if weighed[r.Policy] < 4 {
			t.Errorf("%s weighed up %d layouts while the fleet shrank", r.Policy, weighed[r.Policy])
		}
	}
}

// The lifetimes of the instances add up to the instance-hours of the run.
func TestInstances(t *testing.T) {
	set := runStudy(t, study(t, "specs/quickstart.yaml", 2))
	hours, revoked := map[int64]float64{}, map[int64]int64{}
	for _, x := range set.Instances {
		hours[x.Run] += (x.EndS - x.GrantedS) / 3600
		if x.End == results.Revoked {
			revoked[x.Run]++
		}
		if x.EndS < x.GrantedS || x.ReadyS != nil && (*x.ReadyS < x.GrantedS || *x.ReadyS > x.EndS) || x.NoticedS != nil &&
			(*x.NoticedS < x.GrantedS || *x.NoticedS > x.EndS) {
			t.Errorf("an unlikely life: %+v", x)
		}
	}
	with := map[int64]bool{}
	for _, s := range set.Spans {
		with[s.Run] = true
	}
	for _, r := range set.Summaries {
		if with[r.Run] && (hours[r.Run]-r.InstanceH > 1e-6 || r.InstanceH-hours[r.Run] > 1e-6 || revoked[r.Run] != r.Preemptions) {
			t.Errorf("run %d: instances lived for %v h, %d were revoked; the summary says %v h and %d", r.Run, hours[r.Run], revoked[r.Run], r.InstanceH, r.Preemptions)
		}
	}
}
