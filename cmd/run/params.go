package run

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/spec"
)

// paramsFlags say what is trained, where nothing was measured.
type paramsFlags struct {
	Params     float64 `flag:"params" min:"1e6" max:"1e15" help:"parameters of a decoder-only <transformer>: its speed is estimated"`
	Tokens     string  `flag:"tokens" with:"params" help:"<tokens> that are trained, padding and epochs included: 2e10, 20B"`
	Active     float64 `flag:"active" with:"params" min:"1e6" max:"1e15" help:"<parameters> that a token uses, of a mixture of experts; all by default"`
	Seq        float64 `flag:"seq" with:"params" min:"1" max:"65536" help:"<tokens> of a sequence; 4096 by default"`
	LoRA       bool    `flag:"lora" with:"params" help:"adapters alone are trained"`
	QLoRA      bool    `flag:"qlora" with:"params" help:"adapters alone are trained, of a network in 4 bits"`
	Precision  string  `flag:"precision" with:"params" names:"bf16,fp8" help:"of products: {names}; bf16 by default"`
	Stack      string  `flag:"stack" with:"params" names:"tuned,plain" help:"the training program: tuned (made for speed, as Megatron) or plain (the script of a model, stock HuggingFace)"`
	StateBytes float64 `flag:"state-bytes" with:"params" min:"2" max:"64" help:"<bytes> of state of a trained parameter; 18 by default, 10 or 8 where states are in bf16 or 8 bits"`
	MemoryGB   float64 `flag:"memory" with:"params" min:"1" max:"1000" help:"<GB> of a GPU that is sold with several: A100 (40 or 80), V100 (16 or 32); the least by default"`
	TokensPerS float64 `flag:"tokens-per-s" with:"params" above:"0" max:"1e12" help:"measured <speed> of all of these GPUs together"`
	JSON       bool    `flag:"json" with:"params" help:"print the estimate as JSON, and no spec"`
}

// checkParams refuses flags that do not go together.
func (f *paramsFlags) checkParams(gpus int, nodes []int, hours bool) error {
	for _, n := range nodes {
		if n < 1 || n > 65536 {
			return fmt.Errorf("--nodes %d, expected 1 to 65536", n)
		}
	}
	switch {
	case f.Params == 0 && gpus > 1:
		return errors.New("--gpu: several are compared with --params only")
	case len(nodes) > 1 && len(nodes) != gpus:
		return fmt.Errorf("--nodes is given %d times and --gpu %d times, expected one for each", len(nodes), gpus)
	case f.Params > 0 && hours:
		return errors.New("--params: the hours come from the estimated speed, " +
			"expected no --network and no --hours next to it")
	case f.Params > 0 && f.Tokens == "":
		return errors.New("--params: expected --tokens, how many are trained, next to it")
	case f.LoRA && f.QLoRA:
		return errors.New("--lora and --qlora: expected one of them")
	case f.TokensPerS > 0 && gpus > 1:
		return errors.New("--tokens-per-s is of one --gpu")
	}
	if f.Params > 0 {
		_, err := parseCount(f.Tokens)
		return err
	}
	return nil
}

var countSuffix = map[string]float64{"K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}

var count = regexp.MustCompile(`^([0-9.eE+]+)([KMBGT]?)$`)

// parseCount reads 2e10, 20B or 20G.
func parseCount(text string) (float64, error) {
	parts := count.FindStringSubmatch(strings.ToUpper(text))
	if parts != nil {
		number, err := strconv.ParseFloat(parts[1], 64)
		if scale, has := countSuffix[parts[2]]; has {
			number *= scale
		}
		if err == nil && number >= 1 && number <= 1e16 {
			return number, nil
		}
	}
	return 0, fmt.Errorf("--tokens %q: expected a number such as 2e10, 20B or 20G", text)
}

// estimated returns the job of the flags; nil where they name none.
func (f *paramsFlags) estimated() *spec.Estimated {
	if f.Params == 0 {
		return nil
	}
	tokens, _ := parseCount(f.Tokens) // it was checked
	out := &spec.Estimated{Tokens: tokens, MemoryGB: f.MemoryGB, Job: transformer.Job{
		Params:     f.Params,
		Active:     f.Active,
		Seq:        f.Seq,
		Precision:  f.Precision,
		Stack:      f.Stack,
		StateBytes: f.StateBytes,
	}}
	switch {
	case f.LoRA:
		out.Method = transformer.LoRA
	case f.QLoRA:
		out.Method = transformer.QLoRA
	}
	return out
}

var memoryInName = regexp.MustCompile(`(?i)-(\d+)(GB)?(:|$)`)

// setGPU sets the GPUs of instances; a name may have the memory, as A100-80GB has.
func (f *initFlags) setGPU(s *spec.Starter, text string) error {
	gpu, err := spec.ParseAccelerator(text)
	if err != nil {
		return fmt.Errorf("--gpu: %w", err)
	}
	s.GPU = gpu
	if s.Estimated == nil {
		return nil
	}
	name, _, _ := strings.Cut(strings.Trim(text, "{}'\" "), ":")
	if _, _, err := transformer.GPUNamed(gpu.GPU, s.Estimated.MemoryGB); err != nil || memoryInName.MatchString(name) {
		is, _, err := transformer.GPUNamed(name, s.Estimated.MemoryGB)
		if err != nil {
			return fmt.Errorf("--gpu: %w", err)
		}
		s.Estimated.MemoryGB = is.MemoryGB
	}
	return nil
}

// offers prints what the job comes to on each of the instances that are compared; the spec is of the first.
func (f *initFlags) offers(cmd *cobra.Command, first *spec.Starter) error {
	starters := []*spec.Starter{first}
	for i := 1; i < len(f.GPU); i++ {
		other := *first
		job := *first.Estimated
		job.MemoryGB = f.MemoryGB
		other.Estimated = &job
		other.Type = ""
		if len(f.Nodes) > 1 {
			other.Nodes = f.Nodes[i]
		}
		if err := f.setGPU(&other, f.GPU[i]); err != nil {
			return err
		}
		starters = append(starters, &other)
	}
	if f.TokensPerS > 0 {
		gpu, _, err := transformer.GPUNamed(first.GPU.GPU, first.Estimated.MemoryGB)
		if err != nil {
			return err
		}
		first.Estimated.Measured = []transformer.Measured{
			{GPU: gpu.Name, GPUs: max(1, first.Nodes) * first.GPU.Count, TokensPerS: f.TokensPerS},
		}
	}
	var offers []*spec.Offer
	for _, s := range starters {
		offer, err := s.Offer()
		if err != nil {
			return err
		}
		offers = append(offers, offer)
	}
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), offers)
	}
	out := cmd.ErrOrStderr()
	for i, offer := range offers {
		fmt.Fprint(out, offer)
		if i > 0 && offer.USDPerH > 0 && offers[0].USDPerH > 0 {
			fmt.Fprintf(out, "%s or %s: %s\n", offers[0].Type, offer.Type, offers[0].Against(offer))
		}
	}
	return nil
}
