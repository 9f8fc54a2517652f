// Command wakes counts how often policies are asked by their own timers, and how often such a
// decision changes nothing: what polling costs. It prints, for each study and policy, a row
// in Markdown.
//
//	make -C tools tools && bin/tools/wakes [-shared ../shared] [-only PATTERN]
//
// Recorded traces lie in the folder that -shared names; without them these studies are left out.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/sim/simtest"
)

// study is a spec, with settings, and the policies to look at.
type study struct {
	name, spec string
	trace      string // below the folder of recorded data; empty: the market is made
	seeds      int
	every      time.Duration // between starts in a recorded trace
	settings   []string
	policies   []string
}

var (
	types   = []string{"spotdnn-safe", "safe:reactive", "mixed"}
	workers = append(types[:3:3], "greedy", "time-sliced", "uniform-progress", "skynomad")
	zones   = []string{"safe:reactive", "mixed", "greedy", "time-sliced", "uniform-progress", "skynomad", "uniform-progress-s", "uniform-progress-a",
		"uniform-progress-ap"}
)

const judged = "experiments/judge/sets/spot-deadlines/"

var studies = []study{
	{name: "quickstart", spec: "quickstart", seeds: 20, policies: types},
	{name: "quickstart, price cap", spec: "quickstart", seeds: 20, policies: []string{"mixed"}, settings: []string{"policy.price_cap_usd=1.5"}},
	{name: "V100, 16 machines", spec: judged + "v100-16.yaml", trace: "skynomad-aws-v100-multinode/v100_multinode_raw/16-nodes", every: 8 * time.Hour,
		policies: workers,
		settings: []string{"market.traces.0.polarity=1=available"}},
	{name: "V100, zones", spec: judged + "v100-zones.yaml", trace: "skynomad-aws-v100-availability", every: 72 * time.Hour, policies: zones},
	{name: "regions", spec: "regions", seeds: 20, policies: []string{"safe:reactive", "mixed", "skynomad", "uniform-progress-s", "uniform-progress-a",
		"uniform-progress-ap"}},
	{name: "one machine", spec: judged + "one-machine.yaml", seeds: 20, policies: zones},
	{name: "pipelines", spec: judged + "pipelines.yaml", seeds: 20, policies: []string{"mixed", "safe:varuna", "greedy"}},
}

func main() {
	shared := flag.String("shared", filepath.Join("..", "shared"), "`folder` of the recorded data")
	only := flag.String("only", "", "studies and policies whose names match this `pattern`")
	flag.Parse()
	if err := run(*shared, *only); err != nil {
		fmt.Fprintln(os.Stderr, "wakes:", err)
		os.Exit(1)
	}
}

func run(shared, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	fmt.Print("| study | policy | runs | decisions a run | by its timer | saves | idle | share | µs a run |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range studies {
		if s.trace != "" {
			at, err := filepath.Abs(filepath.Join(shared, "traces", s.trace))
			if err != nil {
				return err
			}
			if _, err := os.Stat(at); err != nil {
				fmt.Fprintln(os.Stderr, "wakes:", err)
				continue
			}
			s.settings = append(s.settings, "market.traces.0.path="+at)
		}
		for _, policy := range s.policies {
			if !pattern.MatchString(s.name + " " + policy) {
				continue
			}
			c, err := s.count(policy)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, policy, err)
			}
			fmt.Printf("| %s | `%s` | %d | %.1f | %.1f | %.1f | %.1f | %.0f %% | %.0f |\n", s.name, policy, c.runs, c.a(c.decisions), c.a(c.wakes), c.a(c.saves),
				c.a(c.idle),
				100*float64(c.idle)/float64(c.decisions), c.took.Seconds()*1e6/float64(c.runs))
		}
	}
	return nil
}

// counts are sums over runs.
type counts struct {
	runs, decisions, wakes, saves, idle int64
	took                                time.Duration // processor time, without records
}

// a is n a run.
func (c *counts) a(n int64) float64 { return float64(n) / float64(c.runs) }

// count runs the study under a policy. A decision is idle if nothing but the policy's timer asked for it and the
// plan stayed as it was: of these, timelines keep no row.
func (s *study) count(policy string) (c counts, err error) {
	settings := []spec.Setting{{Path: "policy", Value: policy}}
	for _, text := range s.settings {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return c, err
		}
		settings = append(settings, x)
	}
	read, err := spec.Open(s.spec, settings...)
	if err != nil {
		return c, err
	}
	cases, of, err := s.cases(read)
	if err != nil {
		return c, err
	}
	w := of.Worker()
	defer w.Close()
	for _, x := range cases {
		set, err := w.Record(x)
		if err != nil {
			return c, err
		}
		row := &set.Summaries[0]
		c.decisions += row.Decisions
		c.wakes += row.Wakes
		saves := savesOf(set.Spans)
		c.saves += saves
		c.idle += max(row.Decisions-int64(len(set.Decisions))-saves, 0)
	}
	before := simtest.CPUTime()
	for _, x := range cases {
		if _, err := w.Run(x); err != nil {
			return c, err
		}
	}
	c.runs, c.took = int64(len(cases)), simtest.CPUTime()-before
	return c, nil
}

// savesOf is how often the job stops to save.
func savesOf(spans []results.Span) (n int64) {
	saving := false
	for i := range spans { // in the order of time; those of one interval say the same of the job, or nothing
		if spans[i].Activity == "" {
			continue
		}
		now := spans[i].Activity == "checkpointing"
		if now && !saving {
			n++
		}
		saving = now
	}
	return n
}

// cases are the runs of the study.
func (s *study) cases(read *spec.Spec) (cases []experiments.Case, of *experiments.Study, err error) {
	if s.trace != "" {
		read.Starts = spec.Starts{EveryS: s.every.Seconds()}
	}
	if of, err = experiments.NewStudy(read); err != nil {
		return nil, nil, err
	}
	for seed := range max(s.seeds, 1) {
		for objective := range read.Objectives {
			for _, start := range of.Starts {
				cases = append(cases, experiments.Case{Objective: objective, Seed: read.Seed + int64(seed), Start: start})
			}
		}
	}
	return cases, of, nil
}
