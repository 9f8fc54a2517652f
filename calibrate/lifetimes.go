package calibrate

import (
	"cmp"
	"fmt"
	"slices"
)

// capHours is the age at which Google ended preemptible machines.
const capHours = 24

// Lives is the empirical law of lifetimes of one kind of GPU in one region, by
// the hour: within its hour a revocation is as likely at any time, and who is
// not revoked ends at 24 h. It is a traces.Lifetime.
type Lives struct {
	GPU, Region string
	Servers     int
	Revoked     [capHours]int // by hour of age
}

// PublishedLives returns those of CM-DARE (ICDCS 2020), by GPU, then region.
func PublishedLives() []Lives {
	type fact struct {
		GPU     string `col:"gpu"`
		Region  string `col:"region"`
		Servers int    `col:"servers"`
		Hour    int    `col:"hour"`
		Revoked int    `col:"revoked"`
	}
	var out []Lives
	for _, r := range Facts[fact]("cmdare_lifetimes") {
		i := slices.IndexFunc(out, func(l Lives) bool { return l.GPU == r.GPU && l.Region == r.Region })
		if i < 0 {
			i = len(out)
			out = append(out, Lives{GPU: r.GPU, Region: r.Region, Servers: r.Servers})
		}
		out[i].Revoked[r.Hour-1] = r.Revoked
	}
	slices.SortFunc(out, func(a, b Lives) int { return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Region, b.Region)) })
	return out
}

// Quantile returns the age in hours that a share u, in [0, 1), of the servers
// does not outlive.
func (l *Lives) Quantile(u float64) float64 {
	left := u * float64(l.Servers)
	for hour, n := range l.Revoked {
		if left < float64(n) {
			return float64(hour) + left/float64(n)
		}
		left -= float64(n)
	}
	return capHours
}

func (l *Lives) String() string { return fmt.Sprintf("hourly(%s,%s)", l.GPU, l.Region) }
