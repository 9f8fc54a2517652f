package plots_test

import (
	"bytes"
	"fmt"

	"github.com/marigram/marigram/plots"
)

// Ours over the published points of a figure, drawn twice: the same bytes.
func ExampleOverlay() {
	ours := []float64{2378, 3540}
	draw := func() []byte {
		figure, err := plots.Overlay("Fig. 6(a)", "training loss", []plots.ClaimPoint{
			{Item: "a", X: "2.4", Unit: "iterations", Published: 2377, Simulated: &ours[0]},
			{Item: "b", X: "1.9", Unit: "iterations", Published: 3540, Simulated: &ours[1]},
		})
		if err != nil {
			panic(err)
		}
		svg, err := figure.SVG()
		if err != nil {
			panic(err)
		}
		return svg
	}
	svg := draw()
	fmt.Println(bytes.Contains(svg, []byte("training loss")), bytes.Equal(svg, draw()))
	// Output:
	// true true
}
