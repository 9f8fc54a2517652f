package adrs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// The rule of spotRule in both published interfaces, and what its programs could try.
var programs = map[string]string{
	"function": `
import enum
class ClusterType(str, enum.Enum):
    NONE = "NONE"; SPOT = "SPOT"; ON_DEMAND = "ON_DEMAND"
def strategy_step(ctx, last_cluster_type, has_spot):
    print("what is printed is no answer")
    if ctx.task_duration - sum(ctx.task_done_time) <= 1e-8 or not has_spot: return ClusterType.NONE
    return "SPOT"
`,
	"class": `
import argparse, math, typing, logging
from sky_spot.strategies.strategy import Strategy
from sky_spot.utils import ClusterType
class Rule(Strategy):
    NAME = "rule"
    def reset(self, env, task):
        super().reset(env, task)
        self.asked = 0
    def _step(self, last_cluster_type, has_spot):
        assert self.env.spot_available() == has_spot and self.env.tick == self.asked == len(self.env.cluster_type_histroy) - 1
        assert self.restart_overhead == self.restart_overheads[0] and self.remaining_restart_overhead <= self.restart_overhead
        self.asked += 1
        return ClusterType.SPOT if has_spot and not self.task.is_done else ClusterType.NONE
    @classmethod
    def _from_args(cls, parser):
        parser.add_argument("--window", type=int, default=3)
        args, _ = parser.parse_known_args()
        assert args.window == 3
        return cls(args)
`,
	"appends": `
def strategy_step(ctx, last_cluster_type, has_spot):
    done = ctx.task_duration - sum(ctx.task_done_time) <= 1e-8
    ctx.task_done_time.append(ctx.task_duration)
    ctx.deadline = ctx.task_duration = ctx.restart_overhead = 0 if done else ctx.task_duration
    return "NONE" if done or not has_spot else "SPOT"
`,
	"raises": `
def strategy_step(ctx, last_cluster_type, has_spot):
    if ctx.env.elapsed_seconds > 3000: return 1 / 0
    return "NONE"
`,
	"nonsense": "def strategy_step(ctx, last_cluster_type, has_spot): return 7\n",
	"reads":    "def strategy_step(ctx, last_cluster_type, has_spot): return ctx.config.spot_trace\n",
	"none":     "x = 1\n",
	"exits":    "import os\nos._exit(3)\n",
	"random":   "import random\ndef strategy_step(ctx, last, has): return random.choice(['NONE', 'SPOT', 'ON_DEMAND'])\n",
	"remembers": `
seen = []
def strategy_step(ctx, last_cluster_type, has_spot):
    if not ctx.env.elapsed_seconds: seen.append(1)
    return "SPOT" if has_spot and len(seen) > 1 else "ON_DEMAND"
`,
}

func trial(t *testing.T, name string, cases []Case) (*contest, Standing) {
	t.Helper()
	c := &contest{name: "adrs", cases: cases, ctx: t.Context(), opt: judge.Options{Sandbox: sandboxed() == nil}}
	return c, standing(t, c, programs[name])
}

// standing judges a program.
func standing(t *testing.T, c *contest, text string) Standing {
	t.Helper()
	s, err := c.program(writtenProgram(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// writtenProgram is a program in a file of its own.
func writtenProgram(t *testing.T, text string) *loader.Plugin {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := loader.ParseFile("published=" + path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// sandboxed returns why no sandbox can be started here (bubblewrap), or nil.
func sandboxed() error {
	return exec.Command("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true").Run()
}

// fooled is spotRule that takes the job for done after its first tick, as a program does that appends all of the work to
// its list: it is paid for by the guard.
type fooled struct{}

func (fooled) Decide(v *View) (Choice, error) {
	if v.Tick > 0 {
		return ask(v, None)
	}
	return spotRule{}.Decide(v)
}

// ranBy runs a rule in Go.
func ranBy(t *testing.T, rule Program, cases []Case) (outcomes []Outcome) {
	t.Helper()
	var r Referee
	for i := range cases {
		out, err := r.Run(&cases[i], rule)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, out)
	}
	return outcomes
}

// Programs of both interfaces decide as the rule in Go does, and one that changes what it is given fools itself alone;
// others are out, with the case and the line, or it is said what is wrong with them.
func TestProgramsPublished(t *testing.T) {
	testutil.Python(t)
	var cases []Case
	for seed := range uint64(12) {
		cases = append(cases, randomCase(seed, 1))
	}
	for name, rule := range map[string]Program{"function": spotRule{}, "class": spotRule{}, "appends": fooled{}} {
		want := ranBy(t, rule, cases)
		_, s := trial(t, name, cases)
		if s.Failed != "" || s.Doubt != "" {
			t.Errorf("%s: %+v", name, s)
			continue
		}
		for i := range s.Cases {
			if s.Cases[i].Outcome != want[i] {
				t.Errorf("%s, case %s: %+v, expected %+v", name, cases[i].ID, s.Cases[i].Outcome, want[i])
			}
		}
	}
	for name, said := range map[string][]string{
		"raises":   {"case ", "tick 6: ", "line 3, in strategy_step", "ZeroDivisionError"},
		"nonsense": {"case ", "answered 7, expected NONE, SPOT or ON_DEMAND"},
		"reads":    {"no attribute 'config'"},
		"none":     {"no function strategy_step, and no class"},
		"exits":    {"it ended"},
	} {
		_, s := trial(t, name, cases)
		if s.Score != 0 || s.Summary != nil || slices.ContainsFunc(said, func(part string) bool { return !strings.Contains(s.Failed, part) }) {
			t.Errorf("%s: score %v, %q, expected 0 and %q", name, s.Score, s.Failed, said)
		}
	}
	for name, said := range map[string]string{"random": "randomness without a seed", "remembers": "depends on the runs before it"} {
		_, s := trial(t, name, cases)
		if s.Failed != "" || !strings.Contains(s.Doubt, said) {
			t.Errorf("%s: %q, expected %q", name, s.Doubt, said)
		}
	}
}

// In many zones a program has the zones' methods, and moves after the end change the bill there alone.
func TestProgramsZones(t *testing.T) {
	testutil.Python(t)
	c := randomCase(5, 2)
	programs["zones"] = `
from sky_spot.strategies.multi_strategy import MultiRegionStrategy
from sky_spot.utils import ClusterType
class Rule(MultiRegionStrategy):
    def _step(self, last_cluster_type, has_spot):
        up = self.env.get_all_regions_spot_available()
        assert up[self.env.get_current_region()] == has_spot and self.env.get_num_regions() == 2
        assert [p is not None for p in self.env.get_all_regions_spot_prices()] == up
        if self.task_done:
            self.env.switch_region(0)
            return ClusterType.NONE
        self.env.switch_region(1)
        return ClusterType.SPOT if up[1] else ClusterType.ON_DEMAND
`
	_, s := trial(t, "zones", []Case{c})
	if s.Failed != "" || s.Doubt != "" || s.Form != "class" {
		t.Fatalf("%+v", s)
	}
	out := s.Cases[0]
	if out.LeaderboardUSD >= out.RanUSD || out.BilledUSD < out.RanUSD {
		t.Errorf("billed %v there, %v where it ran, %v with moves", out.LeaderboardUSD, out.RanUSD, out.BilledUSD)
	}
}
