package layout

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// End is one end of a link: GPUs of one type in one zone that send together.
type End struct {
	Zone, GPU string
	GPUs      int
}

// Curve is bandwidth against the size of a message: with x = log2(megabytes of 1e6), the bandwidth in GB/s of 1e9 is
// c[0]*x^2 + c[1]*x + c[2].
type Curve [3]float64

// Seconds returns how long a message of this number of bytes takes; 0 for none.
func (c Curve) Seconds(bytes float64) float64 {
	if bytes == 0 {
		return 0
	}
	if c[0] == 0 && c[1] == 0 {
		return bytes / 1e9 / c[2]
	}
	logMB := math.Log2(bytes / 1e6)
	return bytes / 1e9 / (c[0]*logMB*logMB + c[1]*logMB + c[2])
}

// BucketBytes is the largest part of the gradients that is reduced at once (DeepSpeed).
const BucketBytes = 5e8

// AllReduce returns how long a ring of n takes to add up this number of bytes, bucket by bucket, over its slowest
// link: each sends and receives 2(n-1) n-th parts.
func (c Curve) AllReduce(bytes float64, n int) float64 {
	if n <= 1 {
		return 0
	}
	whole := math.Floor(bytes / BucketBytes)
	parts := c.Seconds((bytes - whole*BucketBytes) / float64(n))
	if whole > 0 {
		parts += whole * c.Seconds(BucketBytes/float64(n))
	}
	return 2 * float64(n-1) * parts
}

// Links are measured bandwidths between zones and GPU types, and what traffic costs.
type Links struct {
	curves map[[2]End]Curve
	inside map[string]Curve      // between GPUs of a node, by GPU type; absent: as between nodes
	egress map[[2]string]float64 // USD/GB of 1e9 bytes, by zone
}

// NewLinks returns links of measured curves. egress is in USD per 1e9 bytes from zone to zone; nil: traffic is free.
func NewLinks(curves map[[2]End]Curve, egress map[[2]string]float64) *Links {
	return &Links{curves: curves, egress: egress}
}

// SetInside sets the bandwidth of each GPU of a type to others of its node. Without it, replicas of one node talk as
// those of two do.
func (l *Links) SetInside(gpu string, c Curve) {
	if l.inside == nil {
		l.inside = map[string]Curve{}
	}
	l.inside[gpu] = c
}

// within returns the bandwidth between GPUs of one node, where it is known and so many GPUs fit into one.
func (l *Links) within(at Place, gpus int) (Curve, bool) {
	if l == nil || gpus > at.Node {
		return Curve{}, false
	}
	curve, known := l.inside[at.GPU]
	return curve, known
}

// Curve returns the bandwidth from one end to another; the error names what is known.
func (l *Links) Curve(from, to End) (Curve, error) {
	if curve, known := l.curves[[2]End{from, to}]; known {
		return curve, nil
	}
	var ends []string
	for pair := range l.curves {
		if pair[0].Zone == from.Zone && pair[0].GPU == from.GPU {
			ends = append(ends, fmt.Sprintf("%d to %d %s in %s", pair[0].GPUs, pair[1].GPUs, pair[1].GPU, pair[1].Zone))
		}
	}
	slices.Sort(ends)
	if len(ends) == 0 {
		seen := map[string]bool{}
		for pair := range l.curves {
			seen[pair[0].GPU+" in "+pair[0].Zone] = true
		}
		ends = slices.Sorted(maps.Keys(seen))
		return Curve{}, fmt.Errorf("no link of %s in %s was measured, expected one of: %s",
			from.GPU, from.Zone, strings.Join(ends, ", "))
	}
	return Curve{}, fmt.Errorf("no link from %d %s in %s to %d %s in %s was measured; from there are: %s",
		from.GPUs, from.GPU, from.Zone, to.GPUs, to.GPU, to.Zone, strings.Join(ends[:min(len(ends), 12)], ", "))
}

// Egress returns what a GB of 1e9 bytes costs from zone to zone, USD. Where there are prices, a pair without one is
// an error.
func (l *Links) Egress(from, to string) (float64, error) {
	if l.egress == nil || from == to {
		return 0, nil
	}
	usd, known := l.egress[[2]string{from, to}]
	if !known {
		return 0, fmt.Errorf("no price of traffic from %s to %s", from, to)
	}
	return usd, nil
}

// Zones returns the zones that links are known of, sorted.
func (l *Links) Zones() []string {
	seen := map[string]bool{}
	for pair := range l.curves {
		seen[pair[0].Zone] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// between returns the curve of the link between two replicas: that of as many GPUs as send together, else of one each.
func (l *Links) between(from, to Place) (Curve, error) {
	if curve, known := l.known(from, to); known {
		return curve, nil
	}
	return l.Curve(End{from.Zone, from.GPU, 1}, End{to.Zone, to.GPU, 1})
}

// known is between, without an error that names what there is.
func (l *Links) known(from, to Place) (Curve, bool) {
	ends := [2]End{{from.Zone, from.GPU, min(from.TP, from.Node)}, {to.Zone, to.GPU, min(to.TP, to.Node)}}
	curve, known := l.curves[ends]
	if !known {
		ends[0].GPUs = 1
		ends[1].GPUs = 1
		curve, known = l.curves[ends]
	}
	return curve, known
}
