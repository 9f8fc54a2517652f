package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CheckTargets refuses the files and folders that a command's flags name for it to
// write and that cannot be written, before the work for them is done. By what
// their help calls a flag --out, --output or --trace is one of them.
// One of them that is an input of the call, an argument or the value of a flag, is
// refused as well; see CheckOutputs.
func CheckTargets(cmd *cobra.Command, args []string) (err error) {
	inputs := slices.Clone(args)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if kind, _ := pflag.UnquoteUsage(f); f.Changed && kind == "file" && !isTarget(f) {
			inputs = append(inputs, f.Value.String())
		}
	})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !isTarget(f) {
			return
		}
		switch kind, _ := pflag.UnquoteUsage(f); {
		case f.Changed && f.Value.String() == "":
			err = errors.Join(err, fmt.Errorf("--%s is empty, expected a %s", f.Name, kind))
		case kind == "file":
			err = errors.Join(err, checkFile(f), CheckOutputs(inputs, f.Value.String()))
		case kind == "folder":
			err = errors.Join(err, CheckFolder("--"+f.Name, f.Value.String()))
		}
	})
	return err
}

func isTarget(f *pflag.Flag) bool { return f.Name == "out" || f.Name == "output" || f.Name == "trace" }

func checkFile(f *pflag.Flag) error {
	path := f.Value.String()
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--%s %s is a folder, expected a file to write", f.Name, path)
	}
	return CheckFolder("--"+f.Name+" "+path+":", filepath.Dir(path))
}

// CheckFolder refuses what is there and is no folder.
func CheckFolder(what, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s %s is a file, expected a folder or a new name", what, path)
	}
	return nil
}
