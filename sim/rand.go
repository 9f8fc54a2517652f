package sim

import (
	"hash/fnv"
	"math"
)

// Rand is a counter-based generator of random numbers: every number is a pure
// function of the seed, its purpose, an entity and an ordinal. So two policies under
// one seed get the same numbers (common random numbers), and drawing one number never
// shifts another. A test freezes the sequences: to change them changes every result.
type Rand struct{ Seed uint64 }

// Purpose names what a random number decides.
type Purpose uint32

// The purposes of this package and of sim/steps. Generators and policies choose
// theirs from PurposeUser upward.
const (
	PurposeBoot       Purpose = iota // how long an instance takes to start
	PurposeNotice                    // whether a revocation is announced
	PurposeVictim                    // which instance is revoked when capacity falls
	PurposeStep                      // how long a mini-batch takes (package steps)
	PurposePolicy                    // what a policy draws (View.Random)
	PurposeWait                      // how long a queue is (Pool.WaitSigma)
	PurposeFailure                   // when machines fail, and which
	PurposeBadMachine                // which machines are bad, and when they fail in addition
	PurposeRepair                    // how long a repair takes, and whether it works
	PurposeSlow                      // which machines become slow, when, and how slow
	PurposeUser       Purpose = 1 << 16
)

// Stream is the sequence of random numbers of one purpose and one entity. Its methods
// take the ordinal.
type Stream struct{ stem uint64 }

// Stream returns the stream of a purpose and an entity.
func (d Rand) Stream(p Purpose, entity uint64) Stream {
	h := mix(d.Seed + 0x9e3779b97f4a7c15)
	h = mix(h ^ (uint64(p)+1)*0xd1342543de82ef95)
	return Stream{mix(h ^ (entity+1)*0xaf251af3b0f025b5)}
}

// NameEntity returns the entity that stands for a name, for instance that of a pool: its
// FNV-1a hash of 64 bits. Entities that are numbered would draw other numbers where
// another one comes before them.
func NameEntity(name string) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return hash.Sum64()
}

// Bits returns 64 uniformly distributed bits.
//
// Each input is folded in with the finaliser of splitmix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
func (d Stream) Bits(n uint64) uint64 { return mix(d.stem ^ (n+1)*0x9e3779b97f4a7c15) }

func mix(bits uint64) uint64 {
	bits = (bits ^ bits>>30) * 0xbf58476d1ce4e5b9
	bits = (bits ^ bits>>27) * 0x94d049bb133111eb
	return bits ^ bits>>31
}

// Uniform returns a number in [0, 1).
func (d Stream) Uniform(n uint64) float64 { return float64(d.Bits(n)>>11) * 0x1p-53 }

// Normal returns a standard normal number, by inversion: it takes one ordinal.
func (d Stream) Normal(n uint64) float64 {
	uniform := (float64(d.Bits(n)>>11) + 0.5) * 0x1p-53
	return math.Sqrt2 * math.Erfinv(2*uniform-1)
}

// Exponential returns an exponentially distributed number of mean 1.
func (d Stream) Exponential(n uint64) float64 { return -math.Log1p(-d.Uniform(n)) }

// Intn returns an integer in [0, m); m is at least 1. Its bias is below m/2^53.
func (d Stream) Intn(n uint64, m int) int { return int(d.Uniform(n) * float64(m)) }

// Bits is Stream.Bits of a purpose and an entity.
func (d Rand) Bits(p Purpose, entity, n uint64) uint64 { return d.Stream(p, entity).Bits(n) }

// Uniform is Stream.Uniform of a purpose and an entity.
func (d Rand) Uniform(p Purpose, entity, n uint64) float64 { return d.Stream(p, entity).Uniform(n) }

// Normal is Stream.Normal of a purpose and an entity.
func (d Rand) Normal(p Purpose, entity, n uint64) float64 { return d.Stream(p, entity).Normal(n) }

// Exponential is Stream.Exponential of a purpose and an entity.
func (d Rand) Exponential(p Purpose, entity, n uint64) float64 {
	return d.Stream(p, entity).Exponential(n)
}

// Intn is Stream.Intn of a purpose and an entity.
func (d Rand) Intn(p Purpose, entity, n uint64, m int) int { return d.Stream(p, entity).Intn(n, m) }
