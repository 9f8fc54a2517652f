package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
)

// Starts are the starts through recorded traces that a command looks at.
type Starts struct {
	Every time.Duration `flag:"every" min:"1s" help:"from starts that far apart through recorded traces, instead of the spec's, with its unit: 10m, 6h"`
	many  bool
}

// Bounds opens a spec and returns what no policy can beat, by objective, start and seed.
func (s *Starts) Bounds(ctx context.Context, sp *spec.Spec, run bool) (*experiments.Study, []experiments.BoundRow, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if s.Every > 0 {
		sp.Starts = spec.Starts{EveryS: s.Every.Seconds()}
	}
	study, err := experiments.NewStudy(sp)
	if err != nil {
		return nil, nil, err
	}
	s.many = len(study.Starts) > 1
	rows, err := study.Bounds(ctx, run)
	return study, rows, err
}

// Of counts the points of an objective: "from at most 3 of 9 starts", "with 3 of 20 seeds".
func (s *Starts) Of(largest string, n, points, seeds int) string {
	return fmt.Sprintf("%s %s%d of %s", s.In(seeds), largest, n, s.all(points, seeds))
}

func (s *Starts) all(points, seeds int) string {
	switch s.In(seeds) {
	case "from":
		return Count(points, "start", "starts")
	case "in":
		return Count(points, "run", "runs") + " (starts and seeds)"
	}
	return Count(points, "seed", "seeds")
}

// In is how one speaks of a start, of a seed, and of both.
func (s *Starts) In(seeds int) string {
	switch {
	case !s.many:
		return "with"
	case seeds == 1:
		return "from"
	}
	return "in"
}

// maxListed is how many starts or seeds a line lists.
const maxListed = 8

// Never says of the rows of an objective in which of them no policy can meet it, with their
// starts, or seeds.
func (s *Starts) Never(rows []experiments.BoundRow, seeds int) string {
	var names []string
	n := 0
	for i := range rows {
		r := &rows[i]
		if r.BoundUSD != nil {
			continue
		}
		if n++; n > maxListed {
			continue
		}
		name := fmt.Sprint(r.Seed)
		if s.many {
			name = (time.Duration(r.StartS) * time.Second).String()
		}
		names = append(names, name)
	}
	if n == 0 {
		return fmt.Sprintf("the bound rules out nothing: a policy may meet the objective %s each of %s", s.In(seeds), s.all(len(rows), seeds))
	}
	text := "by the bound no policy can meet the objective " + s.Of("", n, len(rows), seeds)
	if n > maxListed {
		names = append(names, "...")
	}
	return text + ": " + strings.Join(names, ", ")
}
