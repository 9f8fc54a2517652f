package tune

import (
	"context"
	"iter"
	"runtime"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/tune/racing"
	"github.com/marigram/marigram/internal/parallel"
)

// chunkRuns is the number of runs of a chunk, as far as blocks are not cut.
const chunkRuns = 128

// cut cuts requests into chunks, numbered on from those before.
func (t *tuning) cut(all []request) (chunks []*chunk) {
	add := func(q request) {
		chunks = append(chunks, &chunk{request: q, number: t.chunks, first: t.runs})
		t.chunks++
		t.runs += int64(len(q.candidates) * (q.to - q.from))
	}
	for _, q := range all {
		for _, same := range t.byStudy(q.candidates) {
			step := max(chunkRuns/len(same), 1)
			for from := q.from; from < q.to; from += step {
				add(request{same, q.stage, from, min(from+step, q.to)})
			}
		}
	}
	return chunks
}

// byStudy parts candidates by their study, at most chunkRuns of them together.
func (t *tuning) byStudy(all []int) (parts [][]int) {
	index := map[*experiments.Study]int{}
	for _, k := range all {
		study := t.field.candidates[k].study
		at, has := index[study]
		if !has || len(parts[at]) == chunkRuns {
			at = len(parts)
			index[study] = at
			parts = append(parts, nil)
		}
		parts[at] = append(parts[at], k)
	}
	return parts
}

// run runs requests, a goroutine a core, or reads what there is of them. It returns the
// chunks in their order.
func (t *tuning) run(ctx context.Context, all []request) ([]*chunk, error) {
	chunks := t.cut(all)
	return chunks, parallel.Each(ctx, t.workers(), len(chunks), func(ctx context.Context, numbers iter.Seq[int]) error {
		for k := range numbers {
			if err := t.makeChunk(ctx, chunks[k]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tuning) workers() int {
	if t.options.Workers > 0 {
		return t.options.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// makeChunk reads a chunk, or runs it and keeps it.
func (t *tuning) makeChunk(ctx context.Context, c *chunk) error {
	if there, err := t.read(ctx, c); there || err != nil {
		return err
	}
	together := len(c.candidates)
	c.rows = make([]results.SweepRow, together*(c.to-c.from))
	next := c.from
	experiments.Batch(t.field.candidates[c.candidates[0]].study, c.to-c.from, func(w *experiments.Worker) {
		for next < c.to && ctx.Err() == nil {
			taken := next
			next++
			t.runBlock(w, c, together*(taken-c.from), t.blocks.at(c.stage, taken))
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	t.made.Add(int64(len(c.rows)))
	t.report()
	return t.write(ctx, c)
}

// runBlock runs the candidates of a chunk on a block; their rows are those from the first on.
func (t *tuning) runBlock(w *experiments.Worker, c *chunk, first int, b block) {
	for i, candidate := range c.candidates {
		entrant := &t.field.candidates[candidate]
		row := w.Row(experiments.Case{
			Run:    c.first + int64(first+i),
			Policy: entrant.policy,
			Seed:   b.Seed,
			Start:  b.Start,
		})
		row.Cell = int64(candidate)
		row.Parameters = entrant.parameters()
		c.rows[first+i] = row
	}
}

// outcomes returns the runs of a candidate in chunks, in the order of the blocks.
func outcomes(chunks []*chunk, candidate int) (all []racing.Outcome) {
	for _, c := range chunks {
		for i := range c.rows {
			row := &c.rows[i]
			if row.Cell == int64(candidate) {
				all = append(all, racing.Outcome{USD: row.CostUSD, Met: row.Met, Failed: row.Error != ""})
			}
		}
	}
	return all
}
