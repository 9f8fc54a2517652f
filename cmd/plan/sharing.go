package plan

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
)

// sharingFlags are the inputs of one shared cluster.
type sharingFlags struct {
	Users       string  `flag:"users" help:"CSV <file> of users"`
	Population  string  `flag:"population" names:"@populations" help:"instead: made-up users: {names}"`
	Servers     int     `flag:"servers" required:"true" help:"reserved servers at first"`
	Utilisation float64 `flag:"utilisation" help:"the servers follow the load: as few as keep it at or below this, 0 to 1; 0: they stay"`
	MaxWait     float64 `flag:"max-wait" default:"15" help:"a user leaves who waits longer than this number of mean run times"`
	ReservedUSD float64 `flag:"reserved" default:"1" help:"<USD> of a reserved server and hour, used or not"`
	OnDemandUSD float64 `flag:"on-demand" required:"true" help:"<USD> of an on-demand server and hour"`
	Tariff      string  `flag:"tariff" default:"use" names:"use,peak" help:"how users share the cost: use (of servers) or peak (servers needed 99 % of the time)"`
	Simulate    int     `flag:"simulate" min:"0" max:"100000000" help:"also simulate this number of jobs, after a tenth of them, for their waits"`
	Runs        int     `flag:"runs" default:"4" min:"1" max:"1000" help:"runs of --simulate, for the standard error"`
	Seed        uint64  `flag:"seed" default:"1" help:"first seed of --simulate"`
	cli.Answer
}

var _ = cli.NameList("populations", func() []cli.Name { return cli.Names(formulas.Populations()...) })

func sharingCommand() *cobra.Command {
	var f sharingFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "sharing",
		Short: "Say who leaves a cluster whose users share its cost",
		Long: `Says how many users leave a shared cluster of reserved servers for on-demand ones: who
waits longer than --max-wait of his mean run times, or would pay less there. All of them
leave together, and the rule is applied again until nobody leaves ("Is Sharing Caring?",
ICPE 2023; the rule is our reading of the abstract). A job takes one server. Waits are by a
closed form, exact for users alike and rough where run times differ by decades: --simulate
puts a simulation of every job next to it. Users are a CSV file with the columns jobs_per_h
and mean_run_h, or a made-up population.`,
		Example: `  marigram plan sharing --population wide --servers 62 --on-demand 2
  marigram plan sharing --users users.csv --servers 40 --utilisation 0.95 --on-demand 1.5 --simulate 400000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}, &f)
}

// cluster reads the users and checks all.
func (f *sharingFlags) cluster() (c formulas.SharedCluster, users []formulas.User, err error) {
	switch {
	case (f.Users == "") == (f.Population == ""):
		return c, nil, fmt.Errorf("expected one of --users and --population")
	case f.Users != "":
		users, err = formulas.OpenUsers(f.Users)
	default:
		users, err = formulas.Population(f.Population)
	}
	if err != nil {
		return c, nil, err
	}
	c = formulas.SharedCluster{Servers: f.Servers, Utilisation: f.Utilisation, MaxWait: f.MaxWait, ReservedUSD: f.ReservedUSD, OnDemandUSD: f.OnDemandUSD}
	if f.Tariff == "peak" {
		c.Tariff = formulas.ByPeak
	}
	return c, users, c.Check(users)
}

// sharingRound is a round; numbers that are infinite are absent.
type sharingRound struct {
	Users       int      `json:"users"`
	Load        float64  `json:"used_servers"`
	Servers     int      `json:"servers"`
	WaitH       *float64 `json:"mean_wait_h"`
	StandardErr *float64 `json:"standard_error_h,omitempty"` // of a simulated wait
	UsedUSD     *float64 `json:"usd_per_used_h"`
	Leaving     int      `json:"leaving"`
	LoadLeaving float64  `json:"servers_of_those_leaving"`
}

func (f *sharingFlags) run(cmd *cobra.Command) error {
	cluster, users, err := f.cluster()
	if err != nil {
		return err
	}
	closed := cluster.Rounds(users)
	lists := map[string][]sharingRound{"closed_form": sharingRounds(closed, nil)}
	var simulated []formulas.Round
	var errs []float64
	if f.Simulate > 0 {
		c := cluster
		c.Wait = func(users []formulas.User, servers int) float64 {
			s := formulas.SharedSimulation{Warmup: f.Simulate / 10, Jobs: f.Simulate, Seed: f.Seed}
			mean, stderr := s.Mean(users, servers, f.Runs)
			errs = append(errs, stderr)
			return mean
		}
		simulated = c.Rounds(users)
		lists["simulated"] = sharingRounds(simulated, errs)
	}
	return f.Give(cmd, lists, func(w io.Writer) {
		fmt.Fprintln(w, sharingAnswer(closed, "by the closed form of waits"))
		if simulated != nil {
			fmt.Fprintln(w, sharingAnswer(simulated, fmt.Sprintf("by simulated waits (%d runs of %d jobs)", f.Runs, f.Simulate)))
		}
		printSharing(w, "closed form", lists["closed_form"])
		if simulated != nil {
			printSharing(w, "simulated", lists["simulated"])
		}
	})
}

// sharingRounds gives rounds their JSON form; errs are the standard errors of waits, one a
// round with users.
func sharingRounds(rounds []formulas.Round, errs []float64) (out []sharingRound) {
	for i, r := range rounds {
		row := sharingRound{Users: len(r.Users), Load: r.Load, Servers: r.Servers, WaitH: stats.FiniteOrNil(r.WaitH), UsedUSD: stats.FiniteOrNil(r.UsedUSD),
			Leaving: r.Leaving, LoadLeaving: r.Left}
		if i < len(errs) {
			row.StandardErr = stats.FiniteOrNil(errs[i])
		}
		out = append(out, row)
	}
	return out
}

// sharingAnswer says how many leave, and what the others pay.
func sharingAnswer(rounds []formulas.Round, how string) string {
	first, last := &rounds[0], &rounds[len(rounds)-1]
	users, load := len(first.Users), first.Load
	answer := fmt.Sprintf("%s: %s of %d users leave, with %s of the load", how, cli.Percent(1-float64(len(last.Users))/float64(users)), users,
		cli.Percent(1-last.Load/load))
	if len(last.Users) == 0 {
		return answer + "; nobody stays"
	}
	return answer + fmt.Sprintf("; the others pay %.4g USD a used hour (all together %.4g)", last.UsedUSD, first.UsedUSD)
}

func printSharing(w io.Writer, how string, rounds []sharingRound) {
	t := table.New(how+": round", "users", "load", "servers", "wait h", "+-", "USD/used h", "leave", "with load")
	or := func(x *float64, none string) any {
		if x == nil {
			return none
		}
		return *x
	}
	for i, r := range rounds {
		t.Row(i, r.Users, r.Load, r.Servers, or(r.WaitH, "endless"), r.StandardErr, or(r.UsedUSD, "-"), r.Leaving, r.LoadLeaving)
	}
	term.Print(w, t)
}
