package plot

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

// compressionFlags are the layer whose formulas are drawn.
type compressionFlags struct {
	Batch    int       `flag:"batch" default:"32" help:"samples"`
	Sequence int       `flag:"sequence" default:"128" help:"tokens of a sample"`
	Ranks    int       `flag:"ranks" default:"4" help:"tensor-parallel ranks"`
	TFLOPS   float64   `flag:"tflop-per-s" default:"60" help:"speed of a rank, 1e12 operations per second"`
	Size     float64   `flag:"code-width" default:"100" help:"width of the auto-encoder's code"`
	Links    []float64 `flag:"links" help:"links between ranks, <GB/s>; the last one is that within a node"`
	NodeLink float64   `flag:"node-link" default:"1.25" above:"0" max:"1e6" help:"link between nodes, <GB/s>"`
	Layers   int       `flag:"layers" default:"24" min:"8" max:"10000" help:"layers of the network, over 2, 4 and 8 nodes"`
}

func compressionCommand() *cobra.Command {
	f := compressionFlags{Links: []float64{12, 150}}
	return figureCommand(&cobra.Command{
		Use:   "compression -o FILE",
		Short: "What compressing the exchange between ranks gains, by formulas",
		Long: `Draws three shapes of closed forms: no measurement, and accuracy is not in them.
Left: the gain of an auto-encoder fades as a layer gets wider, and is lost on a fast link.
Middle: what cannot be summed while compressed is gathered, and loses as soon as the share
that is left is above 2/ranks. Right: between stages of a pipeline on several nodes the
share alone counts, and more nodes gain more. marigram reproduce compression compares the
formulas with an independent program.`,
		Example: `  marigram plot compression -o compression.svg
  marigram plot compression --ranks 8 --links 50,300 -o compression.pdf`,
		Args: cobra.NoArgs,
	}, func(*cobra.Command, []string) (*canvas.Figure, error) { return f.draw() }, &f)
}

const gb = 1e9

func (f *compressionFlags) draw() (*canvas.Figure, error) {
	if len(f.Links) == 0 || len(f.Links) > plots.MaxCurves {
		return nil, fmt.Errorf("--links: %d, expected 1 to %d", len(f.Links), plots.MaxCurves)
	}
	layer := formulas.Layer{Batch: f.Batch, Sequence: f.Sequence, Ranks: f.Ranks, FLOPs: 1e12 * f.TFLOPS, LatencyS: 1e-5, BytesPerNumber: 2,
		BytesPerS: gb * f.Links[len(f.Links)-1]} // within a node
	width, err := f.byWidth(layer)
	if err != nil {
		return nil, err
	}
	stages, err := f.stages(layer)
	if err != nil {
		return nil, err
	}
	return plots.Curves("What compressing the exchange between ranks gains: formulas, no measurements",
		fmt.Sprintf("a transformer layer, %d samples of %d tokens, %d ranks of %g TFLOP/s, 2 bytes a number, latency 10 us; accuracy is not modelled",
			f.Batch, f.Sequence, f.Ranks, f.TFLOPS), []plots.CurvePanel{width, gathered(), stages})
}

// byWidth is the speed-up of an auto-encoder in the forward pass by the width of the layer.
func (f *compressionFlags) byWidth(layer formulas.Layer) (plots.CurvePanel, error) {
	p := plots.CurvePanel{Title: "auto-encoder", X: "width of the layer (thousands)", Y: "times as fast", Logarithmic: true, Level: 1}
	for _, link := range f.Links {
		layer.BytesPerS = gb * link
		y, err := layer.ByWidth(formulas.Compressor{Kind: formulas.AutoEncoder, Size: f.Size, AllReduces: 2}, formulas.Widths())
		if err != nil {
			return p, err
		}
		p.Curves = append(p.Curves, plots.Curve{Name: fmt.Sprintf("%g GB/s", link), X: thousands(formulas.Widths()), Y: y})
	}
	return p, nil
}

// gathered is the bytes of a gather by the share of the payload.
func gathered() plots.CurvePanel {
	p := plots.CurvePanel{Title: "gathered", X: "share of the payload", Y: "bytes / those of an all-reduce", Level: 1}
	for _, ranks := range []int{2, 4, 8} {
		x := []float64{0, 0.25, 0.5, 0.75, 1}
		y := make([]float64, len(x))
		for i := range x {
			y[i] = formulas.Gathered(x[i], ranks)
		}
		p.Curves = append(p.Curves, plots.Curve{Name: fmt.Sprintf("%d ranks", ranks), X: x, Y: y})
	}
	return p
}

// stages is the speed-up of a stage whose payload is sent with 4 bits of 16.
func (f *compressionFlags) stages(layer formulas.Layer) (plots.CurvePanel, error) {
	p := plots.CurvePanel{Title: "stages, 4 bits of 16", X: "width of the layer (thousands)", Y: "times as fast", Logarithmic: true, Level: 1}
	for _, nodes := range []int{2, 4, 8} {
		var y []float64
		for _, h := range formulas.Widths() {
			s := formulas.CompressionStage{Layer: layer, Layers: f.Layers / nodes, BytesPerS: gb * f.NodeLink}
			s.Layer.Hidden = h
			gain, err := s.Speedup(formulas.Compressor{Kind: formulas.Quantise, Size: 4})
			if err != nil {
				return p, err
			}
			y = append(y, gain)
		}
		p.Curves = append(p.Curves, plots.Curve{Name: fmt.Sprintf("%d nodes, %g GB/s", nodes, f.NodeLink), X: thousands(formulas.Widths()), Y: y})
	}
	return p, nil
}

func thousands(list []int) []float64 {
	out := make([]float64, len(list))
	for i, n := range list {
		out[i] = float64(n) / 1000
	}
	return out
}
