package reproduce

import (
	"strings"

	"github.com/marigram/marigram/papers"
	_ "github.com/marigram/marigram/papers/all"
	"github.com/marigram/marigram/plots"
)

// overlays draws each figure's claims, ours over the published points.
func overlays(list []papers.Outcome) ([]plots.Named, error) {
	points := map[string][]plots.ClaimPoint{}
	var order []string
	for _, o := range list {
		figure := o.Claim.Figure()
		if points[figure] == nil {
			order = append(order, figure)
		}
		points[figure] = append(points[figure], plots.ClaimPoint{
			Item: strings.TrimPrefix(o.Name, figure+"/"), Series: o.Claim.Series, X: o.Claim.X, Unit: o.Unit,
			Published: o.Published, Simulated: o.Simulated,
		})
	}
	var out []plots.Named
	for _, figure := range order {
		s, err := papers.OpenSpec(figure)
		if err != nil {
			return nil, err
		}
		fig, err := plots.Overlay(figure, s.X, points[figure])
		if err != nil {
			return nil, err
		}
		out = append(out, plots.Named{Name: "claim-" + strings.ReplaceAll(figure, "/", "-"), Figure: fig})
	}
	return out, nil
}
