package pipeline

import (
	"github.com/marigram/marigram/calibrate/facts"
)

// ParcaeTrace returns how many p3.2xlarge there were in each of the 683 minutes
// that Parcae (NSDI 2024) replays.
func ParcaeTrace() []int {
	type row struct {
		Instances int `col:"instances"`
	}
	var counts []int
	for _, r := range facts.Read[row]("liveput_p3") {
		counts = append(counts, r.Instances)
	}
	return counts
}

// ParcaeSegment is one of the hours that the paper picks from that trace:
// minutes from First until before End.
type ParcaeSegment struct {
	Name  string `col:"segment"`
	First int    `col:"first"`
	End   int    `col:"end"`
}

// ParcaeSegments returns them.
func ParcaeSegments() []ParcaeSegment { return facts.Read[ParcaeSegment]("liveput_segments") }
