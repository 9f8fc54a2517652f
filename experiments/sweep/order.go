package sweep

// seedsTogether is for how many seeds a start is run before the next one: many, so that a processor meets the same
// events again and again, and few enough that their random numbers can be kept.
const seedsTogether = 64

// order is the order in which the points of a chunk are run, cell by cell. Rows stand by their points, whatever it is.
type order struct {
	plan       *Plan
	points     []int64 // of a cell; the first taken of them are under way
	taken      int
	next, last int64 // the points of the cells to come: to before last
}

// take returns the next point, negative where there is none.
func (o *order) take() (int64, error) {
	for o.taken == len(o.points) {
		if o.next == o.last {
			return -1, nil
		}
		if err := o.enter(int(o.next / o.plan.perCell())); err != nil {
			return -1, err
		}
	}
	o.taken++
	return o.points[o.taken-1], nil
}

// enter orders the points of a cell. Where seeds have markets of their own it is one seed at a time, so that each
// market is made once.
func (o *order) enter(cell int) error {
	study, err := o.plan.study(cell)
	if err != nil {
		return err
	}
	together := seedsTogether
	if study.Markets.Shared() == nil {
		together = 1
	}
	last := min(o.last, int64(cell+1)*o.plan.perCell())
	o.points = bySeeds(o.points[:0], o.next, last, o.plan.Seeds, together)
	o.taken = 0
	o.next = last
	return nil
}

// bySeeds appends the points of a cell from first to before last, by blocks of n seeds, start and seed.
func bySeeds(points []int64, first, last int64, seeds, together int) []int64 {
	width := int64(seeds)
	for block := int64(0); block < width; block += int64(together) {
		for start := first - first%width; start < last; start += width {
			until := start + min(block+int64(together), width)
			for at := max(start+block, first); at < min(until, last); at++ {
				points = append(points, at)
			}
		}
	}
	return points
}
