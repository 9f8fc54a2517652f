package policies

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/python"
)

// beginning is what a policy of one's own begins with.
type beginning struct {
	example []byte
	needs   map[string][]byte // files that it needs, by name
	try     []string          // commands; FILE, MODULE and FOLDER are its file, its .wasm file and their folder
}

const asModule = "marigram run quickstart --policy-command MODULE"

// beginnings are those of policies, by what their file ends in.
var beginnings = map[string]beginning{
	".py": {plugin.Template("cheapest.py"), map[string][]byte{"marigram.py": python.Module},
		[]string{"marigram run quickstart --policy-command 'python3 FILE'"}},
	".c": {plugin.Template("c/start.c"), map[string][]byte{"marigram.h": plugin.Template("c/marigram.h")}, []string{
		"clang --target=wasm32 -O2 -nostdlib -mbulk-memory -ffp-contract=off -Wl,--no-entry -o MODULE FILE", asModule}},
	".go": {plugin.Template("start.go.txt"), nil, []string{"go mod init mine && go get github.com/marigram/marigram   # in a module of its own",
		"GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o MODULE FILE", asModule}},
}

// learning and ticking are those of --learner and --ticks.
var (
	learning = beginning{plugin.Template("learn.py"), beginnings[".py"].needs, []string{"python3 FILE quickstart loss-0.54-in-6h"}}
	ticking  = beginning{plugin.Template("uniform.py"), map[string][]byte{"marigram.py": python.Module, "ticks.py": python.Ticks},
		[]string{"marigram run quickstart --policy-command 'python3 FOLDERticks.py FILE'"}}
)

type newFlags struct {
	Learner bool `flag:"learner" help:"a program in Python that learns a policy"`
	Ticks   bool `flag:"ticks" help:"a policy in Python with _step(last_cluster_type, has_spot), and ticks.py, which runs it"`
}

// newPolicy returns the command that writes the beginning of a policy.
func newPolicy() *cobra.Command {
	var f newFlags
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "new FILE",
		Short: "Write the beginning of a policy in Python, C or Go, with the files that it needs",
		Long: `Writes a short policy into FILE, by its ending in Python (.py), C (.c) or Go (.go), and next to it what it
needs: marigram.py, which needs Python 3.9 or later and its standard library alone, or marigram.h. Policies in C and Go are
compiled to WebAssembly; the commands are printed.

With --learner it is a program in Python that learns a policy instead (see marigram gym); with --ticks a policy for the
interface of Can't Be Late (NSDI 2024) and Frontier-CS, a class with _step(last_cluster_type, has_spot) that is asked at fixed
ticks, and ticks.py, which runs such policies.`,
		Example: `  marigram policies new mine.py
  marigram run quickstart --policy-command 'python3 mine.py'
  marigram policies new mine.c
  marigram policies new --learner learn.py`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, known := beginnings[filepath.Ext(args[0])]
			switch {
			case f.Learner:
				b, known = learning, filepath.Ext(args[0]) == ".py"
			case f.Ticks:
				b, known = ticking, filepath.Ext(args[0]) == ".py"
			}
			if _, taken := b.needs[filepath.Base(args[0])]; !known || taken || filepath.Base(args[0]) == "ticks.py" {
				return fmt.Errorf("%s: expected the name of a new file that ends in .py, .c or .go (.py with --learner and --ticks), "+
					"but not marigram.py or ticks.py", args[0])
			}
			names, err := b.write(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s\ntry it: %s\n", strings.Join(names, ", "), b.commands(args[0]))
			return nil
		},
	}, &f)
	cmd.MarkFlagsMutuallyExclusive("learner", "ticks")
	return cmd
}

// write writes the policy, and what it needs beside it.
func (b *beginning) write(path string) (names []string, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s exists; expected the name of a new file", path)
	}
	names = []string{path}
	if err := atomicfile.WriteBytes(path, b.example); err != nil {
		return nil, cli.Failed(err)
	}
	for _, name := range slices.Sorted(maps.Keys(b.needs)) {
		path := filepath.Join(filepath.Dir(path), name)
		if err := atomicfile.WriteBytes(path, b.needs[name]); err != nil {
			return nil, cli.Failed(err)
		}
		names = append(names, path)
	}
	return names, nil
}

// commands are how to try a policy.
func (b *beginning) commands(path string) string {
	module := strings.TrimSuffix(path, filepath.Ext(path)) + ".wasm"
	folder := strings.TrimSuffix(path, filepath.Base(path))
	return strings.NewReplacer("FILE", path, "MODULE", module, "FOLDER", folder).Replace(strings.Join(b.try, "\n        "))
}
