package info

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/policies/external/python"
)

// newPolicy returns the command that writes the beginning of a policy in Python.
func newPolicy() *cobra.Command {
	var learner, ticks bool
	cmd := &cobra.Command{
		Use:   "new FILE.py",
		Short: "Write the beginning of a policy in Python, and marigram.py beside it",
		Long: `Writes a short policy in Python into FILE.py, and marigram.py, which it imports, beside it. Both
need Python 3.9 or later and its standard library alone. With --learner it is a program that learns
a policy instead (see marigram gym); with --ticks a policy for the interface of Can't Be Late
(NSDI 2024) and Frontier-CS, a class with _step(last_cluster_type, has_spot) that is asked at fixed
ticks, and ticks.py, which runs such policies.`,
		Example: "  marigram policies new mine.py\n  marigram run quickstart --policy-command 'python3 mine.py'\n  marigram policies new --learner learn.py",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			module := filepath.Join(filepath.Dir(args[0]), "marigram.py")
			if !strings.HasSuffix(args[0], ".py") || filepath.Base(args[0]) == "marigram.py" || filepath.Base(args[0]) == "ticks.py" {
				return fmt.Errorf("%s: expected the name of a new file that ends in .py, but not marigram.py or ticks.py", args[0])
			}
			if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists; expected the name of a new file", args[0])
			}
			example, try := python.Example, "marigram run quickstart --policy-command 'python3 %s'"
			if learner {
				example, try = python.Learner, "python3 %s quickstart loss-0.54-in-6h"
			}
			files, names := map[string][]byte{args[0]: example, module: python.Module}, args[0]+", "+module
			if ticks {
				adapter := filepath.Join(filepath.Dir(args[0]), "ticks.py")
				files[args[0]], files[adapter] = python.TicksExample, python.Ticks
				names, try = names+", "+adapter, "marigram run quickstart --policy-command 'python3 "+adapter+" %s'"
			}
			for path, text := range files { // in any order
				if err := atomicfile.WriteBytes(path, text); err != nil {
					return cli.Failed(err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s\ntry it: "+try+"\n", names, args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&learner, "learner", false, "a program that learns a policy")
	cmd.Flags().BoolVar(&ticks, "ticks", false, "a policy with _step(last_cluster_type, has_spot), and ticks.py, which runs it")
	cmd.MarkFlagsMutuallyExclusive("learner", "ticks")
	return cmd
}
