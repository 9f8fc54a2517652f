package sweep

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// studies opens the cells' studies when they are wanted and keeps the latest:
// neighbours share markets, and workers meet in the same cells.
type studies struct {
	base   string
	seeds  int  // 0: the base's
	bound  bool // columns of the bound, if the base has them not
	whole  bool // traces to their end, for starts
	allow  bool // the commands of policies
	limit  int
	mu     sync.Mutex
	opened []*study // the latest last
}

type study struct {
	cell int
	once sync.Once
	*experiments.Study
	market string // what the markets depend on
	err    error
}

// get returns the study of a cell with these settings.
func (all *studies) get(cell int, settings []spec.Setting) (*experiments.Study, error) {
	all.mu.Lock()
	i := slices.IndexFunc(all.opened, func(s *study) bool { return s.cell == cell })
	if i < 0 {
		if len(all.opened) == all.limit {
			all.opened = slices.Delete(all.opened, 0, 1)
		}
		i = len(all.opened)
		all.opened = append(all.opened, &study{cell: cell})
	}
	s := all.opened[i]
	all.mu.Unlock()
	s.once.Do(func() { s.err = all.open(s, settings) })
	return s.Study, s.err
}

// study opens the study of a cell.
func (p *Plan) study(cell int) (*experiments.Study, error) {
	s, err := p.studies.get(cell, p.Settings[cell])
	if err != nil {
		return nil, fmt.Errorf("cell %d %s: %w", cell, p.Cells[cell].Parameters, err)
	}
	return s, nil
}

func (all *studies) open(s *study, settings []spec.Setting) error {
	if all.seeds > 0 {
		settings = append(slices.Clone(settings), spec.Setting{Path: "seeds", Value: all.seeds})
	}
	if all.bound {
		settings = append(slices.Clone(settings), spec.Setting{Path: "bound", Value: true})
	}
	sp, err := spec.Reading{Commands: all.allow}.Open(all.base, settings...)
	if err != nil {
		return err
	}
	if names := sp.Commands(); len(names) > 0 {
		return fmt.Errorf("policy %s: %w", strings.Join(names, ", "), loader.ErrNotAllowed)
	}
	key := marketKey(sp)
	m := all.like(key)
	if m == nil {
		read := market.Of
		if all.whole || sp.Starts != (spec.Starts{}) {
			read = market.Whole
		}
		if m, err = read(sp); err != nil {
			return err
		}
	}
	opened, err := experiments.NewStudyOn(sp, m)
	all.mu.Lock()
	defer all.mu.Unlock()
	s.Study, s.market = opened, key
	return err
}

// like returns markets that were made of the same, nil if there are none.
func (all *studies) like(key string) *market.Markets {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.opened {
		if s.market == key && s.Study != nil {
			return s.Markets
		}
	}
	return nil
}

// marketKey is what the markets of a spec depend on, of specs of one base.
func marketKey(s *spec.Spec) string {
	b, err := json.Marshal(struct {
		Market  any
		Horizon float64
		Seed    int64
		Seeds   int
	}{s.Market, s.HorizonS, s.Seed, s.Seeds})
	if err != nil {
		panic(fmt.Sprintf("sweep: a market without a JSON form: %v", err)) // numbers of a spec are finite
	}
	return string(b)
}
