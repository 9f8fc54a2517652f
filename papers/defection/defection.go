package defection

import (
	"embed"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
)

// sharedRound is a round of a case, as it was computed elsewhere.
type sharedRound struct {
	Case        int     `col:"case"`
	Population  string  `col:"population"`
	MaxWait     float64 `col:"max_wait"`
	Utilisation float64 `col:"utilisation"`
	OnDemandUSD float64 `col:"on_demand_usd"`
	Round       int     `col:"round"`
	Users       int     `col:"users"`
	Load        float64 `col:"load"`
	Servers     int     `col:"servers"`
	WaitH       float64 `col:"wait_h"`
	UsedUSD     float64 `col:"used_usd"`
}

// rounds counts the rounds that are as they were computed elsewhere.
func rounds(f *papers.Figure) error {
	equal := 0
	var rounds []Round
	for _, r := range facts.ReadFrom[sharedRound](files, "rounds") {
		if r.Round == 0 {
			c := SharedCluster{Servers: r.Servers, MaxWait: r.MaxWait, ReservedUSD: 1, OnDemandUSD: r.OnDemandUSD}
			if !math.IsNaN(r.Utilisation) {
				c.Utilisation = r.Utilisation
			}
			users, err := Population(r.Population)
			if err != nil {
				return err
			}
			rounds = c.Rounds(users)
		}
		if r.Round < len(rounds) && r.equals(&rounds[r.Round]) {
			equal++
		}
	}
	f.Report("rows", float64(equal))
	return nil
}

func (r *sharedRound) equals(x *Round) bool {
	if len(x.Users) != r.Users || x.Servers != r.Servers || math.IsInf(x.UsedUSD, 1) != math.IsNaN(r.UsedUSD) {
		return false
	}
	return papers.Deviation(x.Load, r.Load) <= 1e-6 && papers.Deviation(x.WaitH, r.WaitH) <= 1e-6 &&
		(r.Users == 0 || papers.Deviation(x.UsedUSD, r.UsedUSD) <= 1e-6)
}

//go:embed *.csv *.yaml
var files embed.FS
