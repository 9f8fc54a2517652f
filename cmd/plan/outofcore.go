package plan

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/outofcore"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/format"
)

// outOfCoreFlags are the inputs of one choice.
type outOfCoreFlags struct {
	training      outofcore.Training
	fixed, noWait bool
	epochs        int
	partitions    []int
	disk, memory  []string
	within        time.Duration
	diskUSD       float64
	json          bool
}

func outOfCoreCommand() *cobra.Command {
	var f outOfCoreFlags
	cmd := &cobra.Command{
		Use:   "out-of-core",
		Short: "Say whether one GPU with a disk beats GPUs that have all in memory",
		Long: `Says whether training on one GPU with a disk beats training in memory, by how much, and
with how many partitions. It ranks machines for training whose parameters do not fit into the memory of one: those
with a disk keep partitions in a buffer and swap the others (Marius, OSDI 2021), with the
partition count that is fastest; the others have all in memory. By closed forms: an epoch
takes the larger of compute and disk time, or their sum without prefetching. The published
cases come out within 11 % (marigram reproduce out-of-core). Those within the time come
first, the cheapest first; if none is, the exit status is 0 all the same.

--disk NAME=USD/GB is a machine at so many USD an hour with so many GB of memory for
partitions; --in-memory NAME=USD/SPEED-UP one that computes so many times as fast.`,
		Example: `  marigram plan out-of-core --size 275.2 --compute 50m --disk-rate 0.4 --disk p3.2xlarge=3.06/45 --in-memory p3.8xlarge=12.24/3
  marigram plan out-of-core --size 68.8 --compute 774s --disk-rate 0.4 --epochs 10 --disk p3.2xlarge=3.06/40 --in-memory p3.8xlarge=12.24/3 --within 3h --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := f.choose()
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), outOfCoreJSON(list, f.within > 0))
			}
			return cli.Failed(printOutOfCore(cmd.OutOrStdout(), list, f.within > 0))
		},
	}
	flags := cmd.Flags()
	compute := flags.Duration("compute", 0, "compute time of an epoch on one GPU, with its unit: 50m")
	flags.Float64Var(&f.training.SizeGB, "size", 0, "parameters with the optimiser's state, `GB`")
	flags.Float64Var(&f.training.DiskGBPerS, "disk-rate", 0, "`GB/s` of the disk, reading and writing together")
	flags.BoolVar(&f.fixed, "read-only", false, "what is swapped is not learned: nothing is written back")
	flags.BoolVar(&f.noWait, "no-prefetch", false, "the GPU waits for the disk")
	flags.BoolVar(&f.training.Once, "once", false, "the buffer is filled once an epoch and nothing is swapped (classification of nodes); with --read-only")
	flags.IntVar(&f.training.Group, "group", 1, "partitions that are read as one, anew in each epoch (COMET of MariusGNN)")
	flags.Float64Var(&f.diskUSD, "disk-usd-per-gb-month", 0, "price of the disk, which holds --size GB (730 h a month)")
	flags.IntVar(&f.epochs, "epochs", 1, "epochs to train")
	flags.IntSliceVar(&f.partitions, "partitions", outofcore.PartitionCounts(), "partition counts to try")
	flags.StringArrayVar(&f.disk, "disk", nil, "a machine with a disk: `NAME=USD/GB`; may be repeated")
	flags.StringArrayVar(&f.memory, "in-memory", nil, "a machine with all in memory: `NAME=USD/SPEED-UP`; may be repeated")
	flags.DurationVar(&f.within, "within", 0, "time budget, with its unit: 90m, 48h; none if absent")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	for _, name := range []string{"size", "compute", "disk-rate"} {
		cli.Must(cmd.MarkFlagRequired(name))
	}
	cmd.PreRun = func(*cobra.Command, []string) { f.training.ComputeS = compute.Seconds() }
	return cmd
}

// choose ranks the machines.
func (f *outOfCoreFlags) choose() ([]outofcore.Choice, error) {
	f.training.Learned, f.training.Prefetch = !f.fixed, !f.noWait
	const hoursPerMonth, mostUSD = 730, 1e3
	if !(f.diskUSD >= 0 && f.diskUSD <= mostUSD) {
		return nil, fmt.Errorf("--disk-usd-per-gb-month %v, expected 0 to %v", f.diskUSD, mostUSD)
	}
	if len(f.disk)+len(f.memory) == 0 {
		return nil, fmt.Errorf("no machine: expected --disk NAME=USD/GB or --in-memory NAME=USD/SPEED-UP")
	}
	var machines []outofcore.Machine
	for i, text := range append(append([]string{}, f.disk...), f.memory...) {
		flag := "--disk"
		if i >= len(f.disk) {
			flag = "--in-memory"
		}
		name, usd, other, err := machineOf(text)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", flag, text, err)
		}
		m := outofcore.Machine{Name: name, USDPerH: usd, MemoryGB: other, DiskUSDPerH: f.diskUSD * f.training.SizeGB / hoursPerMonth}
		if i >= len(f.disk) {
			m.MemoryGB, m.DiskUSDPerH, m.Speedup = 0, 0, other
		}
		machines = append(machines, m)
	}
	within := math.Inf(1)
	if f.within > 0 {
		within = f.within.Hours()
	}
	return f.training.Cheapest(machines, f.partitions, f.epochs, within)
}

// machineOf reads NAME=USD/NUMBER.
func machineOf(text string) (name string, usd, other float64, err error) {
	name, numbers, ok := strings.Cut(text, "=")
	first, second, both := strings.Cut(numbers, "/")
	usd, err1 := strconv.ParseFloat(first, 64)
	other, err2 := strconv.ParseFloat(second, 64)
	if name == "" || !ok || !both || err1 != nil || err2 != nil || !(usd > 0 && usd <= 1e5) || !(other > 0 && other <= 1e9) {
		return "", 0, 0, fmt.Errorf("expected a name, USD an hour and a number above 0, such as p3.2xlarge=3.06/45")
	}
	return name, usd, other, nil
}

// outOfCoreChoice is a choice with the names of its JSON form.
type outOfCoreChoice struct {
	Machine    string  `json:"machine"`
	Partitions int     `json:"partitions"` // 1: all in memory
	Buffer     int     `json:"buffer"`
	Swaps      int     `json:"swaps_per_epoch"`
	GB         float64 `json:"gb_per_epoch"`
	EpochS     float64 `json:"epoch_s"`
	Hours      float64 `json:"hours"`
	USD        float64 `json:"usd"`
	InTime     bool    `json:"within_time"`
}

func outOfCoreJSON(list []outofcore.Choice, limited bool) map[string]any {
	out := []outOfCoreChoice{}
	for _, c := range list {
		out = append(out, outOfCoreChoice{c.Machine.Name, c.Epoch.Partitions, c.Epoch.Buffer, c.Epoch.Swaps, c.Epoch.ReadWriteGB, c.Epoch.Seconds, c.Hours,
			c.USD, c.InTime})
	}
	return map[string]any{"answer": outOfCoreAnswer(list, limited), "choices": out}
}

// outOfCoreAnswer says in words which machine is best, and by how much it beats the best
// of the other kind.
func outOfCoreAnswer(list []outofcore.Choice, limited bool) string {
	best := &list[0]
	kind := func(c *outofcore.Choice) string {
		if c.OutOfCore() {
			return fmt.Sprintf("with a disk (%d partitions, %d of them in memory)", c.Epoch.Partitions, c.Epoch.Buffer)
		}
		return "in memory"
	}
	answer := fmt.Sprintf("%s %s: %s USD in %s h", best.Machine.Name, kind(best), format.USD(best.USD), cli.Significant(best.Hours))
	if limited && !best.InTime {
		answer = "no machine is within the time; the cheapest is " + answer
	}
	for i := range list[1:] {
		other := &list[1+i]
		if other.OutOfCore() == best.OutOfCore() {
			continue
		}
		answer += fmt.Sprintf("; %s %s: ", other.Machine.Name, kind(other))
		switch {
		case limited && best.InTime && !other.InTime:
			return answer + fmt.Sprintf("%s USD, but %s h, more than the time", format.USD(other.USD), cli.Significant(other.Hours))
		case best.USD > 0:
			answer += fmt.Sprintf("%.2f times the dollars, ", other.USD/best.USD)
		}
		return answer + fmt.Sprintf("%.2f times the time", other.Hours/best.Hours)
	}
	return answer
}

// printOutOfCore prints the answer first, then all machines.
func printOutOfCore(w io.Writer, list []outofcore.Choice, limited bool) error {
	if _, err := fmt.Fprintln(w, outOfCoreAnswer(list, limited)); err != nil {
		return err
	}
	table := term.NewTable("machine", "partitions", "in memory", "swaps/epoch", "GB/epoch", "epoch s", "hours", "USD", "within")
	for _, c := range list {
		within := "yes"
		if !c.InTime {
			within = "no"
		}
		table.Row(c.Machine.Name, strconv.Itoa(c.Epoch.Partitions), strconv.Itoa(c.Epoch.Buffer), strconv.Itoa(c.Epoch.Swaps),
			cli.Significant(c.Epoch.ReadWriteGB), cli.Significant(c.Epoch.Seconds), cli.Significant(c.Hours), format.USD(c.USD), within)
	}
	return table.Print(w)
}
