package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/store"
)

// CheckTargets refuses the files and folders that a command's flags name for it to
// write (Written) and that cannot be written, before the work for them is done.
// One of them that would replace an input of the call, an argument or the value of a
// flag, is refused as well; see CheckOutputs and, of a folder, CheckInto and Writes.
func CheckTargets(cmd *cobra.Command, args []string) (err error) {
	inputs := inputs(cmd, args)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !Written(f) {
			return
		}
		path := f.Value.String()
		if wrong := store.Check(path); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--%s %w", f.Name, wrong))
			return
		}
		replaced := func(wrong error) error {
			if wrong != nil {
				wrong = fmt.Errorf("--%s: %w", f.Name, wrong)
			}
			return wrong
		}
		kind, _ := pflag.UnquoteUsage(f)
		switch {
		case f.Changed && path == "":
			err = errors.Join(err, fmt.Errorf("--%s is empty, expected a %s", f.Name, kind))
		case kind == "file":
			err = errors.Join(err, checkFile(f), replaced(CheckOutputs(inputs, path)))
		case kind == "folder":
			err = errors.Join(err, CheckFolder("--"+f.Name, path), replaced(CheckInto(inputs, path, written(cmd)...)))
		}
	})
	return err
}

// outputs is the annotation of commands that write into a folder.
const outputs = "writes into its folder"

// Writes says what a command writes into the folder of --out, as patterns of names
// (path/filepath.Match), so that CheckTargets can refuse to replace an input.
func Writes(cmd *cobra.Command, patterns ...string) *cobra.Command {
	return annotate(cmd, outputs, strings.Join(patterns, "\n"))
}

// named is the annotation of commands whose arguments are names, or files, but no folders.
const named = "takes names"

// TakesNames says that the arguments of a command are names, or files: a folder of such a
// name is no input.
func TakesNames(cmd *cobra.Command) *cobra.Command { return annotate(cmd, named, "yes") }

func written(cmd *cobra.Command) []string { return strings.Split(cmd.Annotations[outputs], "\n") }

// inputs are the files and folders that a call names: its arguments, and the values of
// flags that are no outputs, and what a sweep among them was made of. What is no path is none
// of a file, and does no harm.
func inputs(cmd *cobra.Command, args []string) []string {
	all := slices.Clone(args)
	if cmd.Annotations[named] != "" {
		all = slices.DeleteFunc(all, func(arg string) bool {
			info, err := os.Stat(arg)
			return err == nil && info.IsDir()
		})
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(f)
		if !f.Changed || Written(f) || kind != "file" && kind != "folder" && kind != "trace" {
			return
		}
		if list, is := f.Value.(pflag.SliceValue); is {
			all = append(all, list.GetSlice()...)
			return
		}
		all = append(all, f.Value.String())
	})
	for _, arg := range args {
		if folder, err := sweep.OpenFolder(arg); err == nil {
			if from, err := sweep.Reopen(folder.Plan); err == nil {
				all = append(all, from.Files()...)
			}
		}
	}
	return all
}

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
