package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/testutil"
)

func TestMain(m *testing.M) {
	testscript.Main(atTheRoot{m}, map[string]func(){"marigram": Main, calls: serveCalls})
}

// atTheRoot runs tests at the root of the repository, where its documents are.
type atTheRoot struct{ *testing.M }

// Run runs the tests.
func (m atTheRoot) Run() int {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	_, _ = testutil.FindPython() // scripts and documents that need it skip, or say that it is not there
	return m.M.Run()
}

func TestScripts(t *testing.T) { runScripts(t, "cmd/testdata/script") }

// Scripts that start programs of others, or kill this one.
func TestProgramsScripts(t *testing.T) { runScripts(t, "cmd/testdata/programs") }

// marigram runs a command line and returns its exit code and output.
func marigram(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(args, &out, &err)
	return code, out.String(), err.String()
}

// good is a spec that every bad one differs from in one place.
const good = `name: good
seeds: 2
model:
  published: spotdnn-resnet110
objectives:
  - {loss: 0.8, time_s: 2400}
policies:
  - name: spotdnn
    settings: {patience_s: 60}
market:
  synthetic: {zones: 1}
  pools:
    - {type: p3.2xlarge, quota: 2, on_demand_usd_per_h: 3.06}
`

// Every bad spec is refused with exit status 2, its file, its line, and what
// was expected, and leaves nothing behind.
func TestBadSpecs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "good.yaml")
	write(t, file, good)
	if code, _, stderr := marigram("run", file, "--out", filepath.Join(dir, "fine")); code != 0 {
		t.Fatalf("the good spec: exit %d\n%s", code, stderr)
	}
	for _, bad := range []struct{ old, new, says string }{
		{"name: good\n", "base: quickstart\n", `unknown field "base"(?s:.*)this is a file of a sweep: marigram sweep .*good.yaml --dry-run checks it`},
		{"seeds: 2", "sedes: 2", `:2:1: .*unknown field "sedes"(?s:.*)did you mean "seeds?"`},
		{"quota: 2", "quota: 0", `:13:33: market.pools\[0\].quota: 0, and on_demand_quota is 0, too: nothing can be held`},
		{", quota: 2", "", `:13:.*quota is missing`},
		{"time_s: 2400", "time_s: 40m", `:6:25: (?s:.*)40m is 2400 seconds`},
		{"time_s: 2400", "time_h: 1", `(?s)unknown field "time_h".*did you mean "time_s"`},
		{"time_s: 2400", "time_s: -1", `:6:25: objectives\[0\].time_s: -1, expected 1 to`},
		{"time_s: 2400", "time_s: .inf", `objectives\[0\].time_s: \+Inf, expected a finite number`},
		{"loss: 0.8", "loss: .nan", `objectives\[0\].loss: NaN, expected a finite number`},
		{"loss: 0.8", "loss: 0.5", `:6:12: objectives\[0\].loss: 0.5, expected more than 0.5, the floor`},
		{"name: spotdnn", "name: spotdn", `(?s):8:.*unknown policy "spotdn".*did you mean "spotdnn"`},
		{"settings: {patience_s: 60}", "patience_s: 60", `(?s):9:5: .*unknown field "patience_s".*below its key settings: settings: {patience_s: 60}`},
		{"patience_s: 60", "patience: 60", `(?s):8:.*no setting "patience".*did you mean "patience_s"`},
		{"patience_s: 60", "patience_s: -60", `patience_s is -60, expected 0 to`},
		{"type: p3.2xlarge", "type: p3.2xlrage", `:13:14: market.pools\[0\].type: no profile of instance type "p3.2xlrage"`},
		{"on_demand_usd_per_h: 3.06", "on_demand_usd_per_h: -3", `on_demand_usd_per_h: -3, expected 0 to`},
		{"synthetic: {zones: 1}", "traces: []", `expected either synthetic or traces`},
		{"published: spotdnn-resnet110", "published: resnet", `:4:12:.*unknown published profile "resnet"`},
		{"published: spotdnn-resnet110", "profile: none.csv\n  coefficients: none.csv", `none.csv: no such file`},
		{"published: spotdnn-resnet110", "published: spotdnn-resnet110\n  loss_form: paper", `needs gamma4`},
		{"name: good\n", "name: good\nname: better\n", `(?i):2:1: (?s:.*)(duplicate|already)`},
		{"name: good\n", "name: [good\n", `:\d+:\d+: `},
		{good, "", `the file is empty`},
		{good, good + "---\n" + good, `more than one YAML document`},
		{"seeds: 2", "seeds: -3", `:2:8: seeds: -3, expected 1 to`},
		{"seeds: 2", "seeds: 2.9", `:2:8: seeds: 2.9, expected a whole number`},
		{"quota: 2", "quota: 2.9", `market.pools\[0\].quota: 2.9, expected a whole number`},
		{"zones: 1", "zones: 1.5", `market.synthetic.zones: 1.5, expected a whole number`},
		{"seeds: 2", "seeds: 2\nseed: 9223372036854775806", `seed: 9223372036854775806, expected the last seed to be below`},
		{"seeds: 2", "seeds: two", `:2:8: two, expected a whole number\n`},
		{"seeds: 2", "seeds: 99999999999999999999", `:2:8: 99999999999999999999, expected a whole number in 64 bits`},
		{"synthetic: {zones: 1}", "synthetic: [1]", `:11:14: expected keys with values`},
		{"time_s: 2400", "deadline: 2400", `(?s):6:17: unknown field "deadline".*expected one of name, loss, time_s, within, .*"deadlines" is a key of jobs`},
		{"quota: 2", "quota: 0, on_demand_quota: 2", `:13:33: market.pools\[0\].quota: 0, expected at least 1: a synthetic market`},
		{"on_demand_usd_per_h: 3.06", "on_demand_usd_per_h: 0.0001", `:13:\d+: market.pools\[0\].on_demand_usd_per_h: 0.0001, expected 0.001 to 10000`},
		{"quota: 2,", "quota: 2, cloud: gpc,", `cloud: "gpc", expected aws, gcp or azure`},
		{"quota: 2,", "quota: 2, replay: {adapter: bogus},", `replay.adapter: "bogus", expected count_cap`},
		{"quota: 2,", "quota: 2, replay: {victim: nobody},", `replay.victim: "nobody", expected random`},
		{"seeds: 2", "seed: -3", `:2:7: seed: -3, expected at least 0`},
	} {
		write(t, file, strings.Replace(good, bad.old, bad.new, 1))
		out := filepath.Join(dir, "out")
		code, _, stderr := marigram("run", file, "--out", out)
		if code != 2 || !strings.Contains(stderr, "good.yaml") || !regexp.MustCompile(bad.says).MatchString(stderr) {
			t.Errorf("%q: exit %d, expected 2 and %s\n%s", bad.new, code, bad.says, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q: left %s behind", bad.new, out)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBadCommandLines(t *testing.T) {
	for args, says := range map[string]string{
		"run":                             `0 arguments, expected marigram run SPEC`,
		"explain out --dollars --at 1:00": "expected one of --at TIME, --job NAME, --failures and --dollars",
		"run quickstart --seed 99999999999999999999":            `flag: value out of range`,
		"explain no-such-folder --dollars":                      `no-such-folder.*expected a folder that marigram run or sweep wrote`,
		"run quickstart -s seeds=0":                             `quickstart.yaml: seeds: 0, expected 1 to 1000000; leave it out for the default\s*$`,
		"run no-such-spec":                                      "nor is it a spec that comes with marigram: cluster-",
		"rnu quickstart":                                        `(?s)unknown command "rnu".*did you mean "run"`,
		"traces stats cmd/main_test.go --format pai-jobs":       "--format: the format pai-jobs is gone: write the jobs as CSV",
		"report x --live y":                                     "marigram report --live is gone",
		"run quickstart --policy-command a.wasm":                "a.wasm: WebAssembly modules as policies are gone",
		"sweep quickstart --out gs://lab/x":                     "gs:// is gone: reach Google's buckets by S3's protocol",
		"mcp .":                                                 `marigram mcp is gone: give an agent a shell`,
		"plan strat":                                            `(?s)unknown command "strat".*did you mean "start"`,
		"run quickstart --polcy x":                              "did you mean --policy",
		"run quickstart --policy x":                             `--policy: unknown policy "x"`,
		"run quickstart --policy rollout":                       `the policy rollout is gone: mdp takes its place`,
		"run quickstart --seeds 0":                              "--seeds 0, expected 1 to",
		"traces stats no-such-file":                             "no such file",
		"traces import cmd/main_test.go --out nowhere":          "main_test.go",
		"traces import cmd/main_test.go":                        "--out FOLDER is missing: ",
		"traces stats cmd/main_test.go --format aws-spot-prize": `did you mean "aws-spot-price"`,
		"traces stats cmd/main_test.go --start yesterday --format aws-spot-price": "expected an instant such as",
		"tune quickstart -s policy.patience_s --seeds 4":                          "--seeds 4, expected 20 to 1000000",
		"run -":                       "- is no file, expected /dev/stdin",
		"run quickstrat":              `did you mean "quickstart"\?`,
		"run quickstart -s seeds=two": "seeds: two, expected a whole number",
		"run quickstart --policy-command none.py": "--policy-command: stat none.py: no such file",
		"judge none.py":                     "stat none.py: no such file",
		"init --gpu H100:8 --nodes 0":       "--nodes 0, expected 1 to 65536",
		"init --gpu H100:8 --usd-per-h NaN": "--usd-per-h NaN, expected 0.001 to 100000",
		"validate cmd/main_test.go":         "main_test.go:",
	} {
		code, _, stderr := marigram(strings.Fields(args)...)
		if code != 2 || !regexp.MustCompile(says).MatchString(stderr) {
			t.Errorf("%s: exit %d, expected 2 and %q\n%s", args, code, says, stderr)
		}
	}
}

// A spec that was written and then changed is not replaced; one that has not changed may be written again.
func TestInitKeepsWhatIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "first.yaml")
	line := []string{"init", "--gpu", "H100:8", "-o", file}
	for range 2 {
		if code, _, stderr := marigram(line...); code != 0 {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
	}
	write(t, file, "name: mine\n")
	code, _, stderr := marigram(line...)
	if text, err := os.ReadFile(file); code != 2 || err != nil || string(text) != "name: mine\n" ||
		!strings.Contains(stderr, "first.yaml exists and has another text; expected the name of a new file") {
		t.Errorf("exit %d, %v, %q\n%s", code, err, text, stderr)
	}
}

// A user's policy may be named among those that are to run, and its runs go into a folder that is not there yet.
func TestPolicyOfOnesOwnByName(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "good.yaml")
	write(t, spec, good)
	if code, _, stderr := marigram("policies", "new", filepath.Join(dir, "mine.py")); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	runs := filepath.Join(dir, "new", "runs.csv")
	code, stdout, stderr := marigram("run", spec, "--policy", "mine,spotdnn", "--policy-command", filepath.Join(dir, "mine.py"), "--runs", runs)
	if text, err := os.ReadFile(runs); code != 0 || err != nil || strings.Count(string(text), ",mine,") != 2 || strings.Count(string(text), "\n") != 5 {
		t.Errorf("exit %d, %v\n%s%s%s", code, err, stdout, stderr, text)
	}
}

