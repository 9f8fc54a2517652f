package ceiling

import (
	"flag"
	"math"
	"testing"

	"github.com/marigram/marigram/plots/plottest"
)

var update = flag.Bool("update", false, "write the golden image")

func panels() []Panel {
	none := math.NaN()
	return []Panel{
		{Title: "six hours", USD: 18.8, CanMeet: 1, OnSpot: 0.96, Of: []Policy{{Name: "ondemand", Met: 1, Mean: 47, Low: none, High: none},
			{Name: "spotdnn", Met: 0.67, Mean: 26, Low: 22, High: 30}, {Name: "clairvoyant", Oracle: true, Met: 1, Mean: 19.2, Low: 18, High: 20.4}}},
		{Title: "out of reach", USD: 3, CanMeet: 0.4, OnSpot: 0.2, Of: []Policy{{Name: "reactive", Met: 0.1, Mean: 2, Low: 1.5, High: 2.5}}},
	}
}

func TestGolden(t *testing.T) {
	f, err := Costs("quickstart", "made of numbers", panels())
	if err != nil {
		t.Fatal(err)
	}
	plottest.Golden(t, "ceiling", f, *update)
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for name, spoil := range map[string]func(*Panel){
		"share":    func(p *Panel) { p.Of[0].Met = 1.5 },
		"cost":     func(p *Panel) { p.Of[0].Mean = math.Inf(1) },
		"interval": func(p *Panel) { p.Of[0].Low, p.Of[0].High = 2, 1 },
		"bound":    func(p *Panel) { p.USD = -1 },
		"ceiling":  func(p *Panel) { p.OnSpot = math.NaN() },
	} {
		all := panels()
		spoil(&all[0])
		if _, err := Costs("", "", all); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
