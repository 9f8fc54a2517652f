package adrs

import "math"

// Summary is what a program's runs of a set come to. Scores are 0 (all on demand) to 100 (all on spot, no losses).
type Summary struct {
	Score     float64 `json:"score"`    // as scored there
	MeanUSD   float64 `json:"mean_usd"` // as billed there
	Tight     float64 `json:"tight"`    // the score of 52 h; in many zones of the two scenarios of two zones
	Loose     float64 `json:"loose"`    // the score of 70 h; in many zones of the two scenarios of 5 and 9
	Late      int     `json:"late_runs"`
	LateMaxS  float64 `json:"late_max_s"`
	Billed    float64 `json:"score_billed"` // each tick at the price of its zone
	BilledUSD float64 `json:"mean_billed_usd"`
	// Honest is as billed, but each move of what runs also pays a restart on demand, and a late run twice the job on demand.
	Honest   float64 `json:"score_honest"`
	Forced   int     `json:"forced"`
	Blocked  int     `json:"blocked"`
	Launches int     `json:"launches"`
	Moves    int     `json:"moves"`
}

// lateTimes is how often a late run also pays for the whole job on demand: as the sets of studies (Set.Late of judge).
const lateTimes = 2

// summary sums outcomes up; class says that the leaderboard's bill is theirs.
func (c *contest) summary(cases []Case, outcomes []Outcome, class bool) (s Summary) {
	theirs := func(i int) float64 { return outcomes[i].LEVIUSD }
	if class {
		theirs = func(i int) float64 { return outcomes[i].LeaderboardUSD }
	}
	billed := func(i int) float64 { return outcomes[i].RanUSD }
	honest := func(i int) float64 {
		if outcomes[i].LateS == 0 {
			return outcomes[i].BilledUSD
		}
		return outcomes[i].BilledUSD + lateTimes*onDemandUSD*workS/3600
	}
	s.MeanUSD = c.mean(cases, theirs, anyCase)
	s.Score = score(s.MeanUSD)
	s.Tight = score(c.mean(cases, theirs, tight))
	s.Loose = score(c.mean(cases, theirs, loose))
	s.BilledUSD = c.mean(cases, billed, anyCase)
	s.Billed = score(s.BilledUSD)
	s.Honest = score(c.mean(cases, honest, anyCase))
	for _, out := range outcomes {
		if out.LateS > 0 {
			s.Late++
			s.LateMaxS = max(s.LateMaxS, out.LateS)
		}
		s.Forced += out.Forced
		s.Blocked += out.Blocked
		s.Launches += out.Launches
		s.Moves += out.Moves
	}
	return s
}

// score is that of a mean cost: score_fn of LEVI's problem.py, unrounded.
func score(meanUSD float64) float64 {
	hours := float64(workS) / 3600
	dearest := float64(hours * onDemandUSD)
	least := float64(hours * spotUSD)
	return max(0, min(1, (dearest-meanUSD)/(dearest-least))) * 100
}

func anyCase(*Case) bool { return true }

func tight(c *Case) bool {
	if len(c.Zones) > 1 {
		return len(c.Zones) == 2
	}
	return c.DeadlineS == deadlinesS[0]
}

func loose(c *Case) bool {
	if len(c.Zones) > 1 {
		return len(c.Zones) >= 5
	}
	return c.DeadlineS == deadlinesS[1]
}

// mean is that of the cases of one zone, and of the means of the scenarios of many.
func (c *contest) mean(cases []Case, usd func(int) float64, is func(*Case) bool) float64 {
	var sums []float64
	var runs []int
	group := ""
	for i := range cases {
		if !is(&cases[i]) {
			continue
		}
		if sums == nil || c.name == "adrs-zones" && cases[i].Group != group {
			sums = append(sums, 0)
			runs = append(runs, 0)
		}
		group = cases[i].Group
		sums[len(sums)-1] += usd(i)
		runs[len(runs)-1]++
	}
	total := 0.0
	for k, sum := range sums {
		total += sum / float64(runs[k])
	}
	if len(sums) == 0 {
		return math.NaN()
	}
	return total / float64(len(sums))
}
