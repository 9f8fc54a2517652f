package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of marigram mcp.
type agent struct {
	*testing.T
	session *mcp.ClientSession
}

// connect starts the program on a folder, and a client of it.
func connect(t *testing.T, dir string, flags ...string) agent {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	command := exec.Command("marigram", append([]string{"mcp", dir}, flags...)...)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return agent{t, session}
}

type args = map[string]any

// call calls a tool, and returns what it answers, as JSON, and whether that is an error.
func (a agent) call(name string, args args) (text string, failed bool) {
	a.Helper()
	r, err := a.session.CallTool(a.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, r.IsError
}

// says calls a tool and checks that its answer has all of some texts.
func (a agent) says(name string, args args, texts ...string) {
	a.Helper()
	text, failed := a.call(name, args)
	for _, want := range texts {
		if failed || !strings.Contains(text, want) {
			a.Errorf("%s %v: error %v, %.400s\nexpected %s", name, args, failed, text, want)
		}
	}
}

// refuses calls a tool and checks that its answer is an error with a text.
func (a agent) refuses(name string, args args, want string) {
	a.Helper()
	if text, failed := a.call(name, args); !failed || !strings.Contains(text, want) {
		a.Errorf("%s %v: error %v, %.400s\nexpected an error with %s", name, args, failed, text, want)
	}
}

// recordedSpec is a spec of a folder of one's own, with a recorded market.
const recordedSpec = `name: own
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.8, within: 2h}]
policies: [{name: reactive}]
market:
  traces: [{name: fleet, path: fleet.csv, format: availability-csv, polarity: "1=available"}]
  pools: [{type: p3.2xlarge, quota: 4, on_demand_usd_per_h: 3.06, on_demand_quota: 4, prices: {trace: fleet, usd_per_h: 1}, capacity: {trace: fleet},
     replay: {adapter: count_cap}}]
`

const fleet = "date,availability\n2026-02-20 00:00:00,2\n2026-02-20 09:15:00,0\n2026-02-21 11:45:00,2\n"

// served is a folder with a spec, a trace, links that lead out of it, and what it must not get at beside it.
func served(t *testing.T) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(dir, "own.yaml"): recordedSpec, filepath.Join(dir, "fleet.csv"): fleet,
		filepath.Join(outside, "own.yaml"): recordedSpec, filepath.Join(outside, "fleet.csv"): fleet} {
		write(t, path, text)
	}
	for from, to := range map[string]string{"link.yaml": filepath.Join(outside, "own.yaml"), "fleet-link.csv": filepath.Join(outside, "fleet.csv"),
		"folder-link": outside, "inside.yaml": "own.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip("no links:", err)
		}
	}
	return dir, outside
}

