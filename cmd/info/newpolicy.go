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
	return &cobra.Command{
		Use:   "new FILE.py",
		Short: "Write the beginning of a policy in Python, and marigram.py beside it",
		Long: `Writes a short policy in Python into FILE.py, and marigram.py, which it imports, beside it. Both
need Python 3.9 or later and its standard library alone.`,
		Example: "  marigram policies new mine.py\n  marigram run quickstart --policy-command 'python3 mine.py'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			module := filepath.Join(filepath.Dir(args[0]), "marigram.py")
			if !strings.HasSuffix(args[0], ".py") || args[0] == module {
				return fmt.Errorf("%s: expected the name of a new file that ends in .py, but not marigram.py", args[0])
			}
			if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists; expected the name of a new file", args[0])
			}
			for path, text := range map[string][]byte{args[0]: python.Example, module: python.Module} { // in any order
				if err := atomicfile.WriteBytes(path, text); err != nil {
					return cli.Failed(err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s, %s\ntry it: marigram run quickstart --policy-command 'python3 %s'\n", args[0], module, args[0])
			return nil
		},
	}
}
