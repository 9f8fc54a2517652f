package queueing

import (
	"math"
	"slices"
)

// User is one user of a shared cluster. A job takes one server.
type User struct {
	JobsPerH float64 // above 0
	RunH     float64 // mean run time of a job, h, above 0; exponential
}

// SharedCluster is a cluster that is paid by those who use it, in proportion. A
// user leaves for on-demand servers who waits too long, or would pay less there.
// That waits drive users away is from the abstract of Mehboob et al., "Is Sharing
// Caring?" (ICPE 2023); the rule in rounds is a reading of it: DEVIATIONS.md.
type SharedCluster struct {
	Servers     int     // reserved, in the first round
	Utilisation float64 // 0: Servers stay; else later rounds have as few as keep it at or below this, (0, 1)
	MaxWait     float64 // a user leaves whose mean wait is more than so many of his mean run times: 15
	ReservedUSD float64 // of a reserved server and hour, used or not
	OnDemandUSD float64 // of an on-demand server and hour
}

// Round is one step on the way to who stays.
type Round struct {
	Users   []User  // who are there
	Load    float64 // servers that they use on average
	Servers int     // reserved
	WaitH   float64 // mean wait of a job, h; +Inf if there is more work than servers
	UsedUSD float64 // of a used server and hour; +Inf without users
	Leaving int     // users who leave at the end
}

// Rounds returns the rounds until no user leaves: in each, all who wait too long or
// pay too much leave together, and none returns. The users of the last one stay.
func (c SharedCluster) Rounds(users []User) []Round {
	var out []Round
	for servers := c.Servers; ; {
		r := Round{Users: users, Load: load(users), Servers: servers}
		r.WaitH = sharedWait(users, servers)
		r.UsedUSD = math.Inf(1)
		if r.Load > 0 {
			r.UsedUSD = float64(servers) * c.ReservedUSD / r.Load
		}
		users = slices.DeleteFunc(slices.Clone(users), func(u User) bool {
			return r.WaitH > c.MaxWait*u.RunH || r.UsedUSD > c.OnDemandUSD
		})
		r.Leaving = len(r.Users) - len(users)
		if out = append(out, r); r.Leaving == 0 {
			return out
		}
		if c.Utilisation > 0 {
			servers = int(math.Ceil(load(users) / c.Utilisation))
		}
	}
}

// load returns the number of servers that users keep busy on average.
func load(users []User) float64 {
	sum := 0.0
	for _, u := range users {
		sum += float64(u.JobsPerH * u.RunH)
	}
	return sum
}

// sharedWait returns the mean wait of M/G/s, h, by Lee and Longton's approximation:
// that of M/M/s times (1 + v)/2, where v is the squared coefficient of variation of
// all run times. It is exact for users alike, and 20 to 30 % off where their run
// times differ by decades.
func sharedWait(users []User, servers int) float64 {
	if len(users) == 0 {
		return 0
	}
	jobs, squares := 0.0, 0.0
	for _, u := range users {
		jobs += u.JobsPerH
		squares += float64(u.JobsPerH * u.RunH * u.RunH)
	}
	mean := load(users) / jobs
	variation := 2*squares/(jobs*mean*mean) - 1
	return meanWait(jobs, 1/mean, servers) * (1 + variation) / 2
}
