package plot

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/compression"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/plots/curves"
	"github.com/spf13/cobra"
)

// compressionFlags are the layer whose formulas are drawn.
type compressionFlags struct {
	layer        compression.Layer
	tflops, size float64
	links        []float64
	nodeLink     float64
	layers       int
}

func compressionCommand() *cobra.Command {
	var f compressionFlags
	cmd := figureCommand(&cobra.Command{
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
	}, func([]string) (*canvas.Figure, error) { return f.draw() })
	cmd.Args = cobra.NoArgs
	flags := cmd.Flags()
	flags.IntVar(&f.layer.Batch, "batch", 32, "samples")
	flags.IntVar(&f.layer.Sequence, "sequence", 128, "tokens of a sample")
	flags.IntVar(&f.layer.Ranks, "ranks", 4, "tensor-parallel ranks")
	flags.Float64Var(&f.tflops, "tflop-per-s", 60, "speed of a rank, 1e12 operations per second")
	flags.Float64Var(&f.size, "code-width", 100, "width of the auto-encoder's code")
	flags.Float64SliceVar(&f.links, "links", []float64{12, 150}, "links between ranks, `GB/s`; the last one is that within a node")
	flags.Float64Var(&f.nodeLink, "node-link", 1.25, "link between nodes, `GB/s`")
	flags.IntVar(&f.layers, "layers", 24, "layers of the network, over 2, 4 and 8 nodes")
	return cmd
}

const gb = 1e9

func (f *compressionFlags) draw() (*canvas.Figure, error) {
	if len(f.links) == 0 || len(f.links) > curves.Most || f.layers < 8 || f.layers > 1e4 || !(f.nodeLink > 0 && f.nodeLink <= 1e6) {
		return nil, fmt.Errorf("%d links, %d layers, %v GB/s between nodes, expected 1 to %d links, 8 to 10000 layers, and more than 0 GB/s",
			len(f.links), f.layers, f.nodeLink, curves.Most)
	}
	f.layer.FLOPs, f.layer.LatencyS, f.layer.BytesPerNumber = 1e12*f.tflops, 1e-5, 2
	width, err := f.byWidth()
	if err != nil {
		return nil, err
	}
	stages, err := f.stages()
	if err != nil {
		return nil, err
	}
	return curves.Draw("What compressing the exchange between ranks gains: formulas, no measurements",
		fmt.Sprintf("a transformer layer, %d samples of %d tokens, %d ranks of %g TFLOP/s, 2 bytes a number, latency 10 us; accuracy is not modelled",
			f.layer.Batch, f.layer.Sequence, f.layer.Ranks, f.tflops), []curves.Panel{width, f.gathered(), stages})
}

// byWidth is the speed-up of an auto-encoder in the forward pass by the width of the layer.
func (f *compressionFlags) byWidth() (curves.Panel, error) {
	p := curves.Panel{Title: "auto-encoder", X: "width of the layer (thousands)", Y: "times as fast", Logarithmic: true, Level: 1}
	for _, link := range f.links {
		f.layer.BytesPerS = gb * link
		y, err := f.layer.ByWidth(compression.Compressor{Kind: compression.AutoEncoder, Size: f.size, AllReduces: 2}, compression.Widths())
		if err != nil {
			return p, err
		}
		p.Curves = append(p.Curves, curves.Curve{Name: fmt.Sprintf("%g GB/s", link), X: thousands(compression.Widths()), Y: y})
	}
	return p, nil
}

// gathered is the bytes of a gather by the share of the payload.
func (f *compressionFlags) gathered() curves.Panel {
	p := curves.Panel{Title: "gathered", X: "share of the payload", Y: "bytes / those of an all-reduce", Level: 1}
	for _, ranks := range []int{2, 4, 8} {
		x := []float64{0, 0.25, 0.5, 0.75, 1}
		y := make([]float64, len(x))
		for i := range x {
			y[i] = compression.Gathered(x[i], ranks)
		}
		p.Curves = append(p.Curves, curves.Curve{Name: fmt.Sprintf("%d ranks", ranks), X: x, Y: y})
	}
	return p
}

// stages is the speed-up of a stage whose payload is sent with 4 bits of 16.
func (f *compressionFlags) stages() (curves.Panel, error) {
	p := curves.Panel{Title: "stages, 4 bits of 16", X: "width of the layer (thousands)", Y: "times as fast", Logarithmic: true, Level: 1}
	for _, nodes := range []int{2, 4, 8} {
		var y []float64
		for _, h := range compression.Widths() {
			s := compression.Stage{Layer: f.layer, Layers: f.layers / nodes, BytesPerS: gb * f.nodeLink}
			s.Layer.Hidden = h
			gain, err := s.Speedup(compression.Compressor{Kind: compression.Quantise, Size: 4})
			if err != nil {
				return p, err
			}
			y = append(y, gain)
		}
		p.Curves = append(p.Curves, curves.Curve{Name: fmt.Sprintf("%d nodes, %g GB/s", nodes, f.nodeLink), X: thousands(compression.Widths()), Y: y})
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
