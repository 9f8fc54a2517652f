package defection

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/papers/internal/queue"
)

// User is one user of a shared cluster. A job takes one server.
type User struct {
	JobsPerH float64 // above 0
	RunH     float64 // mean run time of a job, h, above 0; exponential
}

// Tariff is how users share what the reserved servers cost.
type Tariff uint8

// The tariffs. Which two the paper compares is in no public text: these are ours.
const (
	ByUse  Tariff = iota // in proportion to use: a used hour costs all the same
	ByPeak               // in proportion to the servers that each needs at most (User.Peak)
)

// SharedCluster is a cluster that is paid by those who use it. A
// user leaves for on-demand servers who waits too long, or would pay less there.
// That waits drive users away is from the abstract of Mehboob et al., "Is Sharing
// Caring?" (ICPE 2023); the rule in rounds is a reading of it: DEVIATIONS.md.
type SharedCluster struct {
	Servers     int     // reserved, in the first round
	Utilisation float64 // 0: Servers stay; else later rounds have as few as keep it at or below this, (0, 1)
	MaxWait     float64 // a user leaves whose mean wait is more than n of his mean run times: 15
	ReservedUSD float64 // of a reserved server and hour, used or not
	OnDemandUSD float64 // of an on-demand server and hour
	Tariff      Tariff
	// Wait returns the mean wait of a job, h, for users of n servers; nil:
	// SharedWait. SharedSimulation.WaitH is another.
	Wait func(users []User, servers int) float64
}

// Round is one step on the way to who stays.
type Round struct {
	Users   []User  // who are there
	Load    float64 // servers that they use on average
	Servers int     // reserved
	WaitH   float64 // mean wait of a job, h; +Inf if there is more work than servers
	UsedUSD float64 // of a used server and hour, the mean; +Inf without users
	Leaving int     // users who leave at the end
	Left    float64 // servers that those use on average
}

// Bounds of a user.
const (
	maxJobsPerH = 1e6
	maxRunH     = 1e5
)

// Check says what is no cluster, or no users of one.
func (c *SharedCluster) Check(users []User) error {
	for i, u := range users {
		if !(u.JobsPerH > 0 && u.JobsPerH <= maxJobsPerH) || !(u.RunH > 0 && u.RunH <= maxRunH) {
			return fmt.Errorf("user %d: %v jobs an hour of %v h, expected more than 0, at most %v and %v", i, u.JobsPerH, u.RunH, maxJobsPerH, maxRunH)
		}
	}
	switch {
	case c.Servers < 1 || c.Servers > 1e6:
		return fmt.Errorf("%d servers, expected 1 to 1000000", c.Servers)
	case !(c.Utilisation >= 0 && c.Utilisation < 1):
		return fmt.Errorf("utilisation %v, expected 0 (servers stay) to less than 1", c.Utilisation)
	case !(c.MaxWait >= 0) || !(c.ReservedUSD >= 0) || !(c.OnDemandUSD >= 0):
		return fmt.Errorf("a wait of %v run times, %v and %v USD an hour, expected at least 0", c.MaxWait, c.ReservedUSD, c.OnDemandUSD)
	}
	return nil
}

// Rounds returns the rounds until no user leaves: in each, all who wait too long or
// pay too much leave together, and none returns. The users of the last one stay.
func (c SharedCluster) Rounds(users []User) []Round {
	wait := c.Wait
	if wait == nil {
		wait = SharedWait
	}
	var out []Round
	for servers := c.Servers; ; {
		r := Round{Users: users, Load: load(users), Servers: servers}
		if len(users) > 0 {
			r.WaitH = wait(users, servers)
		}
		r.UsedUSD = math.Inf(1)
		if r.Load > 0 {
			r.UsedUSD = float64(servers) * c.ReservedUSD / r.Load
		}
		users = c.staying(&r)
		r.Leaving, r.Left = len(r.Users)-len(users), r.Load-load(users)
		if out = append(out, r); r.Leaving == 0 {
			return out
		}
		if c.Utilisation > 0 {
			servers = int(math.Ceil(load(users) / c.Utilisation))
		}
	}
}

// staying returns the users who stay after a round.
func (c *SharedCluster) staying(r *Round) []User {
	usd := func(User) float64 { return r.UsedUSD }
	if c.Tariff == ByPeak {
		peaks := 0
		for _, u := range r.Users {
			peaks += u.Peak()
		}
		each := float64(r.Servers) * c.ReservedUSD / float64(peaks)
		usd = func(u User) float64 { return each * float64(u.Peak()) / (u.JobsPerH * u.RunH) }
	}
	return slices.DeleteFunc(slices.Clone(r.Users), func(u User) bool {
		return r.WaitH > c.MaxWait*u.RunH || usd(u) > c.OnDemandUSD
	})
}

// Peak returns how many servers suffice for a user 99 % of the time if none of his jobs
// waits: of a Poisson distribution, by its mean. For loads above 1000 by the normal one.
func (u User) Peak() int {
	const enough, quantile = 0.99, 2.3263478740408408
	mean := u.JobsPerH * u.RunH
	if mean > 1000 {
		return int(math.Ceil(mean + quantile*math.Sqrt(mean)))
	}
	n, p := 0, math.Exp(-mean)
	for sum := p; sum < enough; sum += p {
		n++
		p *= mean / float64(n)
	}
	return max(n, 1)
}

// load returns the number of servers that users keep busy on average.
func load(users []User) float64 {
	sum := 0.0
	for _, u := range users {
		sum += float64(u.JobsPerH * u.RunH)
	}
	return sum
}

// SharedWait returns the mean wait of a job, h, of users who share servers: M/G/s, by Lee and Longton's approximation:
// that of M/M/s times (1 + v)/2, where v is the squared coefficient of variation of
// all run times. It is exact for users alike, and 20 to 30 % off where their run
// times differ by decades. +Inf if there is as much work as servers, or more.
func SharedWait(users []User, servers int) float64 {
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
	return queue.MeanWait(jobs, 1/mean, servers) * (1 + variation) / 2
}
