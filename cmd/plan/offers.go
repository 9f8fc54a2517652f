package plan

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
	"github.com/spf13/cobra"
)

// offersFlags are the spec whose offers are weighed.
type offersFlags struct {
	cli.SpecFlags
	cli.Answer
}

func offersCommand() *cobra.Command {
	var f offersFlags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "offers SPEC",
		Short: "Weigh a capacity block or a queue against spot and on demand now",
		Long: `Compares for each objective of a spec what the job would come to on each pool alone, from the
first start: on demand or on spot now, in a capacity block (market.commitments) or from a queue (queue of a
pool). Of each pool it takes the number of instances that is cheapest in time. Nothing is
simulated: prices are those of the start, nothing is lost, and waits and boots take their medians and
means. marigram run tells what losses and prices do to it.`,
		Example: `  marigram plan offers quickstart
  marigram plan offers my.yaml -s market.pools.0.queue.wait_s=7200`,
	}, f.run), &f)
}

// warnSpeed says that the speed of the job is an estimate, if it is one.
func warnSpeed(cmd *cobra.Command, study *experiments.Study) {
	if said := results.SpeedSaid(study.Warnings); said != "" {
		term.Warn(cmd.ErrOrStderr(), "speed: %s", said)
	}
}

func (f *offersFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	if !s.Workload().HasObjectives() {
		return fmt.Errorf("%s is of many jobs, expected a spec with objectives", name)
	}
	if err := s.OnlyDeadlines("plan offers"); err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	warnSpeed(cmd, study)
	all := map[string][]experiments.Offer{}
	for i := range s.Objectives {
		if all[s.Objectives[i].Name], err = study.Offers(i); err != nil {
			return err
		}
	}
	return f.Give(cmd, all, func(w io.Writer) {
		for _, objective := range s.Objectives {
			list := all[objective.Name]
			text := "no pool alone is in time"
			if list[0].Chosen {
				text = fmt.Sprintf("%s: %d of %s", list[0].Kind, list[0].Instances, list[0].Pool)
			}
			fmt.Fprintf(w, "%s: %s\n", objective.Name, text)
			term.Print(w, table.Of(list))
		}
	})
}
