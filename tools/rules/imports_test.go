package rules

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/marigram/marigram/"

// An importRule says who may import a package. Paths of this module are relative to it.
type importRule struct {
	imported string   // a package or a module, and all below it; of this module: a folder
	by       []string // folders of this module, and all below them
	why      string
}

// importRules are the arrows that DESIGN.md draws: what depends on what. A library that is not listed has no owner yet:
// TestImports asks for one.
var importRules = []importRule{
	{"cmd", []string{"."}, "nothing below a command depends on it"},
	{"papers/extensions", []string{"cmd"}, "only the program knows what papers add"},
	{"papers", []string{"cmd/reproduce"}, "what is simulated does not depend on what it is compared with"},
	{"html/template", nil, "it calls methods by name, so that the linker keeps all methods: a fifth of the program"},
	{"text/template", nil, "as html/template"},
	{"google.golang.org/grpc", nil, "the program needs no gRPC"},

	{"codeberg.org/go-pdf/fpdf", []string{"plots/canvas"}, ""},
	{"github.com/agnivade/levenshtein", []string{"internal/registry"}, ""},
	{"github.com/apache/arrow/go/v15", []string{"internal/columnar"}, ""},
	{"github.com/fxamacker/cbor/v2", []string{"experiments"}, ""},
	{"github.com/goccy/go-yaml", []string{"experiments", "papers"}, ""},
	{"github.com/google/jsonschema-go", []string{"experiments"}, ""},
	{"github.com/klauspost/compress", []string{"traces/formats/read", "internal/testutil"}, ""},
	{"github.com/minio/minio-go/v7", []string{"internal/store"}, ""},
	{"github.com/rogpeppe/go-internal/lockedfile", []string{"experiments/sweep"}, ""},
	{"github.com/schollz/progressbar/v3", []string{"cmd/internal/cli"}, ""},
	{"github.com/spf13/cobra", []string{"cmd"}, ""},
	{"github.com/spf13/pflag", []string{"cmd"}, ""},
	{"golang.org/x/sys", []string{"policies/plugin"}, ""},
	{"golang.org/x/term", []string{"cmd/internal"}, ""},
	{"gonum.org/v1/gonum", []string{
		"calibrate", "experiments", "internal/pyrandom", "papers", "policies/forecast", "traces",
	}, ""},
	{"gonum.org/v1/plot", []string{"plots", "report"}, ""},
}

// TestImports checks each import of the product, tests left out, against importRules. Package sim imports nothing but
// the standard library.
func TestImports(t *testing.T) {
	imports := 0
	for _, line := range strings.Split(goList(t, `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, "./..."), "\n") {
		from, to, found := strings.Cut(line, " ")
		if !found {
			continue
		}
		imports++
		from = relative(from)
		ours := strings.HasPrefix(to, module)
		library := !ours && strings.Contains(strings.Split(to, "/")[0], ".")
		if from == "sim" && (library || ours && !below(relative(to), "sim")) {
			t.Errorf("sim imports %s: it imports the standard library only", to)
		}
		rule := ruleOf(relative(to))
		if rule == nil && library {
			t.Errorf("%s imports %s, which has no owner: add it to importRules", from, to)
		}
		if rule == nil || below(from, rule.imported) {
			continue
		}
		allowed := false
		for _, folder := range rule.by {
			allowed = allowed || below(from, folder)
		}
		if !allowed {
			t.Errorf("%s imports %s: only %v may. %s", from, to, rule.by, rule.why)
		}
	}
	if imports < 1000 {
		t.Errorf("%d imports were looked at, expected at least 1000", imports)
	}
}

// TestNoPqarrow keeps the parts of Arrow that pull gRPC in out of the program.
func TestNoPqarrow(t *testing.T) {
	dependencies := goList(t, "{{.ImportPath}}", "-deps", ".")
	for _, heavy := range []string{"pqarrow", "google.golang.org/grpc", "arrow/go/v15/arrow/compute"} {
		if strings.Contains(dependencies, heavy) {
			t.Errorf("%s is linked into the program", heavy)
		}
	}
}

// ruleOf returns the rule of an imported package, or nil if there is none.
func ruleOf(path string) *importRule {
	for i := range importRules {
		if below(path, importRules[i].imported) {
			return &importRules[i]
		}
	}
	return nil
}

// below reports whether a path is a folder or lies below it. Below the root "." is only the root itself.
func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// relative returns the folder of a package of this module, "." for its root, and other packages as they are.
func relative(path string) string {
	if path == strings.TrimSuffix(module, "/") {
		return "."
	}
	return strings.TrimPrefix(path, module)
}

// goList returns what go list prints of the packages of the repository.
func goList(t *testing.T, format string, arguments ...string) string {
	t.Helper()
	command := exec.Command("go", append([]string{"list", "-f", format}, arguments...)...)
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return string(out)
}
