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
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/python"
)

// beginning is what a policy of one's own begins with.
type beginning struct {
	example []byte
	needs   map[string][]byte // files that it needs, by name
	try     string            // a command; FILE and FOLDER are its file and its folder
}

// The beginnings of a policy, of a program that learns one (--learner) and of one that is asked at ticks (--ticks).
var (
	needed   = map[string][]byte{"marigram.py": python.Module}
	deciding = beginning{
		example: plugin.Template("cheapest.py"),
		needs:   needed,
		try:     "marigram run quickstart --policy-command 'python3 FILE'",
	}
	learning = beginning{
		example: plugin.Template("learn.py"),
		needs:   needed,
		try:     "python3 FILE quickstart loss-0.54-in-6h",
	}
	ticking = beginning{
		example: plugin.Template("uniform.py"),
		needs:   map[string][]byte{"marigram.py": python.Module, "ticks.py": python.Ticks},
		try:     "marigram run quickstart --policy-command 'python3 FOLDERticks.py FILE'",
	}
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
		Short: "Write the beginning of a policy in Python, with the files that it needs",
		Long: `Writes a short policy in Python into FILE, and next to it marigram.py, which needs Python 3.9 or later
and its standard library alone. A program in any language can be a policy: docs/protocol.md has the messages.

With --learner it is a program in Python that learns a policy instead (see marigram gym); with --ticks a policy for the
interface of Can't Be Late (NSDI 2024) and Frontier-CS, a class with _step(last_cluster_type, has_spot) that is asked at
fixed ticks, and ticks.py, which runs such policies.`,
		Example: `  marigram policies new mine.py
  marigram run quickstart --policy-command 'python3 mine.py'
  marigram policies new --learner learn.py`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := deciding
			switch {
			case f.Learner:
				b = learning
			case f.Ticks:
				b = ticking
			}
			base := filepath.Base(args[0])
			if sentence := gone.Instead("policies new", filepath.Ext(base)); sentence != "" {
				return fmt.Errorf("%s: %s", args[0], sentence)
			}
			if _, taken := b.needs[base]; filepath.Ext(base) != ".py" || taken || base == "ticks.py" {
				return fmt.Errorf("%s: expected the name of a new file that ends in .py, "+
					"but not marigram.py or ticks.py", args[0])
			}
			names, err := b.write(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s\ntry it: %s\n", strings.Join(names, ", "), b.command(args[0]))
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

// command is how to try a policy.
func (b *beginning) command(path string) string {
	folder := strings.TrimSuffix(path, filepath.Base(path))
	return strings.NewReplacer("FILE", path, "FOLDER", folder).Replace(b.try)
}
