package pyrandom

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
)

// Every vector that Python drew.
func TestVectors(t *testing.T) {
	rows := testutil.Rows(t, "internal/pyrandom/testdata/python_random_vectors.csv")
	if len(rows) < 185 {
		t.Errorf("%d vectors, expected 185", len(rows))
	}
	generators := map[string]*Rand{}
	for _, row := range rows {
		seed, _ := strconv.ParseInt(row["seed"], 10, 64)
		r := generators[row["seed"]+row["draw"]]
		if r == nil {
			r = New(seed)
			generators[row["seed"]+row["draw"]] = r
		}
		if got := drawn(t, r, row["draw"]); got != row["value"] {
			t.Errorf("seed %s, %s %s: %s, Python has %s", row["seed"], row["draw"], row["index"], got, row["value"])
		}
	}
}

// drawn is the next draw of a kind, as text.
func drawn(t *testing.T, r *Rand, kind string) string {
	switch kind {
	case "random":
		return strconv.FormatFloat(r.Random(), 'g', -1, 64)
	case "getrandbits_5":
		return fmt.Sprint(r.Bits(5))
	case "getrandbits_32":
		return fmt.Sprint(r.Bits(32))
	case "randrange_3":
		return fmt.Sprint(r.Below(3))
	case "choice_index_of_26":
		return fmt.Sprint(r.Below(26))
	case "sample_2_of_0_to_9":
		s := r.Sample(10, 2)
		return fmt.Sprintf("%d %d", s[0], s[1])
	case "shuffle_of_v100_p100_k80":
		list := []string{"v100", "p100", "k80"}
		r.Shuffle(3, func(i, j int) { list[i], list[j] = list[j], list[i] })
		return strings.Join(list, " ")
	}
	t.Fatalf("a draw of another kind: %s", kind)
	return ""
}

// Numbers that CPython 3.11.7 prints: a seed of more than 32 bits, lists that are long
// and samples that are large.
func TestFurther(t *testing.T) {
	r := New(1<<40 + 7)
	if x, y := r.Random(), r.Bits(32); x != 0.6137037779936511 || y != 3500038837 {
		t.Errorf("seed 2^40 + 7: %v, %v", x, y)
	}
	r = New(9)
	if got := r.Sample(100, 7); !slices.Equal(got, []int{59, 78, 47, 34, 17, 23, 86}) {
		t.Errorf("7 of 100: %v", got)
	}
	want := []int{0, 43, 64, 59, 77, 10, 42, 70, 78, 89, 5, 48, 21, 57, 54, 20, 87, 30, 6, 14, 16, 97, 75, 8, 49, 13, 37, 26, 28, 53}
	if got := r.Sample(100, 30); !slices.Equal(got, want) {
		t.Errorf("30 of 100: %v", got)
	}
	r = New(9)
	if a, b := r.Sample(22, 2), r.Sample(21, 2); !slices.Equal(a, []int{14, 19}) || !slices.Equal(b, []int{11, 8}) {
		t.Errorf("2 of 22 and of 21: %v, %v", a, b)
	}
	if x := New(3).Uniform(3, 4); x != 3.237964627091891 {
		t.Errorf("uniform(3, 4): %v", x)
	}
	r = New(1<<40 + 7)
	if n := New(1 << 31).Below(1 << 31); n != 1455117090 {
		t.Errorf("randrange(2^31): %v", n)
	}
	r.Bits(3)
	c := r.Clone()
	if a, b := c.Sample(100, 30), r.Sample(100, 30); !slices.Equal(a, b) {
		t.Errorf("a clone draws %v, its origin %v", a, b)
	}
	if New(-5).Random() != New(5).Random() {
		t.Error("the sign of a seed counts")
	}
}