// An agent gets what the commands print, and explains a run that it made.
func TestMCP(t *testing.T) {
	t.Parallel()
	dir, _ := served(t)
	a := connect(t, dir)
	list, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, x := range list.Tools {
		names += x.Name + " "
	}
	if names != "advise explain run schema tune validate " {
		t.Errorf("tools are %s", names)
	}
	a.says("validate", args{"spec": "quickstart"}, "= 800 runs on the market synthetic")
	a.says("validate", args{"spec": recordedSpec}, "spec given as text: valid: 1 objective x 1 policy")
	a.says("validate", args{"spec": "inside.yaml"}, "inside.yaml: valid")
	a.refuses("validate", args{"spec": strings.Replace(recordedSpec, "quota: 4", "quotas: 4", 1)}, `spec given as text:7:30: unknown field "quotas"`)

	text, _ := a.call("run", args{"spec": "quickstart", "policies": []string{"reactive"}, "seeds": 2, "set": []string{"policy.patience_s=60"}})
	var got struct {
		Run    string
		Result any
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Run != "run-1" {
		t.Fatalf("%v: %s", err, text)
	}
	_, stdout, _ := marigram("run", "quickstart", "--policy", "reactive", "--seeds", "2", "-s", "policy.patience_s=60", "--json")
	var want any
	if err := json.Unmarshal([]byte(stdout), &want); err != nil || fmt.Sprint(got.Result) != fmt.Sprint(want) {
		t.Errorf("run answers %v\nexpected what the command prints: %v", got.Result, want)
	}
	a.says("explain", args{"run": "run-1", "at": "0:10", "objective": "loss-0.54-in-6h"}, `"policy":"reactive"`, `"asked_s":600`)
	a.says("explain", args{"run": "run-1", "dollars": true}, "reactive")
	a.says("run", args{"spec": "own.yaml"}, `"run":"run-2"`, `"policy":"reactive"`)
	a.says("run", args{"spec": recordedSpec}, `"run":"run-3"`, `"policy":"reactive"`)
	a.refuses("explain", args{"run": "run-9", "at": "1:00"}, "run-9")
	a.says("tune", args{"spec": "quickstart", "policy": "spotdnn", "objective": "loss-0.54-in-6h", "set": []string{"policy.patience_s=30,600"},
		"seeds": 20, "share": 0.5}, `"policy.patience_s"`, `"verdict"`)
	a.says("schema", args{}, `"market":{"description":"prices and capacity"`)
	a.says("schema", args{"key": "policies.spotdnn"}, `"over_prediction"`)
	a.says("schema", args{"of": "state"}, `"$schema"`)
	a.refuses("schema", args{"key": "market.pool"}, "expected one of")

	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 6 {
		t.Errorf("the folder has %v, expected the files that it had", left)
	}
}

// An agent gets at no file outside of its folder, by a path, a link or a setting, and starts no program.
func TestMCPConfined(t *testing.T) {
	t.Parallel()
	dir, outside := served(t)
	a := connect(t, dir)
	relative, err := filepath.Rel(dir, filepath.Join(outside, "own.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(outside, "own.yaml"), relative, "s3://bucket/own.yaml"} {
		a.refuses("validate", args{"spec": path}, "not to be read here")
		a.refuses("advise", args{"spec": "own.yaml", "state": path}, "not to be read here")
	}
	for _, path := range []string{"link.yaml", "folder-link/own.yaml"} {
		a.refuses("run", args{"spec": path}, "path escapes")
	}
	for _, path := range []string{"fleet-link.csv", "folder-link/fleet.csv", "folder-link"} {
		a.refuses("run", args{"spec": strings.Replace(recordedSpec, "path: fleet.csv", "path: "+path, 1)}, "path escapes")
		a.refuses("run", args{"spec": "own.yaml", "set": []string{"market.traces.0.path=" + path}}, "path escapes")
	}
	a.refuses("run", args{"spec": "own.yaml", "set": []string{"market.traces.0.path=" + filepath.Join(outside, "fleet.csv")}}, "not to be read here")
	a.refuses("explain", args{"run": outside, "at": "1:00"}, "a folder below the one that is served")
	a.refuses("explain", args{"run": "folder-link", "at": "1:00"}, "escapes")

	left := filepath.Join(outside, "left")
	program := strings.Replace(recordedSpec, "{name: reactive}", fmt.Sprintf("{name: mine, command: [touch, %q]}", left), 1)
	a.refuses("run", args{"spec": program}, "--allow-commands")
	module := strings.Replace(recordedSpec, "{name: reactive}", fmt.Sprintf("{name: mine, wasm: %q}", filepath.Join(outside, "fleet.csv")), 1)
	a.refuses("run", args{"spec": module}, "not to be read here")
	a.refuses("run", args{"spec": "own.yaml", "policies": []string{"reactive", "--allow-commands"}}, "unknown policy")
	for _, name := range []string{"--out=" + left, "--help", "own.yaml\x00"} {
		if text, failed := a.call("run", args{"spec": name}); !failed {
			t.Errorf("run of %q: %s", name, text)
		}
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a program was started, or a file was written")
	}
	a.refuses("no-tool", args{}, "no-tool")
	a.refuses("run", args{"spec": "own.yaml", "command": "ls"}, "command")
}

// A call ends at its limits, and the next one is answered.
func TestMCPLimits(t *testing.T) {
	t.Parallel()
	a := connect(t, t.TempDir(), "--time", "1s", "--memory", "256")
	a.refuses("run", args{"spec": "quickstart", "seeds": 1000000}, "run was stopped")
	a.refuses("run", args{"spec": "name: x\n" + strings.Repeat("# long\n", 200_000)}, "expected at most")
	a.refuses("run", args{"spec": ""}, "the spec is empty")
	a.says("validate", args{"spec": "quickstart"}, "valid")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: "run", Arguments: args{"spec": "quickstart"}}); err == nil {
		t.Error("a cancelled call is answered")
	}
	a.says("validate", args{"spec": "quickstart"}, "valid")
}

// The system refuses a confined process more memory than it may have.
func TestMCPMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the system has no such limit")
	}
	if testing.Short() {
		t.Skip("short: fills the memory")
	}
	a := connect(t, t.TempDir(), "--time", "5m", "--memory", "256")
	a.refuses("run", args{"spec": "quickstart", "seeds": 1000000}, "run was stopped at 256 MB of memory")
}
