package columnar

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// deltasOf encodes numbers as differences in blocks of n miniblocks of size.
func deltasOf(numbers []int64, minis, size int) []byte {
	b := binary.AppendUvarint(nil, uint64(minis*size))
	b = binary.AppendUvarint(b, uint64(minis))
	b = binary.AppendUvarint(b, uint64(len(numbers)))
	b = binary.AppendVarint(b, numbers[0])
	more := make([]uint64, len(numbers)-1)
	for i := range more {
		more[i] = uint64(numbers[i+1] - numbers[i])
	}
	for block := range slices.Chunk(more, minis*size) {
		b = binary.AppendVarint(b, int64(block[0])) // any will do: the rest wraps around
		var widths, packed []byte
		for mini := range slices.Chunk(block, size) {
			width, all := 0, make([]uint64, size)
			for i, v := range mini {
				all[i] = v - block[0]
				width = max(width, bits.Len64(all[i]))
			}
			widths = append(widths, byte(width))
			packed = append(packed, bitsOf(all, width)...)
		}
		for len(widths) < minis {
			widths = append(widths, 0xff) // of miniblocks that are not there
		}
		b = append(append(b, widths...), packed...)
	}
	return b
}

// bitsOf writes the numbers bit by bit, lowest first.
func bitsOf(numbers []uint64, width int) []byte {
	b := make([]byte, len(numbers)*width/8)
	for i, v := range numbers {
		for k := range width {
			at := i*width + k
			b[at/8] |= byte(v>>k&1) << (at % 8)
		}
	}
	return b
}

// integers draws numbers that are near each other, far, or as far as can be.
func integers(t *rapid.T, smallest int) []int64 {
	near := rapid.Int64Range(-1000, 1000)
	far := rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 0, 1 << 57, -1 << 31})
	return rapid.SliceOfN(rapid.OneOf(near, near, far, rapid.Int64()), smallest, 300).Draw(t, "numbers")
}

func TestDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := integers(t, 1)
		minis, size := rapid.IntRange(1, 8).Draw(t, "minis"), 32*rapid.IntRange(1, 3).Draw(t, "size")
		got := make([]int64, len(numbers))
		deltas(cellsOf(got), deltasOf(numbers, minis, size))
		if !slices.Equal(got, numbers) {
			t.Errorf("%v, expected %v", got, numbers)
		}
	})
}

// Numbers of every width are unpacked, with and without bytes behind the last.
func TestWidths(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for width := range 65 {
		for _, n := range []int{8, 32, 64} {
			numbers, sums, sum := make([]uint64, n), make([]int64, n), int64(5)
			for i := range numbers {
				numbers[i] = dice.Uint64() & (1<<width - 1)
				sum += int64(numbers[i]) - 3
				sums[i] = sum
			}
			for _, behind := range []int{0, 9} {
				b := append(bitsOf(numbers, width), bytes.Repeat([]byte{0xff}, behind)...)
				got := make([]int64, n)
				if last := miniblock(cellsOf(got), b, uint(width), -3, 5); last != sum || !slices.Equal(got, sums) {
					t.Errorf("%d sums of numbers of %d bits, %d bytes behind: %v, expected %v", n, width, behind, got, sums)
				}
				if width > 32 {
					continue
				}
				small := make([]uint32, n)
				packed(small, b, uint(width), uint64(n/8))
				for i, v := range small {
					if uint64(v) != numbers[i] {
						t.Errorf("number %d of %d of %d bits: %d, expected %d", i, n, width, v, numbers[i])
					}
				}
			}
		}
	}
}

// What Arrow writes as differences comes back, and is the same bytes every time.
func TestIntegersRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var rows []one
		for _, n := range integers(t, 0) {
			rows = append(rows, one{N: n})
		}
		var files [2][]byte
		for i, name := range []string{"a", "b"} {
			path := filepath.Join(dir, name)
			if err := Write(path, nil, rows); err != nil {
				t.Fatal(err)
			}
			got, _, err := Read[one](path)
			if err != nil || !slices.Equal(got, rows) {
				t.Fatalf("%v, %v, expected %v", got, err, rows)
			}
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Error("the same rows gave other bytes")
		}
	})
}

func TestBadDeltas(t *testing.T) {
	header := func(block, minis, n uint64, rest ...byte) []byte {
		b := binary.AppendUvarint(nil, block)
		b = binary.AppendUvarint(b, minis)
		b = binary.AppendUvarint(b, n)
		return append(b, rest...)
	}
	for name, b := range map[string][]byte{
		"nothing":              nil,
		"no first value":       header(128, 4, 34),
		"other values":         header(128, 4, 35, 0, 0, 0, 0, 0, 0),
		"blocks of none":       header(0, 4, 34, 0, 0, 0, 0, 0, 0),
		"blocks of 2^40":       header(1<<40, 4, 34, 0, 0, 0, 0, 0, 0),
		"no miniblocks":        header(128, 0, 34, 0, 0),
		"miniblocks of 4":      header(128, 32, 34, append([]byte{0, 0}, make([]byte, 32)...)...),
		"2^40 miniblocks":      header(128, 1<<40, 34, 0, 0),
		"widths missing":       header(128, 4, 34, 0, 0, 1, 0),
		"65 bits":              header(128, 4, 34, append([]byte{0, 0, 65, 0, 0, 0}, make([]byte, 400)...)...),
		"miniblock cut":        header(128, 4, 34, 0, 0, 9, 0, 0, 0, 1, 34, 3),
		"second block missing": header(32, 1, 34, 0, 0, 0),
	} {
		func() {
			defer func() {
				if _, ok := recover().(corrupt); !ok {
					t.Errorf("%s: not refused", name)
				}
			}()
			deltas(cellsOf(make([]int64, 34)), b)
		}()
	}
}
