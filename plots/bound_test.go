package plots

import (
	"math"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func bounds() []Bound {
	none := math.NaN()
	return []Bound{
		{Title: "six hours", USD: 18.8, CanMeet: 1, OnSpot: 0.96, Of: []PolicyCost{{PolicyResult: PolicyResult{Policy: "ondemand", Met: 1}, Mean: 47,
			Low: none, High: none},
			{PolicyResult: PolicyResult{Policy: "spotdnn", Met: 0.67}, Mean: 26, Low: 22, High: 30}, {PolicyResult: PolicyResult{Policy: "clairvoyant",
				Oracle: true, Met: 1}, Mean: 19.2, Low: 18, High: 20.4}}},
		{Title: "out of reach", USD: 3, CanMeet: 0.4, OnSpot: 0.2, Of: []PolicyCost{{PolicyResult: PolicyResult{Policy: "reactive", Met: 0.1}, Mean: 2,
			Low: 1.5, High: 2.5}}},
	}
}

func boundFigure(t *testing.T) *canvas.Figure {
	f, err := CostBound("quickstart", "made of numbers", bounds())
	return must(t, f, err)
}

func TestBoundRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Bound){
		"share":    func(p *Bound) { p.Of[0].Met = 1.5 },
		"cost":     func(p *Bound) { p.Of[0].Mean = math.Inf(1) },
		"interval": func(p *Bound) { p.Of[0].Low, p.Of[0].High = 2, 1 },
		"bound":    func(p *Bound) { p.USD = -1 },
		"ceiling":  func(p *Bound) { p.OnSpot = math.NaN() },
	} {
		all := bounds()
		spoil(&all[0])
		if _, err := CostBound("", "", all); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
