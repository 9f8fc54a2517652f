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
	r := &reproduced{Claims: list}
	r.Total, r.Origins = papers.Count(list)
	seconds := map[string]float64{}
	for _, o := range list {
		seconds[o.Claim.Figure()] = o.Seconds
	}
	for _, s := range specs {
		f := reproducedFigure{Name: s.Name, About: strings.TrimSpace(s.About), Spec: s.File(), Procedure: s.Procedure,
			Seconds: seconds[s.Name], References: papers.ReferencesOf(s.Name)}
		if err := s.Inputs(&f.Inputs); err != nil {
			return nil, err
		}
		r.Figures = append(r.Figures, f)
	}
	return r, nil
}

// figureSpecs returns the specs of the figures of outcomes, in their order.
func figureSpecs(list []papers.Outcome) (specs []*papers.Spec, err error) {
	var of []papers.Claim
	for _, o := range list {
		of = append(of, o.Claim)
	}
	for _, name := range papers.Figures(of) {
		s, err := papers.OpenSpec(name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	return specs, nil
}
