package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/marigram/marigram/experiments/spec"
)

// tool is what a call of a tool asks for: a command line of marigram.
type tool interface {
	// line returns the command, its flags, and its argument, or "".
	line(c *call) (command string, flags []string, argument string, err error)
}

func addTools(server *mcp.Server, s *session) {
	add[validateArgs](server, s, "validate", "Checks a spec, its model and its traces without running it, and says how many runs it has.")
	add[runArgs](server, s, "run", "Simulates a spec: a row for each objective and policy with cost (USD), finish, the share of runs that met the "+
		"objective, and their intervals. The run gets a name, for explain.")
	add[explainArgs](server, s, "explain", "Says of a run why a policy did what it did at a moment (at), what became of one of many jobs (job), or where "+
		"every dollar went (dollars): one of the three.")
	add[tuneArgs](server, s, "tune", "Finds the cheapest settings of a policy that meet the objective in a share of the runs.")
	add[adviseArgs](server, s, "advise", "Says what a policy would do now, from the state of a job that runs, and what that is expected to cost. It "+
		"changes nothing and contacts no cloud.")
	add[schemaArgs](server, s, "schema", "Gives the JSON Schema of specs (or of sweeps, states, advice), or the part of it below a key.")
}

// add makes a tool of a command. Its errors are answers, which the agent can read.
func add[T tool](server *mcp.Server, s *session, name, about string) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}},
		func(ctx context.Context, _ *mcp.CallToolRequest, args T) (*mcp.CallToolResult, answer, error) {
			a, err := s.answer(ctx, args)
			return nil, a, err
		})
}

type specArg struct {
	Spec string `json:"spec" jsonschema:"a name of a spec that comes with marigram (quickstart), a file of the folder, or a whole spec as YAML or JSON text"`
}

type settingsArg struct {
	Set []string `json:"set,omitempty" jsonschema:"other values than those of the spec, path=value: market.replay.notice_s=30"`
}

type policiesArg struct {
	Policies []string `json:"policies,omitempty" jsonschema:"only these policies, with their settings in the spec or else the defaults"`
	Seed     *int64   `json:"seed,omitempty" jsonschema:"first seed, instead of the spec's"`
}

func (a *policiesArg) flags() (flags []string) {
	if a.Policies != nil {
		flags = append(flags, "--policy="+strings.Join(a.Policies, ","))
	}
	if a.Seed != nil {
		flags = append(flags, "--seed="+strconv.FormatInt(*a.Seed, 10))
	}
	return flags
}

func (a *settingsArg) flags() (flags []string) {
	for _, x := range a.Set {
		flags = append(flags, "--set="+x)
	}
	return flags
}

type validateArgs struct{ specArg }

func (a validateArgs) line(c *call) (string, []string, string, error) {
	name, err := c.input("spec given as text", a.Spec)
	return "validate", nil, name, err
}

type runArgs struct {
	specArg
	settingsArg
	policiesArg
	Seeds int  `json:"seeds,omitempty" jsonschema:"number of seeds, instead of the spec's"`
	Bound bool `json:"bound,omitempty" jsonschema:"also what no policy can beat"`
}

func (a runArgs) line(c *call) (string, []string, string, error) {
	name, err := c.input("spec given as text", a.Spec)
	flags := append(a.settingsArg.flags(), a.policiesArg.flags()...)
	if a.Seeds != 0 {
		flags = append(flags, "--seeds="+strconv.Itoa(a.Seeds))
	}
	if a.Bound {
		flags = append(flags, "--bound")
	}
	return "run", append(flags, "--json", "--no-plots", "--out="+c.keepRun()), name, err
}

type explainArgs struct {
	Run       string `json:"run" jsonschema:"the name that run gave, run-1, or a folder with results in the folder"`
	At        string `json:"at,omitempty" jsonschema:"time from the start of the run: 3:12, or 192m"`
	Job       string `json:"job,omitempty" jsonschema:"name or number of one of many jobs"`
	Dollars   bool   `json:"dollars,omitempty" jsonschema:"where every dollar went"`
	Policy    string `json:"policy,omitempty" jsonschema:"a run of this policy"`
	Objective string `json:"objective,omitempty" jsonschema:"a run for the objective of this label"`
	Seed      *int64 `json:"seed,omitempty" jsonschema:"a run under this seed"`
}

