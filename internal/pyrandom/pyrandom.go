// Package pyrandom draws what Python's random.Random draws, number for number, so that
// workloads and schedules of simulators in Python can be repeated.
package pyrandom

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// Rand is a generator of CPython 3: the Mersenne twister MT19937, seeded by the words of the
// seed, and Python's ways to make numbers of its words (Lib/random.py, Modules/_randommodule.c).
type Rand struct{ words *prng.MT19937 }

// New returns the generator random.Random(seed).
func New(seed int64) *Rand {
	made := &Rand{prng.NewMT19937()}
	made.Seed(seed)
	return made
}

// Seed begins anew, as random.Random(seed) does; Python drops the sign of a seed.
func (r *Rand) Seed(seed int64) {
	positive := uint64(seed)
	if seed < 0 {
		positive = -positive
	}
	keys := []uint32{uint32(positive)}
	if positive>>32 > 0 {
		keys = append(keys, uint32(positive>>32))
	}
	r.words.SeedFromKeys(keys)
}

// Clone returns a generator that goes on as r does.
func (r *Rand) Clone() *Rand {
	words := *r.words
	return &Rand{&words}
}

// Random returns a number in [0, 1), of 53 bits.
func (r *Rand) Random() float64 {
	high := r.words.Uint32() >> 5
	low := r.words.Uint32() >> 6
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}

// Uniform is uniform(a, b).
func (r *Rand) Uniform(a, b float64) float64 { return a + float64((b-a)*r.Random()) }

// Exponential is -ln(1 - random()) times a mean.
func (r *Rand) Exponential(mean float64) float64 { return -math.Log(1-r.Random()) * mean }

// Bits is getrandbits(k), for k from 1 to 32.
func (r *Rand) Bits(k int) uint32 { return r.words.Uint32() >> (32 - k) }

// Below is randrange(n), and the index that choice takes of n: from 0 to n-1. n is from 1 to
// 2^31.
func (r *Rand) Below(n int) int {
	if n < 1 || n > 1<<31 {
		panic("pyrandom: Below: expected a number from 1 to 2^31")
	}
	k := bits.Len(uint(n))
	for {
		if drawn := int(r.Bits(k)); drawn < n {
			return drawn
		}
	}
}

// Shuffle is shuffle of a list of n, whose elements swap exchanges.
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, r.Below(i+1))
	}
}

// Sample is sample(range(n), k): k different numbers from 0 to n-1, in the order drawn. k is at
// most n.
func (r *Rand) Sample(n, k int) []int {
	out := make([]int, k)
	if n <= longList(k) {
		pool := make([]int, n)
		for i := range pool {
			pool[i] = i
		}
		for i := range out {
			j := r.Below(n - i)
			out[i] = pool[j]
			pool[j] = pool[n-i-1]
		}
		return out
	}
	taken := make(map[int]bool, k)
	for i := range out {
		j := r.Below(n)
		for taken[j] {
			j = r.Below(n)
		}
		taken[j] = true
		out[i] = j
	}
	return out
}

// longList is the length of a list from which on Python remembers what it has drawn
// instead of copying the list.
func longList(k int) int {
	length := 21
	if k > 5 {
		length += int(math.Pow(4, math.Ceil(math.Log(float64(k*3))/math.Log(4))))
	}
	return length
}
