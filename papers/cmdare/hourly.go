package cmdare

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
)

// capHours is the age at which Google ended preemptible machines.
const capHours = 24

// hourlyLifetimes is the empirical distribution of lifetimes of one kind of GPU in
// one region, by the hour: a revocation is equally likely at any time of its hour,
// and what is not revoked ends at 24 h.
type hourlyLifetimes struct {
	gpu, region string
	servers     int
	revoked     [capHours]int // by hour of age
}

// publishedLifetimes returns those of CM-DARE (ICDCS 2020), by GPU, then region.
func publishedLifetimes() []hourlyLifetimes {
	type fact struct {
		GPU     string `col:"gpu"`
		Region  string `col:"region"`
		Servers int    `col:"servers"`
		Hour    int    `col:"hour"`
		Revoked int    `col:"revoked"`
	}
	var out []hourlyLifetimes
	for _, r := range facts.ReadFrom[fact](files, "lifetimes") {
		i := slices.IndexFunc(out, func(l hourlyLifetimes) bool { return l.gpu == r.GPU && l.region == r.Region })
		if i < 0 {
			i = len(out)
			out = append(out, hourlyLifetimes{gpu: r.GPU, region: r.Region, servers: r.Servers})
		}
		out[i].revoked[r.Hour-1] = r.Revoked
	}
	slices.SortFunc(out, func(a, b hourlyLifetimes) int {
		return cmp.Or(cmp.Compare(a.gpu, b.gpu), cmp.Compare(a.region, b.region))
	})
	return out
}

// quantile returns the age in hours that a share u, in [0, 1), of the servers
// does not outlive.
func (l *hourlyLifetimes) quantile(u float64) float64 {
	left := u * float64(l.servers)
	for hour, n := range l.revoked {
		if left < float64(n) {
			return float64(hour) + left/float64(n)
		}
		left -= float64(n)
	}
	return capHours
}