func (a explainArgs) line(c *call) (string, []string, string, error) {
	flags := []string{"--json"}
	for name, value := range map[string]string{"at": a.At, "job": a.Job, "policy": a.Policy, "objective": a.Objective} {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	if a.Dollars {
		flags = append(flags, "--dollars")
	}
	if a.Seed != nil {
		flags = append(flags, "--seed="+strconv.FormatInt(*a.Seed, 10))
	}
	dir, err := c.results(a.Run)
	return "explain", flags, dir, err
}

type tuneArgs struct {
	specArg
	Set       []string `json:"set" jsonschema:"what to tune: path=a,b, or path=a..b, or path: policy.patience_s=30,120,600"`
	Policy    string   `json:"policy,omitempty" jsonschema:"the policy; the spec's if it has only one"`
	Objective string   `json:"objective,omitempty" jsonschema:"the objective of this label; the spec's if it has only one"`
	Share     float64  `json:"share,omitempty" jsonschema:"share of the runs that has to meet the objective, above 0 and below 1; the objective's or 0.95 if absent"`
	Within    *float64 `json:"within,omitempty" jsonschema:"the winner costs at most so much more than the best, as a share; 0.02 if absent"`
	Seeds     int      `json:"seeds,omitempty" jsonschema:"most seeds, or starts of a recorded market, of a setting"`
	Max       int64    `json:"max_runs,omitempty" jsonschema:"maximum number of runs in all"`
}

func (a tuneArgs) line(c *call) (string, []string, string, error) {
	flags := (&settingsArg{a.Set}).flags()
	for name, value := range map[string]string{"policy": a.Policy, "objective": a.Objective} {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	for name, value := range map[string]float64{"share": a.Share, "seeds": float64(a.Seeds), "max-runs": float64(a.Max)} {
		if value != 0 {
			flags = append(flags, "--"+name+"="+strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
	if a.Within != nil {
		flags = append(flags, fmt.Sprintf("--within=%v", *a.Within))
	}
	name, err := c.input("spec given as text", a.Spec)
	return "tune", append(flags, "--json"), name, err
}

type adviseArgs struct {
	specArg
	settingsArg
	policiesArg
	State         string `json:"state" jsonschema:"what is held and how far the training is: a file of the folder, or YAML or JSON text by the schema of states"`
	Continuations int    `json:"continuations,omitempty" jsonschema:"number of continuations of each policy that are simulated"`
}

func (a adviseArgs) line(c *call) (string, []string, string, error) {
	flags := append(a.settingsArg.flags(), a.policiesArg.flags()...)
	if a.Continuations != 0 {
		flags = append(flags, "--continuations="+strconv.Itoa(a.Continuations))
	}
	state, err := c.input("state given as text", a.State)
	if err != nil {
		return "", nil, "", err
	}
	name, err := c.input("spec given as text", a.Spec)
	return "advise", append(flags, "--json", "--state="+state), name, err
}

type schemaArgs struct {
	Of  string `json:"of,omitempty" jsonschema:"spec (if absent), sweep, state or advice"`
	Key string `json:"key,omitempty" jsonschema:"only the part below this key: market.pools"`
}

func (a schemaArgs) line(c *call) (string, []string, string, error) {
	c.key = a.Key
	switch a.Of {
	case "", "spec":
		return "schema", nil, "", nil
	case "sweep", "state", "advice":
		return "schema", []string{"--" + a.Of}, "", nil
	}
	return "", nil, "", fmt.Errorf("of: %q, expected spec, sweep, state or advice; specs that come with marigram: %s", a.Of,
		strings.Join(spec.Builtin(), ", "))
}

// answer runs the command of a tool.
func (s *session) answer(ctx context.Context, t tool) (answer, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	c := &call{session: s, files: map[string]string{}}
	command, flags, argument, err := t.line(c)
	if err != nil {
		return answer{}, err
	}
	line := append([]string{command}, flags...)
	if argument != "" {
		line = append(line, "--", argument)
	}
	stdout, warnings, err := c.exec(ctx, line)
	if err != nil {
		return answer{}, err
	}
	a := answer{Run: c.run, Warnings: warnings}
	if json.Unmarshal(stdout, &a.Result) != nil {
		a.Text = strings.TrimSpace(string(stdout))
	}
	if command == "schema" {
		a.Result, err = part(a.Result, c.key)
	}
	return a, err
}

// whole is how large a part of a schema is that is given whole, bytes.
const whole = 16 << 10

// part returns what a JSON Schema says of a key, with those above it before dots: market.pools, policies.spotdnn. An empty key
// is the whole. Of a large part the keys are given, with what they mean.
func part(schema any, key string) (any, error) {
	at, _ := schema.(map[string]any)
	for name := range strings.SplitSeq(key, ".") {
		if key == "" {
			break
		}
		below := keys(at)
		next, is := below[name]
		if !is {
			return nil, fmt.Errorf("key: %q has no %q, expected one of %s", key, name, strings.Join(slices.Sorted(maps.Keys(below)), ", "))
		}
		at = next
	}
	if text, err := json.Marshal(at); err != nil || len(text) <= whole {
		return at, err
	}
	below := map[string]any{}
	for name, node := range keys(at) {
		below[name] = about(node, slices.Sorted(maps.Keys(keys(node))))
	}
	return about(at, below), nil
}

// about is what a node means, and its keys.
func about[K []string | map[string]any](node map[string]any, keys K) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"description", "required"} {
		if node[name] != nil {
			out[name] = node[name]
		}
	}
	if len(keys) > 0 {
		out["keys"] = keys
	}
	return out
}

// keys returns the keys of an object, of the items of a list, or of the alternatives of a policy by its name.
func keys(node map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	if items, is := node["items"].(map[string]any); is {
		node = items
	}
	properties, _ := node["properties"].(map[string]any)
	for name, of := range properties {
		if of, is := of.(map[string]any); is {
			out[name] = of
		}
	}
	alternatives, _ := node["oneOf"].([]any)
	for _, x := range alternatives {
		one, _ := x.(map[string]any)
		properties, _ := one["properties"].(map[string]any)
		name, _ := properties["name"].(map[string]any)
		if list, _ := name["enum"].([]any); len(list) == 1 {
			out[fmt.Sprint(list[0])] = one
		}
	}
	return out
}
