package plan

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// outOfCoreFlags are the inputs of one choice.
type outOfCoreFlags struct {
	Size       float64       `flag:"size" required:"true" help:"parameters with the optimiser's state, <GB>"`
	Compute    time.Duration `flag:"compute" required:"true" help:"compute time of an epoch on one GPU, with its unit: 50m"`
	DiskRate   float64       `flag:"disk-rate" required:"true" help:"<GB/s> of the disk, reading and writing together"`
	ReadOnly   bool          `flag:"read-only" help:"what is swapped is not learned: nothing is written back"`
	NoPrefetch bool          `flag:"no-prefetch" help:"the GPU waits for the disk"`
	Once       bool          `flag:"once" help:"the buffer is filled once an epoch and nothing is swapped (classification of nodes); with --read-only"`
	Group      int           `flag:"group" default:"1" help:"partitions that are read as one, anew in each epoch (COMET of MariusGNN)"`
	DiskUSD    float64       `flag:"disk-usd-per-gb-month" min:"0" max:"1000" help:"price of the disk, which holds --size GB (730 h a month)"`
	Epochs     int           `flag:"epochs" default:"1" help:"epochs to train"`
	Partitions []int         `flag:"partitions" help:"partition counts to try"`
	Disk       []string      `flag:"disk" help:"a machine with a disk: <NAME=USD/GB>; may be repeated"`
	InMemory   []string      `flag:"in-memory" help:"a machine with all in memory: <NAME=USD/SPEED-UP>; may be repeated"`
	Within     time.Duration `flag:"within" help:"time budget, with its unit: 90m, 48h; none if absent"`
	cli.Answer
}

func outOfCoreCommand() *cobra.Command {
	f := outOfCoreFlags{Partitions: formulas.PartitionCounts()}
	return cli.WithFlags(&cobra.Command{
		Use:   "out-of-core",
		Short: "Say whether one GPU with a disk beats GPUs that have all in memory",
		Long: `Says whether training on one GPU with a disk beats training in memory, by how much, and
with how many partitions. It ranks machines for training whose parameters do not fit into the memory of one: those
with a disk keep partitions in a buffer and swap the others (Marius, OSDI 2021), with the
partition count that is fastest; the others have all in memory. By closed forms: an epoch
takes the larger of compute and disk time, or their sum without prefetching. The published
cases come out within 11 % (marigram reproduce out-of-core). Those within the time come
first, the cheapest first; if none is, the exit status is 0 all the same.

--disk NAME=USD/GB is a machine at USD an hour with GB of memory for partitions;
--in-memory NAME=USD/SPEED-UP one that computes SPEED-UP times as fast.`,
		Example: `  marigram plan out-of-core --size 275.2 --compute 50m --disk-rate 0.4 --disk p3.2xlarge=3.06/45 --in-memory p3.8xlarge=12.24/3
  marigram plan out-of-core --size 68.8 --compute 774s --disk-rate 0.4 --epochs 10 --disk p3.2xlarge=3.06/40 --in-memory p3.8xlarge=12.24/3 --within 3h --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := f.choose()
			if err != nil {
				return err
			}
			choices := outOfCoreChoices(list)
			answer := outOfCoreAnswer(list, f.Within > 0)
			return f.Give(cmd, map[string]any{"answer": answer, "choices": choices}, func(w io.Writer) {
				fmt.Fprintln(w, answer)
				term.Print(w, table.Of(choices))
			})
		},
	}, &f)
}

// choose ranks the machines.
func (f *outOfCoreFlags) choose() ([]formulas.Choice, error) {
	training := formulas.Training{SizeGB: f.Size, ComputeS: f.Compute.Seconds(), DiskGBPerS: f.DiskRate, Learned: !f.ReadOnly,
		Prefetch: !f.NoPrefetch, Once: f.Once, Group: f.Group}
	const hoursPerMonth = 730
	if len(f.Disk)+len(f.InMemory) == 0 {
		return nil, fmt.Errorf("no machine: expected --disk NAME=USD/GB or --in-memory NAME=USD/SPEED-UP")
	}
	var machines []formulas.Machine
	for i, text := range append(append([]string{}, f.Disk...), f.InMemory...) {
		flag := "--disk"
		if i >= len(f.Disk) {
			flag = "--in-memory"
		}
		name, usd, other, err := machineOf(text)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", flag, text, err)
		}
		m := formulas.Machine{Name: name, USDPerH: usd, MemoryGB: other, DiskUSDPerH: f.DiskUSD * f.Size / hoursPerMonth}
		if i >= len(f.Disk) {
			m.MemoryGB, m.DiskUSDPerH, m.Speedup = 0, 0, other
		}
		machines = append(machines, m)
	}
	within := math.Inf(1)
	if f.Within > 0 {
		within = f.Within.Hours()
	}
	return training.Cheapest(machines, f.Partitions, f.Epochs, within)
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

// outOfCoreChoice is a row of the answer.
type outOfCoreChoice struct {
	Machine    string  `json:"machine" head:"machine"`
	Partitions int     `json:"partitions" head:"partitions"` // 1: all in memory
	Buffer     int     `json:"buffer" head:"in memory"`
	Swaps      int     `json:"swaps_per_epoch" head:"swaps/epoch"`
	GB         float64 `json:"gb_per_epoch" head:"GB/epoch"`
	EpochS     float64 `json:"epoch_s" head:"epoch" unit:"s"`
	Hours      float64 `json:"hours" head:"hours"`
	USD        float64 `json:"usd" head:"USD" format:"usd"`
	InTime     bool    `json:"within_time" head:"within"`
}

func outOfCoreChoices(list []formulas.Choice) []outOfCoreChoice {
	out := []outOfCoreChoice{}
	for _, c := range list {
		out = append(out, outOfCoreChoice{c.Machine.Name, c.Epoch.Partitions, c.Epoch.Buffer, c.Epoch.Swaps, c.Epoch.ReadWriteGB, c.Epoch.Seconds, c.Hours,
			c.USD, c.InTime})
	}
	return out
}

// outOfCoreAnswer says in words which machine is best, and by how much it beats the best
// of the other kind.
func outOfCoreAnswer(list []formulas.Choice, limited bool) string {
	best := &list[0]
	kind := func(c *formulas.Choice) string {
		if c.OutOfCore() {
			return fmt.Sprintf("with a disk (%d partitions, %d of them in memory)", c.Epoch.Partitions, c.Epoch.Buffer)
		}
		return "in memory"
	}
	answer := fmt.Sprintf("%s %s: %s USD in %s h", best.Machine.Name, kind(best), units.USD(best.USD), cli.Significant(best.Hours))
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
			return answer + fmt.Sprintf("%s USD, but %s h, more than the time", units.USD(other.USD), cli.Significant(other.Hours))
		case best.USD > 0:
			answer += fmt.Sprintf("%.2f times the dollars, ", other.USD/best.USD)
		}
		return answer + fmt.Sprintf("%.2f times the time", other.Hours/best.Hours)
	}
	return answer
}
