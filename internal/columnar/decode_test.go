package columnar

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// hybridOf encodes numbers of a width as the runs and groups that cut says: the
// length of each part, packed where it is even.
func hybridOf(numbers []uint32, width uint, cut func(left int) int) []byte {
	var b []byte
	for len(numbers) > 0 {
		n := cut(len(numbers))
		if n%2 == 1 {
			n = 1
			for n < len(numbers) && numbers[n] == numbers[0] {
				n++
			}
			b = binary.AppendUvarint(b, uint64(n)<<1)
			b = append(b, binary.LittleEndian.AppendUint32(nil, numbers[0])[:(width+7)/8]...)
		} else {
			groups := (n + 7) / 8
			n = min(8*groups, len(numbers))
			b = binary.AppendUvarint(b, uint64(groups)<<1|1)
			b = append(b, packedOf(numbers[:n], width, groups)...)
		}
		numbers = numbers[n:]
	}
	return b
}

// packedOf writes the numbers bit by bit, lowest first.
func packedOf(numbers []uint32, width uint, groups int) []byte {
	b := make([]byte, groups*int(width))
	for i, v := range numbers {
		for k := range width {
			at := uint(i)*width + k
			b[at/8] |= byte(v>>k&1) << (at % 8)
		}
	}
	return b
}

func TestHybrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := uint(rapid.IntRange(0, 32).Draw(t, "width"))
		largest := uint32(1<<width - 1)
		few := rapid.SampledFrom([]uint32{0, largest / 2, largest})
		numbers := rapid.SliceOfN(rapid.OneOf(few, rapid.Uint32Range(0, largest)), 0, 200).Draw(t, "numbers")
		b := hybridOf(numbers, width, func(left int) int { return rapid.IntRange(1, left).Draw(t, "part") })
		got := make([]uint32, len(numbers))
		hybrid(got, b, width)
		if !slices.Equal(got, numbers) {
			t.Errorf("%v, expected %v", got, numbers)
		}
	})
}
