package queueing

// User is one user of a shared cluster.
type User struct {
	Hours    float64 // of machines used
	MeanWait float64 // of a job, in the unit of MeanRun
	MeanRun  float64
}

// Defection says who leaves a shared cluster whose costs its users share: a
// reading of the rule in Mehboob et al., "Is Sharing Caring?" (ICPE 2023), whose
// abstract alone was at hand.
type Defection struct {
	FixedCost     float64 // of the cluster, whoever stays
	OnDemandPrice float64 // of a machine-hour elsewhere
	MostWaits     float64 // a user leaves when the mean wait is more than so many mean run times: 15
}

// Settle returns who stays, by user, and the price of a machine-hour to them: the
// fixed cost over their hours. First those leave who wait too long; then all leave
// whom a price above that on demand would cost more, which is everybody or nobody.
// Waits are as given: a user who leaves shortens nobody's. With nobody left the
// price is 0.
func (d Defection) Settle(users []User) (stay []bool, price float64) {
	stay = make([]bool, len(users))
	hours := 0.0
	for i, u := range users {
		stay[i] = u.MeanWait <= d.MostWaits*u.MeanRun
		if stay[i] {
			hours += u.Hours
		}
	}
	if hours > 0 && d.FixedCost/hours <= d.OnDemandPrice {
		return stay, d.FixedCost / hours
	}
	clear(stay)
	return stay, 0
}
