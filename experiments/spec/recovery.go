package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// recovery is what decides the rule by which SkyPilot launches and recovers a task: which kinds of instances its
// resources list, how, and the strategy. SkyPilot 000bb579, sky/jobs and sky/resources.py.
type recovery struct {
	ordered  bool
	entries  []recoveryEntry
	strategy string // of job_recovery; empty: the default
	named    bool   // it is known
	errors   bool   // it says what user errors do
}

// recoveryEntry is one of the resources.
type recoveryEntry struct {
	spot   bool
	region string // empty: any
}

// strategies are the names of job_recovery that SkyPilot has, of now and of 2023, and what the policy calls them.
var strategies = map[string]string{
	"":                  "",
	"NONE":              "",
	"EAGER_NEXT_REGION": "",
	"EAGER_FAILOVER":    "",
	"FAILOVER":          "failover",
}

// add notes an entry. A strategy that differs from that of the others is an error, as in SkyPilot.
func (r *recovery) add(m Machine, spot bool, job any) error {
	name, err := r.strategyOf(job)
	if err != nil {
		return err
	}
	if r.named && name != r.strategy {
		return fmt.Errorf("job_recovery is %s in one entry and %s in another, expected one strategy",
			orDefault(r.strategy), orDefault(name))
	}
	r.strategy = name
	r.named = true
	r.entries = append(r.entries, recoveryEntry{spot, m.Region})
	return nil
}

func orDefault(strategy string) string {
	if strategy == "" {
		return "EAGER_NEXT_REGION"
	}
	return strategy
}

// strategyOf returns the strategy that job_recovery names, as the policy calls it.
func (r *recovery) strategyOf(job any) (string, error) {
	name := ""
	switch x := job.(type) {
	case nil:
	case string:
		name = x
	case yaml.MapSlice:
		for _, item := range x {
			switch fmt.Sprint(item.Key) {
			case "strategy":
				if item.Value != nil {
					name = fmt.Sprint(item.Value)
				}
			case "max_restarts_on_errors", "recover_on_exit_codes":
				r.errors = true
			}
		}
	default:
		return "", fmt.Errorf("job_recovery is %v, expected a strategy or strategy: NAME", x)
	}
	as, known := strategies[strings.ToUpper(name)]
	if !known {
		return "", fmt.Errorf("job_recovery %q, "+
			"expected EAGER_NEXT_REGION, FAILOVER or EAGER_FAILOVER (its name of 2023)", name)
	}
	return as, nil
}

// settings returns what the policy skypilot is told beside the strategy.
func (r *recovery) settings() (settings []string) {
	var spot, named int
	var regions []string
	for _, e := range r.entries {
		if e.spot {
			spot++
		}
		if e.region != "" {
			named++
			if !slices.Contains(regions, e.region) {
				regions = append(regions, e.region)
			}
		}
	}
	switch {
	case spot == len(r.entries):
	case r.ordered:
		settings = append(settings, "resources: ordered")
	default:
		settings = append(settings, "resources: any_of")
	}
	switch {
	case named < len(r.entries):
	case r.ordered && len(regions) > 1:
		settings = append(settings, "regions: ordered")
	default:
		settings = append(settings, "regions: named")
	}
	return settings
}

// policies returns the policies that a first spec of the task compares, as their YAML: none where it does not ask for
// spot.
func (r *recovery) policies(nodes int) (names []string) {
	if !slices.ContainsFunc(r.entries, func(e recoveryEntry) bool { return e.spot }) {
		return nil
	}
	row := func(name, strategy string) string {
		settings := r.settings()
		if strategy != "" {
			settings = append(settings, "strategy: "+strategy)
		}
		if name != "skypilot" {
			name += ", policy: skypilot"
		}
		if settings == nil {
			return name
		}
		return fmt.Sprintf("%s, settings: {%s}", name, strings.Join(settings, ", "))
	}
	names = []string{"ondemand", row("skypilot", r.strategy)}
	if r.strategy == "" {
		names = append(names, row("skypilot-documented", "as-documented"))
	}
	if nodes > 1 {
		names = append(names, rayElastic)
	}
	return append(names, "karpenter", "mdp")
}

// rayElastic is left out where a job trains on one number of instances only.
const rayElastic = "ray-elastic"

// notes says what a task's recovery comes to, a sentence each.
func (r *recovery) notes() (notes []string) {
	if r.policies(1) == nil {
		return []string{"the task does not ask for spot (use_spot): SkyPilot runs it on demand, and is left out"}
	}
	if r.strategy == "" {
		notes = append(notes, "skypilot: EAGER_NEXT_REGION as released at 000bb579: "+
			"no region is blocked (skypilot #10021); skypilot-documented is what its documentation says")
	} else {
		notes = append(notes, "skypilot: FAILOVER as released at 000bb579")
	}
	notes = append(notes, "skypilot: a zone without capacity refuses within 10 s (try_s), "+
		"prices are those of now (catalog_s), the job runs 60 s after its instances are ready (runtime_s), "+
		"one instance type")
	if r.errors {
		notes = append(notes, "max_restarts_on_errors and recover_on_exit_codes change nothing: "+
			"no run fails by its own code")
	}
	return notes
}
