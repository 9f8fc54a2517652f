package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/atomicfile"
)

type schemaFlags struct {
	Sweep  bool `flag:"sweep" help:"print the schema of sweeps instead"`
	State  bool `flag:"state" help:"print the schema of the states that advise reads instead"`
	Advice bool `flag:"advice" help:"print the schema of what advise --json prints instead"`
}

// schemaCommand returns the command that prints the JSON Schema of specs.
func schemaCommand() *cobra.Command {
	var f schemaFlags
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, sweeps, states or advice",
		Example: `  marigram schema > spec.schema.json    # then: # yaml-language-server: $schema=spec.schema.json
  marigram schema --sweep > sweep.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema := spec.Schema
			switch {
			case f.Sweep:
				schema = sweep.Schema
			case f.State:
				schema = advise.StateSchema
			case f.Advice:
				schema = advise.AdviceSchema
			}
			_, err := cmd.OutOrStdout().Write(schema())
			return cli.Failed(err)
		},
	}, &f)
	cmd.MarkFlagsMutuallyExclusive("sweep", "state", "advice")
	return cmd
}

// versionCommand returns the command that prints what --version does.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit that the program was built from",
		Example: "  marigram version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "marigram version", cli.Version())
			return cli.Failed(err)
		},
	}
}

// manCommand returns the command that writes the manual pages.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Example: "  marigram man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckFolder("DIR", args[0]); err != nil {
				return err
			}
			if err := cli.CheckInto(nil, args[0], "marigram*.1"); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			_, err := atomicfile.Files(args[0], nil, func(dir string) ([]string, error) {
				if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "marigram", Manual: "marigram"},
					dir); err != nil {
					return nil, err
				}
				return fileNames(dir)
			})
			return cli.Failed(err)
		},
	}
}

// fileNames returns the names of what is in a folder.
func fileNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}