// Bounds in tags of flags are those of what the flags set.
func TestBoundsOfFlags(t *testing.T) {
	for line, largest := range map[string]int{"run quickstart --seeds 0": spec.MaxSeeds, "sweep quickstart --seeds 0": spec.MaxSeeds,
		"sweep quickstart --chunk-runs 0": sweep.MaxChunk} {
		if code, _, stderr := marigram(strings.Fields(line)...); code != 2 || !strings.HasSuffix(stderr, fmt.Sprintf(" 0, expected 1 to %d\n", largest)) {
			t.Errorf("%s: exit %d, expected 2 and the bound %d\n%s", line, code, largest, stderr)
		}
	}
}

// Programs tell claims that miss their tolerance from all else by the status.
func TestExitCodes(t *testing.T) {
	wrong := errors.New("wrong")
	for want, err := range map[int]error{cli.ExitFailed: cli.Failed(wrong), cli.ExitUsage: wrong, cli.ExitMissed: fmt.Errorf("reproduce: %w", cli.Missed(wrong)),
		cli.ExitUnmet: cli.Unmet(wrong)} {
		if got := cli.ExitCode(err); got != want {
			t.Errorf("%#v: %d, expected %d", err, got, want)
		}
	}
}

// Results of a schema version that is no longer read are refused, with the way out.
func TestOutdatedResults(t *testing.T) {
	const old = "experiments/results/testdata/version3"
	for _, line := range [][]string{{"compare", old}, {"explain", old, "--at", "0:10"}, {"report", old, "-o", filepath.Join(t.TempDir(), "r.html")},
		{"plot", "cdf", old, "-o", filepath.Join(t.TempDir(), "cdf.svg")}} {
		code, _, stderr := marigram(line...)
		if code == 0 || !strings.Contains(stderr, "schema version 3 is too old, expected 9 to") || !strings.Contains(stderr, "run the study again") {
			t.Errorf("%s: exit %d\n%s", line, code, stderr)
		}
	}
}

func TestSchemaFiles(t *testing.T) {
	for file, schema := range map[string][]byte{"experiments/spec.schema.json": spec.Schema(), "experiments/sweep/sweep.schema.json": sweep.Schema()} {
		testutil.GoldenText(t, file, string(schema))
	}
}
