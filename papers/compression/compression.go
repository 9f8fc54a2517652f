package compression

import (
	"embed"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/papers"
)

// compressedLayer is a row of the table.
type compressedLayer struct {
	Kind       string  `col:"compressor"`
	Size       float64 `col:"width_or_share_or_bits"`
	AllReduces int     `col:"compressed_all_reduces"`
	Batch      int     `col:"batch"`
	Sequence   int     `col:"sequence"`
	Hidden     int     `col:"hidden"`
	Ranks      int     `col:"tensor_parallel"`
	FLOPs      float64 `col:"flops_per_s"`
	Latency    float64 `col:"latency_s"`
	Bandwidth  float64 `col:"bytes_per_s"`
	Recompute  int     `col:"recompute"`
	Compute    float64 `col:"compute_s"`
	Overhead   float64 `col:"overhead_s"`
	Exchange   float64 `col:"communication_s"`
	Speedup    float64 `col:"speedup"`
}

// bytesPerNumber is half precision.
const bytesPerNumber = 2

// layers counts the rows that are as they were computed elsewhere, and reports shapes.
func layers(f *papers.Figure) error {
	var in struct {
		Within     float64 `json:"within"`
		Batch      int     `json:"batch"`
		Sequence   int     `json:"sequence"`
		Ranks      int     `json:"ranks"`
		FLOPs      float64 `json:"flops_per_s"`
		Width      float64 `json:"code_width"`
		AllReduces int     `json:"all_reduces"`
		Shapes     []struct {
			Name      string  `json:"name"`
			Hidden    int     `json:"hidden"`
			Bandwidth float64 `json:"bytes_per_s"`
			Latency   float64 `json:"latency_s"`
		} `json:"shapes"`
		Gathered []struct {
			Name  string  `json:"name"`
			Bits  float64 `json:"bits"` // of 16
			Ranks int     `json:"ranks"`
		} `json:"gathered"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	equal := 0
	for _, r := range facts.ReadFrom[compressedLayer](files, "layers") {
		l := Layer{Batch: r.Batch, Sequence: r.Sequence, Hidden: r.Hidden, Ranks: r.Ranks, FLOPs: r.FLOPs,
			LatencyS: r.Latency, BytesPerS: r.Bandwidth, BytesPerNumber: bytesPerNumber, Recompute: r.Recompute == 1}
		t, err := l.Times(Compressor{Kind: CompressionKind(r.Kind), Size: r.Size, AllReduces: r.AllReduces})
		if err != nil {
			return err
		}
		if !off(in.Within, t.Compute, r.Compute) && !off(in.Within, t.Overhead, r.Overhead) && !off(in.Within, t.Compressed, r.Exchange) &&
			!off(in.Within, t.Speedup(), r.Speedup) {
			equal++
		}
	}
	f.Report("rows", float64(equal))
	for _, x := range in.Shapes {
		l := Layer{Batch: in.Batch, Sequence: in.Sequence, Hidden: x.Hidden, Ranks: in.Ranks, FLOPs: in.FLOPs, LatencyS: x.Latency,
			BytesPerS: x.Bandwidth, BytesPerNumber: bytesPerNumber}
		t, err := l.Times(Compressor{Kind: AutoEncoder, Size: in.Width, AllReduces: in.AllReduces})
		if err != nil {
			return err
		}
		f.Report(x.Name, t.Speedup())
	}
	for _, x := range in.Gathered {
		c := Compressor{Kind: Quantise, Size: x.Bits}
		f.Report(x.Name, gathered(c.payload(bytesPerNumber), x.Ranks))
	}
	return nil
}

// off reports whether x is farther than a share of want from it, or no number.
func off(share, x, want float64) bool { return !near.Is(x, want, share*math.Abs(want)) }

//go:embed *.csv *.yaml
var files embed.FS
