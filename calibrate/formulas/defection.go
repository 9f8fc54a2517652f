package formulas

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/sim"
	"gonum.org/v1/gonum/stat"
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
	return MeanWait(jobs, 1/mean, servers) * (1 + variation) / 2
}

// Populations are the names of made-up populations of users: alike, of two kinds, and with
// run times spread over decades (log-normal; "wide" with a sigma of 2.5).
func Populations() []string { return []string{"same20", "two", "spread", "wide"} }

// Population returns made-up users by name. An unknown name is an error.
func Population(name string) ([]User, error) {
	if !slices.Contains(Populations(), name) {
		return nil, fmt.Errorf("no population %q, expected one of %v", name, Populations())
	}
	type row struct {
		Population string  `col:"population"`
		JobsPerH   float64 `col:"jobs_per_h"`
		RunH       float64 `col:"mean_run_h"`
	}
	var out []User
	for _, r := range facts.Read[row]("defection_users") {
		if r.Population == name {
			out = append(out, User{r.JobsPerH, r.RunH})
		}
	}
	return out, nil
}

// OpenUsers reads a file of users; see ReadUsers.
func OpenUsers(path string) ([]User, error) { return csvtext.Open(path, ReadUsers) }

// ReadUsers reads a CSV table with the columns jobs_per_h and mean_run_h, a row a user. name
// is for its errors, which give line, column, value and what was expected.
func ReadUsers(name string, r io.Reader) ([]User, error) {
	t, err := csvtext.Read(name, r, "jobs_per_h", "mean_run_h")
	if err != nil {
		return nil, err
	}
	out := make([]User, len(t.Rows))
	for i := range out {
		for _, c := range []struct {
			name string
			max  float64
			into *float64
		}{{"jobs_per_h", maxJobsPerH, &out[i].JobsPerH}, {"mean_run_h", maxRunH, &out[i].RunH}} {
			if *c.into, err = t.Number(i, c.name, 1e-9, c.max); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// The draws of a job of a shared cluster.
const (
	purposeSharedArrival = sim.PurposeUser + 210 + iota
	purposeUser
	purposeSharedService
)

// SharedSimulation simulates a shared cluster job by job, first come first served: what the
// closed form of its wait leaves out.
type SharedSimulation struct {
	Warmup, Jobs int // jobs that are not counted, and those that are
	Seed         uint64

	free sim.Timers
}

// WaitH returns the mean wait of a job, h: the same for all users, since all see the same
// queue. It is +Inf if there is as much work as servers, or more: the queue would grow with
// the number of jobs. Run times are whole microseconds.
func (r *SharedSimulation) WaitH(users []User, servers int) float64 {
	if len(users) == 0 {
		return 0
	}
	if load(users) >= float64(servers) {
		return math.Inf(1)
	}
	r.free.Reset(servers, sim.Time(1)<<53)
	for s := range servers {
		r.free.Set(s, 0)
	}
	until := make([]float64, len(users)) // jobs per hour of the users so far
	jobs := 0.0
	for i, u := range users {
		jobs += u.JobsPerH
		until[i] = jobs
	}
	dice, now, wait := sim.Rand{Seed: r.Seed}, sim.Time(0), 0.0
	for job := range uint64(r.Warmup + r.Jobs) {
		now = now.After(3600 * dice.Exponential(purposeSharedArrival, 0, job) / jobs)
		pick := dice.Uniform(purposeUser, 0, job) * jobs
		u := min(sort.Search(len(until), func(i int) bool { return until[i] > pick }), len(users)-1)
		at, machine := r.free.First()
		r.free.Set(machine, max(at, now).After(3600*users[u].RunH*dice.Exponential(purposeSharedService, 0, job)))
		if job >= uint64(r.Warmup) {
			wait += max(at-now, 0).Seconds()
		}
	}
	return wait / 3600 / float64(r.Jobs)
}

// Mean returns the mean wait of n runs with seeds from r.Seed on, h, and its standard
// error, which is not a number for one run.
func (r *SharedSimulation) Mean(users []User, servers, runs int) (waitH, stderr float64) {
	one := *r
	var waits []float64
	for i := range runs {
		one.Seed = r.Seed + uint64(i)
		waits = append(waits, one.WaitH(users, servers))
	}
	mean, deviation := stat.MeanStdDev(waits, nil)
	return mean, stat.StdErr(deviation, float64(runs))
}
