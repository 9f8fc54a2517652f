package vtrain

import (
	"math"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/papers"
)

// heldOut reports the mean error, per cent, of the times of steps by layer_times.csv on the layouts that its numbers
// were not fitted to.
func heldOut(f *papers.Figure) error {
	rows, err := measured()
	if err != nil {
		return err
	}
	times, err := layout.LayerTimesOf("A100")
	if err != nil {
		return err
	}
	_, held := halves(rows)
	one, many, err := meanErrors(times, held)
	if err != nil {
		return err
	}
	f.Report("one-node", 100*one)
	f.Report("many-nodes", 100*many)
	return nil
}

// halves returns the rows that numbers are fitted to, and the others.
func halves(rows []row) (fitted, held []row) {
	for i := range rows {
		if rows[i].fitted() {
			fitted = append(fitted, rows[i])
		} else {
			held = append(held, rows[i])
		}
	}
	return fitted, held
}

// group is some rows with their errors, per cent.
type group struct {
	rows    int
	mean    float64 // of the distance
	bias    float64 // of the sign, too
	largest float64
}

func (g *group) add(off float64) {
	g.rows++
	g.mean += (100*math.Abs(off) - g.mean) / float64(g.rows)
	g.bias += (100*off - g.bias) / float64(g.rows)
	g.largest = max(g.largest, 100*math.Abs(off))
}
