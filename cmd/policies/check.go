package policies

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

type checkFlags struct {
	Seeds uint64 `flag:"seeds" default:"3" min:"1" max:"1000" help:"number of markets"`
}

// checkPolicy returns the command that asks a policy of one's own what those of marigram are asked.
func checkPolicy() *cobra.Command {
	var f checkFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "check COMMAND|FILE.py",
		Short: "Check a policy of your own as those of marigram are checked",
		Long: `Runs a policy of your own on made-up markets, with one job and with two, and checks that the same run
twice is the same, that no decision depends on the future, that waking it for nothing changes nothing, that copies
of a run go their own way, that quotas are kept, and that times and costs add up. The command runs
with your rights.`,
		Example: `  marigram policies check mine.py
  marigram policies check 'python3 mine.py --fast'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := loader.ParseFile("checked=" + args[0])
			if err != nil {
				return err
			}
			findings, err := checked(own, f.Seeds)
			if err != nil {
				return cli.Failed(err)
			}
			return cli.Failed(printFindings(cmd, findings))
		},
	}, &f)
}

// checked asks a plug-in; a plug-in that fails is an error, not a panic.
func checked(g *loader.Plugin, seeds uint64) (findings []simtest.Finding, err error) {
	made, end, err := g.Shared()
	if err != nil {
		return nil, err
	}
	defer func() { _ = end() }()
	defer func() {
		if fault := recover(); fault != nil {
			if err = plugin.Fault(fault); err == nil {
				panic(fault)
			}
		}
	}()
	return simtest.Check(func(*sim.Market) sim.Policy { return made() }, seeds)
}

func printFindings(cmd *cobra.Command, findings []simtest.Finding) error {
	failed := 0
	for _, f := range findings {
		if f.Err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "pass  %s\n", f.Check)
			continue
		}
		failed++
		fmt.Fprintf(cmd.OutOrStdout(), "FAIL  %s: %.2000s\n", f.Check, f.Err)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(findings))
	}
	return nil
}
