package sweep

import (
	"sort"
)

// runs returns the number of runs at a point of the cell.
func (c *Cell) runs() int { return len(c.Objectives) * len(c.Policies) }

// number cuts the points into chunks of about n runs.
func (p *Plan) number(chunk int) {
	p.count()
	if chunk == 0 {
		chunk = int(min(max(p.Runs()/64, 64), 4096))
	}
	largest := 0
	for i := range p.Cells {
		largest = max(largest, p.Cells[i].runs())
	}
	p.ChunkPoints = max(chunk/largest, 1)
}

// count sums the runs of the cells up.
func (p *Plan) count() {
	p.firstRun = make([]int64, len(p.Cells)+1)
	for i := range p.Cells {
		p.firstRun[i+1] = p.firstRun[i] + p.perCell()*int64(p.Cells[i].runs())
	}
}

// perCell returns the number of points of a cell.
func (p *Plan) perCell() int64 { return int64(len(p.StartsS)) * int64(p.Seeds) }

// Runs returns the number of runs.
func (p *Plan) Runs() int64 { return p.firstRun[len(p.Cells)] }

// Chunks returns the number of chunks.
func (p *Plan) Chunks() int {
	points := p.perCell() * int64(len(p.Cells))
	return int((points + int64(p.ChunkPoints) - 1) / int64(p.ChunkPoints))
}

// points returns the points of a chunk: from the first to before the last.
func (p *Plan) points(chunk int) (first, last int64) {
	first = int64(chunk) * int64(p.ChunkPoints)
	return first, min(first+int64(p.ChunkPoints), p.perCell()*int64(len(p.Cells)))
}

// place returns where a point stands, and the number of its first run.
func (p *Plan) place(point int64) (cell, start, seed int, run int64) {
	cell = int(point / p.perCell())
	at := point % p.perCell()
	return cell, int(at / int64(p.Seeds)), int(at % int64(p.Seeds)), p.firstRun[cell] + at*int64(p.Cells[cell].runs())
}

// ChunkRuns returns the number of runs of a chunk.
func (p *Plan) ChunkRuns(chunk int) int64 {
	first, last := p.points(chunk)
	return p.runsBefore(last) - p.runsBefore(first)
}

func (p *Plan) runsBefore(point int64) int64 {
	if point == p.perCell()*int64(len(p.Cells)) {
		return p.Runs()
	}
	_, _, _, run := p.place(point)
	return run
}

// pointOf returns the point that a run belongs to.
func (p *Plan) pointOf(run int64) int64 {
	cell := sort.Search(len(p.Cells), func(i int) bool { return p.firstRun[i+1] > run })
	return int64(cell)*p.perCell() + (run-p.firstRun[cell])/int64(p.Cells[cell].runs())
}

// Place says which run of a plan a run is.
type Place struct {
	Cell      int // of Plan.Cells
	Start     int // of Plan.StartsS
	Seed      int // counted from Plan.Seed
	Objective int // of the cell's
	Policy    int // of the cell's
}

// Place returns which run a number, from 0 to before Runs, stands for.
func (p *Plan) Place(run int64) Place {
	cell, start, seed, first := p.place(p.pointOf(run))
	at := int(run - first)
	policies := len(p.Cells[cell].Policies)
	return Place{cell, start, seed, at / policies, at % policies}
}

// Run returns the number of a run.
func (p *Plan) Run(at Place) int64 {
	point := int64(at.Cell)*p.perCell() + int64(at.Start)*int64(p.Seeds) + int64(at.Seed)
	return p.runsBefore(point) + int64(at.Objective*len(p.Cells[at.Cell].Policies)+at.Policy)
}
