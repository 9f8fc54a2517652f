package cmdare

import "testing"

// NumPy's np.random.RandomState(0).permutation(10), a known answer.
func TestPermutation(t *testing.T) {
	want := []int{2, 8, 4, 9, 1, 6, 7, 3, 0, 5}
	for i, got := range permutation(10, 0) {
		if got != want[i] {
			t.Fatalf("%v, want %v", permutation(10, 0), want)
		}
	}
}
