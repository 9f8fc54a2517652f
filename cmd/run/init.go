package run

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/live/try"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
)

// initFlags say what no file does.
type initFlags struct {
	GPU     []string `flag:"gpu" help:"GPUs of an instance, <TYPE:COUNT>: H100:8; with --params several, to compare them"`
	Nodes   []int    `flag:"nodes" help:"instances that train together; by default that of the file, or 1; one for each --gpu"`
	Hours   string   `flag:"hours" help:"<time> of training on these instances: 40, or 40h; by default 24h"`
	Within  string   `flag:"within" help:"<time> until the deadline; by default half as much again as --hours"`
	Network string   `flag:"network" complete:"@networks" help:"<network> that is trained, of those with published speeds: {names}"`
	USD     float64  `flag:"usd-per-h" min:"0.001" max:"100000" help:"price of an instance on demand, in dollars per hour; by default that of a list"`
	Prices  string   `flag:"prices" help:"replay this <file> of prices, such as aws ec2 describe-spot-price-history prints: of the GPUs of TASK or --gpu, else of the type with the most pools"`
	paramsFlags
	Out string `flag:"out,o" help:"write the spec into this new <file>"`
}

var _ = cli.NameList("networks", func() (out []cli.Name) {
	for _, name := range parallel.SpeedNetworks() {
		out = append(out, cli.Name{Name: name})
	}
	return out
})

// Init returns the command that writes a first spec.
func Init() *cobra.Command {
	var f initFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "init [TASK]",
		Short: "Write a first spec, from a task file of SkyPilot, dstack or Ray Train, or from flags",
		Long: `Writes a commented spec of a data-parallel job that runs at once. TASK is a task file of
SkyPilot or dstack, or Python code with a ScalingConfig of Ray Train: its GPUs, cloud, number of
nodes and name are taken over, and what the tool does on spot is compared. Without one, --gpu says
which GPUs. What is not known is assumed; the spec and the messages say what. Speeds are published
ones where there are some of the network and the GPUs (docs/layouts.md), else one step a second.

With --params and --tokens the speed of a decoder-only transformer is estimated, with a band, and
how many hours and dollars it takes (docs/dollars.md): not of encoder-decoders, diffusion, vision
or reinforcement learning.

The market is generated, or that of --prices: one instance type in all regions of the file (those of
TASK, if it names one), the cheapest first, from when all have prices. Where the file has no record of
capacity, preemptions are assumed, and marigram run says whether one policy is the best under three
assumptions.`,
		Example: `  marigram init task.yaml -o mine.yaml
  marigram init --gpu H100:8 --hours 40 --within 60h -o mine.yaml
  marigram init --params 8e9 --tokens 1e9 --gpu H100:8 -o mine.yaml
  marigram init --params 7e9 --tokens 20B --gpu H100:8 --nodes 4 --gpu A100:8 --nodes 8
  marigram init --gpu A100:8 --nodes 4 --network gpt-neo-2.7b --hours 72
  marigram init --prices prices.json --nodes 4 --hours 10 --within 15h -o mine.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, &f)
}

func (f *initFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.checkParams(len(f.GPU), f.Nodes, f.Network != "" || f.Hours != ""); err != nil {
		return err
	}
	starter := spec.Starter{USD: f.USD, Network: f.Network, Estimated: f.estimated()}
	if len(f.Nodes) > 0 {
		starter.Nodes = f.Nodes[0]
	}
	if len(f.GPU) > 0 {
		if err := f.setGPU(&starter, f.GPU[0]); err != nil {
			return err
		}
	}
	machines := []spec.Machine{{Accelerator: starter.GPU}}
	if len(args) == 1 {
		var err error
		if machines, err = fromTask(args[0], &starter, starter.Nodes); err != nil {
			return err
		}
	}
	if starter.Estimated != nil {
		if err := f.offers(cmd, &starter); err != nil || f.JSON {
			return err
		}
	}
	if f.Prices != "" {
		if err := f.market(&starter, machines); err != nil {
			return err
		}
	}
	if err := setHours(&starter.Hours, "hours", f.Hours); err != nil {
		return err
	}
	if err := setHours(&starter.Within, "within", f.Within); err != nil {
		return err
	}
	text, assumed, err := starter.Write()
	if err != nil {
		return err
	}
	if err := checkNew(f.Out, text); err != nil {
		return err
	}
	for _, a := range assumed {
		fmt.Fprintf(cmd.ErrOrStderr(), "assumed: %s\n", a)
	}
	if f.Out == "" {
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	if err := store.WriteBytes(cmd.Context(), f.Out, text); err != nil {
		return cli.Failed(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: written; now marigram run %[1]s\n", f.Out)
	return nil
}

// setHours reads the value of a flag, if it is given.
func setHours(to *float64, flag, text string) error {
	if text == "" {
		return nil
	}
	hours, err := spec.ParseHours(text)
	if err != nil {
		return fmt.Errorf("--%s %q: expected hours, such as 40 or 40h", flag, text)
	}
	*to = hours
	return nil
}

// checkNew refuses a file that is there and has another text, which whoever changed it may need.
func checkNew(path string, text []byte) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if was, err := os.ReadFile(path); err != nil || bytes.Equal(was, text) {
		return err
	}
	return fmt.Errorf("--out: %s exists and has another text; expected the name of a new file", path)
}

// market has the spec replay the prices that a file has of the first of some machines.
func (f *initFlags) market(s *spec.Starter, machines []spec.Machine) error {
	in, err := store.OpenInput(f.Prices)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, try.MaxBytes+1))
	if err != nil {
		return err
	}
	name := f.Prices // as the spec names it, from its folder
	if rel, err := filepath.Rel(filepath.Dir(f.Out), name); err == nil && !filepath.IsAbs(name) {
		name = filepath.ToSlash(rel)
	}
	prices, err := try.Read(name, data)
	if err != nil {
		return err
	}
	if err := prices.IntoAll(s, machines); err != nil {
		return fmt.Errorf("--prices: %w", err)
	}
	return nil
}

// fromTask takes over what a task file says, and returns the machines that its job may run on. GPUs of the starter,
// which a flag gives, and nodes that are given replace those of the file.
func fromTask(path string, s *spec.Starter, nodes int) ([]spec.Machine, error) {
	in, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return nil, err
	}
	task, err := spec.ReadTask(path, data)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(path)
	s.Name = cmp.Or(task.Name, base[:len(base)-len(filepath.Ext(base))])
	s.From = base
	s.Text = task.Text
	s.Policies = task.Policies
	s.Notes = task.Notes
	s.Nodes = cmp.Or(nodes, task.Nodes)
	s.Least = task.Least
	if task.Least > 0 && s.Nodes != task.Nodes {
		return nil, fmt.Errorf("--nodes %d: %s has num_workers=(%d, %d), change it there",
			nodes, path, task.Least, task.Nodes)
	}
	if s.GPU.GPU != "" {
		for i := range task.Machines {
			task.Machines[i].Accelerator = s.GPU
			task.Machines[i].InstanceType = ""
		}
	}
	s.Choose(task.Machines)
	return task.Machines, nil
}
