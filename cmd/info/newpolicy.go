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
	var learner bool
	cmd := &cobra.Command{
		Use:   "new FILE.py",
		Short: "Write the beginning of a policy in Python, and marigram.py beside it",
		Long: `Writes a short policy in Python into FILE.py, and marigram.py, which it imports, beside it. Both
need Python 3.9 or later and its standard library alone. With --learner it is a program that learns
a policy instead (see marigram gym).`,
		Example: "  marigram policies new mine.py\n  marigram run quickstart --policy-command 'python3 mine.py'\n  marigram policies new --learner learn.py",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			module := filepath.Join(filepath.Dir(args[0]), "marigram.py")
			if !strings.HasSuffix(args[0], ".py") || args[0] == module {
				return fmt.Errorf("%s: expected the name of a new file that ends in .py, but not marigram.py", args[0])
			}
			if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists; expected the name of a new file", args[0])
			}
			example, try := python.Example, "marigram run quickstart --policy-command 'python3 %s'"
			if learner {
				example, try = python.Learner, "python3 %s quickstart loss-0.54-in-6h"
			}
			for path, text := range map[string][]byte{args[0]: example, module: python.Module} { // in any order
				if err := atomicfile.WriteBytes(path, text); err != nil {
					return cli.Failed(err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s, %s\ntry it: "+try+"\n", args[0], module, args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&learner, "learner", false, "a program that learns a policy")
	return cmd
}
