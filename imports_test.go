package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/marigram/marigram"

var cobra = []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}

// commands are what the command is put together from.
var commands = []string{
	"cmd/calibrate", "cmd/compare", "cmd/forecast", "cmd/info", "cmd/internal/cli", "cmd/internal/term", "cmd/plan", "cmd/plot",
	"cmd/report", "cmd/reproduce", "cmd/run", "cmd/sweep", "cmd/traces",
}

// arrows are the imports that DESIGN.md allows between the rooms, and the third
// parties that each room owns. A room is a folder with all below it, but for
// those that have a line of their own.
var arrows = map[string]struct{ rooms, owns []string }{
	"":                  {[]string{"cmd"}, nil},
	"cmd":               {commands, []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/rogpeppe/go-internal"}},
	"cmd/calibrate":     {[]string{"cmd/internal/cli", "cmd/internal/term", "calibrate", "calibrate/fit", "calibrate/ps", "calibrate/stalls", "internal/atomicfile"}, cobra},
	"cmd/compare":       {[]string{"cmd/internal/cli", "cmd/internal/runs", "cmd/internal/term", "experiments/results", "experiments/sweep"}, cobra},
	"cmd/forecast":      {[]string{"cmd/internal/cli", "cmd/internal/term", "plots", "policies/forecast", "traces"}, cobra},
	"cmd/info":          {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments", "experiments/sweep", "internal/atomicfile", "policies"}, cobra},
	"cmd/plan":          {[]string{"cmd/internal/cli", "cmd/internal/term", "calibrate", "calibrate/fit", "calibrate/pipeline", "calibrate/ps", "calibrate/stalls", "policies", "policies/forecast", "traces"}, cobra},
	"cmd/plot":          {[]string{"cmd/compare", "cmd/internal/cli", "cmd/internal/runs", "calibrate", "experiments", "experiments/intervals", "experiments/results", "experiments/sweep", "internal/atomicfile", "plots"}, cobra},
	"cmd/report":        {[]string{"cmd/internal/cli", "cmd/internal/runs", "cmd/internal/term", "experiments/results", "internal/atomicfile", "report"}, cobra},
	"cmd/reproduce":     {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments", "experiments/claims", "internal/atomicfile", "plots"}, cobra},
	"cmd/run":           {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments", "experiments/intervals", "experiments/results", "internal/atomicfile", "plots", "report"}, cobra},
	"cmd/sweep":         {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments", "experiments/sweep"}, cobra},
	"cmd/traces":        {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments", "plots", "traces"}, cobra},
	"cmd/internal/cli":  {[]string{"calibrate/fit", "experiments", "policies", "policies/forecast", "traces"}, cobra},
	"cmd/internal/runs": {[]string{"cmd/internal/cli", "cmd/internal/term", "experiments/results", "experiments/sweep"}, cobra},
	"cmd/internal/term": {nil, []string{"github.com/schollz/progressbar", "golang.org/x/term"}},
	"sim":               {nil, []string{"pgregory.net/rapid", "golang.org/x/sys"}},
	"sim/simtest":       {[]string{"sim"}, nil},
	"sim/steps":         {[]string{"sim"}, []string{"pgregory.net/rapid"}},
	"traces":            {[]string{"sim", "internal/columnar", "internal/atomicfile"}, []string{"github.com/klauspost/compress", "gonum.org/v1/gonum", "pgregory.net/rapid"}},
	"policies":          {[]string{"policies/forecast", "internal/renamed", "sim"}, []string{"gonum.org/v1/gonum", "pgregory.net/rapid"}},
	"policies/forecast": {nil, []string{"gonum.org/v1/gonum", "pgregory.net/rapid"}},

	"calibrate":                   {[]string{"calibrate/fit", "calibrate/gpu", "calibrate/ps", "calibrate/stalls"}, nil},
	"calibrate/stalls":            {[]string{"calibrate/facts", "calibrate/fit", "calibrate/gpu", "calibrate/internal/table", "calibrate/pipeline"}, []string{"pgregory.net/rapid"}},
	"calibrate/pipeline":          {[]string{"calibrate/facts", "calibrate/internal/table", "sim"}, []string{"pgregory.net/rapid"}},
	"calibrate/ps":                {[]string{"calibrate/facts", "calibrate/fit", "calibrate/internal/table", "calibrate/profiles", "sim", "sim/steps"}, []string{"gonum.org/v1/gonum", "pgregory.net/rapid"}},
	"calibrate/gpu":               {[]string{"calibrate/facts", "calibrate/fit"}, []string{"pgregory.net/rapid"}},
	"calibrate/fit":               {[]string{"calibrate/internal/table", "calibrate/profiles"}, []string{"gonum.org/v1/gonum"}},
	"calibrate/queueing":          {[]string{"sim"}, nil},
	"calibrate/internal/table":    {nil, nil},
	"calibrate/internal/fittest":  {[]string{"calibrate/fit"}, nil},
	"calibrate/internal/recorded": {nil, nil},
	"calibrate/facts":             {nil, nil},
	"calibrate/profiles":          {nil, nil},
	"experiments":                 {[]string{"policies", "calibrate", "calibrate/pipeline", "calibrate/ps", "traces", "experiments/intervals", "experiments/results", "experiments/specs", "sim", "sim/steps", "internal/renamed"}, []string{"github.com/goccy/go-yaml", "github.com/google/jsonschema-go", "github.com/agnivade/levenshtein"}},
	"experiments/specs":           {nil, nil},
	"experiments/claims":          {[]string{"experiments", "experiments/results", "experiments/claims/reference", "policies", "policies/forecast", "calibrate/facts", "calibrate/fit", "calibrate/pipeline", "calibrate/ps", "calibrate/queueing", "calibrate/stalls", "traces", "sim", "sim/steps"}, []string{"gonum.org/v1/gonum"}},
	"experiments/intervals":       {[]string{"experiments/results"}, []string{"gonum.org/v1/gonum"}},
	"experiments/sweep":           {[]string{"experiments", "experiments/intervals", "experiments/results", "internal/atomicfile", "sim"}, []string{"github.com/goccy/go-yaml", "github.com/google/jsonschema-go"}},
	"experiments/results":         {[]string{"sim", "internal/columnar"}, nil},
	"plots":                       {[]string{"experiments/intervals", "experiments/results", "internal/atomicfile"}, []string{"gonum.org/v1/plot", "codeberg.org/go-fonts", "codeberg.org/go-pdf"}},
	"report":                      {[]string{"experiments/intervals", "experiments/results", "plots"}, nil},
	"internal/rooms":              {nil, []string{"golang.org/x/tools", "pgregory.net/rapid"}},
	"internal/atomicfile":         {nil, nil},
	"internal/renamed":            {nil, nil},
	"internal/columnar":           {[]string{"internal/atomicfile", "internal/renamed"}, []string{"github.com/apache/arrow/go/v15", "pgregory.net/rapid", "golang.org/x/sys"}},

	"experiments/claims/reference": {[]string{"policies"}, nil},
}

// tests may use more rooms than the code that they test.
var testArrows = map[string][]string{
	"cmd":                {"experiments", "experiments/results", "experiments/sweep", "plots", "traces"},
	"cmd/reproduce":      {"traces"},
	"policies":           {"calibrate/pipeline", "calibrate/ps", "experiments", "sim/simtest"},
	"sim":                {"sim/simtest"},
	"sim/steps":          {"sim/simtest"},
	"traces":             nil,
	"internal/columnar":  {"sim/simtest"},
	"plots":              {"traces", "policies"},
	"experiments/claims": {"sim/simtest"},
	"experiments/sweep":  {"sim/simtest", "traces"},

	"experiments/claims/reference": {"calibrate/pipeline", "sim/simtest"},

	"calibrate":          {"calibrate/facts", "calibrate/pipeline"},
	"calibrate/fit":      {"calibrate", "calibrate/internal/fittest", "calibrate/internal/recorded"},
	"calibrate/gpu":      {"calibrate/internal/fittest", "calibrate/ps"},
	"calibrate/pipeline": {"calibrate/internal/recorded"},
	"calibrate/ps":       {"calibrate/gpu", "calibrate/internal/fittest", "calibrate/internal/recorded", "sim/simtest"},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{join .Imports ","}}|{{join .TestImports ","}},{{join .XTestImports ","}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		room := strings.TrimPrefix(strings.TrimPrefix(parts[0], module), "/")
		if _, ok := arrows[room]; !ok {
			t.Errorf("no room %q in DESIGN.md's plan", room)
			continue
		}
		seen++
		checkImports(t, room, parts[1], nil)
		checkImports(t, room, parts[2], append(testArrows[room], "sim"))
	}
	if seen != len(arrows) {
		t.Errorf("%d rooms, the plan has %d", seen, len(arrows))
	}
}

func checkImports(t *testing.T, room, imports string, more []string) {
	for path := range strings.SplitSeq(imports, ",") {
		first, _, _ := strings.Cut(path, "/")
		other, ours := strings.CutPrefix(path, module)
		other = strings.TrimPrefix(other, "/")
		switch {
		case !strings.Contains(first, "."): // the standard library
		case ours:
			if other != room && !slices.Contains(arrows[room].rooms, other) && !slices.Contains(more, other) {
				t.Errorf("%q imports %q: DESIGN.md has no such arrow", room, other)
			}
		case !slices.ContainsFunc(arrows[room].owns, func(owned string) bool { return strings.HasPrefix(path, owned) }):
			t.Errorf("%q imports %s, which it does not own", room, path)
		}
	}
}

// The heavy parts of Arrow pull gRPC in; the product does without.
func TestNoPqarrow(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"pqarrow", "google.golang.org/grpc", "arrow/go/v15/arrow/compute"} {
		if strings.Contains(string(out), heavy) {
			t.Errorf("%s is linked into the program", heavy)
		}
	}
}
