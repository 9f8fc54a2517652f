package market

import (
	"math/rand/v2"
	"testing"
	"time"
)

// What a message says of an instant is that instant when it is copied into a from, to the microsecond.
func TestStampReadsBack(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		us := 1_500_000_000_000_000 + draw.Int64N(300_000_000_000_000)
		if draw.IntN(2) == 0 {
			us -= us % 1_000_000 // a whole second
		}
		back, err := time.Parse(time.RFC3339, stamp(us))
		if err != nil || back.UnixMicro() != us {
			t.Fatalf("%s of %d reads back as %d, %v", stamp(us), us, back.UnixMicro(), err)
		}
	}
}
