package plan

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/queueing"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
)

// sharingFlags are the inputs of one shared cluster.
type sharingFlags struct {
	cluster        queueing.SharedCluster
	users, made    string
	tariff         string
	simulate, runs int
	seed           uint64
	json           bool
}

func sharingCommand() *cobra.Command {
	var f sharingFlags
	cmd := &cobra.Command{
		Use:   "sharing",
		Short: "Say who leaves a cluster whose users share its cost",
		Long: `Says how many users leave a shared cluster of reserved servers for on-demand ones: who
waits longer than --max-wait of his mean run times, or would pay less there. All of them
leave together, and the rule is applied again until nobody leaves ("Is Sharing Caring?",
ICPE 2023; the rule is our reading of the abstract). A job takes one server. Waits are by a
closed form, exact for users alike and rough where run times differ by decades: --simulate
puts a simulation of every job beside it. Users are a CSV file with the columns jobs_per_h
and mean_run_h, or a made-up population.`,
		Example: `  marigram plan sharing --population wide --servers 62 --on-demand 2
  marigram plan sharing --users users.csv --servers 40 --utilisation 0.95 --on-demand 1.5 --simulate 400000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.users, "users", "", "CSV `file` of users")
	flags.StringVar(&f.made, "population", "", "instead: made-up users: "+strings.Join(queueing.Populations(), ", "))
	flags.IntVar(&f.cluster.Servers, "servers", 0, "reserved servers at first")
	flags.Float64Var(&f.cluster.Utilisation, "utilisation", 0, "the servers follow the load: as few as keep it at or below this, 0 to 1; 0: they stay")
	flags.Float64Var(&f.cluster.MaxWait, "max-wait", 15, "a user leaves who waits longer than so many mean run times")
	flags.Float64Var(&f.cluster.ReservedUSD, "reserved", 1, "`USD` of a reserved server and hour, used or not")
	flags.Float64Var(&f.cluster.OnDemandUSD, "on-demand", 0, "`USD` of an on-demand server and hour")
	flags.StringVar(&f.tariff, "tariff", "use", "how users share the cost: use (of servers), or peak (servers that each needs at most, 99 % of the time)")
	flags.IntVar(&f.simulate, "simulate", 0, "also simulate so many jobs, after a tenth of them that is not counted, and apply the rule to these waits")
	flags.IntVar(&f.runs, "runs", 4, "runs of --simulate, for the standard error")
	flags.Uint64Var(&f.seed, "seed", 1, "first seed of --simulate")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	for _, name := range []string{"servers", "on-demand"} {
		cli.Must(cmd.MarkFlagRequired(name))
	}
	cli.CompleteFlag(cmd, "population", queueing.Populations())
	cli.CompleteFlag(cmd, "tariff", tariffs)
	return cmd
}

var tariffs = []string{"use", "peak"}

// read reads the users and checks all.
func (f *sharingFlags) read() (users []queueing.User, err error) {
	switch {
	case (f.users == "") == (f.made == ""):
		return nil, fmt.Errorf("expected one of --users and --population")
	case f.users != "":
		users, err = queueing.OpenUsers(f.users)
	default:
		users, err = queueing.Population(f.made)
	}
	if err != nil {
		return nil, err
	}
	switch f.tariff {
	case "use":
	case "peak":
		f.cluster.Tariff = queueing.ByPeak
	default:
		return nil, fmt.Errorf("--tariff %q, expected use or peak", f.tariff)
	}
	const mostJobs, mostRuns = 100_000_000, 1000
	if f.simulate < 0 || f.simulate > mostJobs || f.runs < 1 || f.runs > mostRuns {
		return nil, fmt.Errorf("--simulate %d, --runs %d, expected 0 to %d jobs and 1 to %d runs", f.simulate, f.runs, mostJobs, mostRuns)
	}
	return users, f.cluster.Check(users)
}

// sharingRound is a round with the names of its JSON form; numbers that are infinite are
// absent.
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

func (f *sharingFlags) run(w io.Writer) error {
	users, err := f.read()
	if err != nil {
		return err
	}
	closed := f.cluster.Rounds(users)
	lists := map[string][]sharingRound{"closed_form": sharingRounds(closed, nil)}
	var simulated []queueing.Round
	var errs []float64
	if f.simulate > 0 {
		c := f.cluster
		c.Wait = func(users []queueing.User, servers int) float64 {
			s := queueing.SharedSimulation{Warmup: f.simulate / 10, Jobs: f.simulate, Seed: f.seed}
			mean, stderr := s.Mean(users, servers, f.runs)
			errs = append(errs, stderr)
			return mean
		}
		simulated = c.Rounds(users)
		lists["simulated"] = sharingRounds(simulated, errs)
	}
	if f.json {
		return cli.WriteJSON(w, lists)
	}
	fmt.Fprintln(w, sharingAnswer(closed, "by the closed form of waits"))
	if simulated != nil {
		fmt.Fprintln(w, sharingAnswer(simulated, fmt.Sprintf("by simulated waits (%d runs of %d jobs)", f.runs, f.simulate)))
	}
	if err := printSharing(w, "closed form", lists["closed_form"]); err != nil || simulated == nil {
		return cli.Failed(err)
	}
	return cli.Failed(printSharing(w, "simulated", lists["simulated"]))
}

// sharingRounds gives rounds their JSON form; errs are the standard errors of waits, one a
// round with users.
func sharingRounds(rounds []queueing.Round, errs []float64) (out []sharingRound) {
	number := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	for i, r := range rounds {
		row := sharingRound{Users: len(r.Users), Load: r.Load, Servers: r.Servers, WaitH: number(r.WaitH), UsedUSD: number(r.UsedUSD), Leaving: r.Leaving, LoadLeaving: r.Left}
		if i < len(errs) {
			row.StandardErr = number(errs[i])
		}
		out = append(out, row)
	}
	return out
}

// sharingAnswer says how many leave, and what the others pay.
func sharingAnswer(rounds []queueing.Round, how string) string {
	first, last := &rounds[0], &rounds[len(rounds)-1]
	users, load := len(first.Users), first.Load
	answer := fmt.Sprintf("%s: %s of %d users leave, with %s of the load", how, cli.Percent(1-float64(len(last.Users))/float64(users)), users,
		cli.Percent(1-last.Load/load))
	if len(last.Users) == 0 {
		return answer + "; nobody stays"
	}
	return answer + fmt.Sprintf("; the others pay %.4g USD a used hour (all together %.4g)", last.UsedUSD, first.UsedUSD)
}

func printSharing(w io.Writer, how string, rounds []sharingRound) error {
	t := term.NewTable(how+": round", "users", "load", "servers", "wait h", "+-", "USD/used h", "leave", "with load")
	text := func(x *float64, none string) string {
		if x == nil {
			return none
		}
		return cli.Significant(*x)
	}
	for i, r := range rounds {
		t.Row(strconv.Itoa(i), strconv.Itoa(r.Users), cli.Significant(r.Load), strconv.Itoa(r.Servers), text(r.WaitH, "endless"), text(r.StandardErr, ""),
			text(r.UsedUSD, "-"), strconv.Itoa(r.Leaving), cli.Significant(r.LoadLeaving))
	}
	return t.Print(w)
}
