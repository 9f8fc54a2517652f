//go:build !js

package canvas

import (
	"bytes"
	"image/png"
	"math"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

func init() { Forms[".png"] = (*Figure).PNG }

// dpi is the resolution of PNG files; papers print raster figures at 200 to 300.
const dpi = 200

// PNG draws the figure as a PNG image of 200 dots an inch on white.
func (f *Figure) PNG() ([]byte, error) {
	// More dots an inch of what is drawn: scaled letters would be blurred.
	image := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(int(math.Round(dpi*f.zoom()))))
	f.Draw(draw.New(image))
	var out bytes.Buffer
	fast := png.Encoder{CompressionLevel: png.BestSpeed} // two thirds of the time, and 3 % more bytes
	err := fast.Encode(&out, image.Image())
	return out.Bytes(), err
}
