package reproduce

import (
	"strings"

	"github.com/marigram/marigram/papers"
)

// reproduced is the JSON form of what was reproduced.
type reproduced struct {
	Total   papers.Tally         `json:"total"`
	Origins []papers.OriginTally `json:"origins"`
	Figures []reproducedFigure   `json:"figures"`
	Claims  []papers.Outcome     `json:"claims"`
}

// reproducedFigure is a figure with what it is computed from.
type reproducedFigure struct {
	Name      string  `json:"name"`
	About     string  `json:"about"`
	Spec      string  `json:"spec"` // file in the sources
	Procedure string  `json:"procedure"`
	Inputs    any     `json:"inputs"`
	Seconds   float64 `json:"seconds"`

	References []papers.Reference `json:"references,omitempty"`
}

func newReproduced(list []papers.Outcome) (*reproduced, error) {
	specs, err := figureSpecs(list)
	if err != nil {
		return nil, err
	}
	all := &reproduced{Claims: list}
	all.Total, all.Origins = papers.Count(list)
	seconds := map[string]float64{}
	for _, o := range list {
		seconds[o.Claim.Figure()] = o.Seconds
	}
	for _, s := range specs {
		figure := reproducedFigure{
			Name:       s.Name,
			About:      strings.TrimSpace(s.About),
			Spec:       s.File(),
			Procedure:  s.Procedure,
			Seconds:    seconds[s.Name],
			References: papers.ReferencesOf(s.Name),
		}
		if err := s.Inputs(&figure.Inputs); err != nil {
			return nil, err
		}
		all.Figures = append(all.Figures, figure)
	}
	return all, nil
}

// figureSpecs returns the specs of the figures of outcomes, in their order.
func figureSpecs(list []papers.Outcome) (specs []*papers.Spec, err error) {
	var of []papers.Claim
	for _, o := range list {
		of = append(of, o.Claim)
	}
	for _, name := range papers.Figures(of) {
		spec, err := papers.OpenSpec(name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
