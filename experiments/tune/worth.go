package tune

import (
	"context"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/spec"
)

// valueBlocks is the number of fresh blocks on which changes are compared, as far as there
// are n.
const valueBlocks = 200

// None as the only change asks for none.
const None = "none"

// value compares the winner with the spec's own settings and with the changes asked for,
// of which the default is one more of every quota.
func (t *tuning) value(ctx context.Context, a *Answer) error {
	n := min(t.blocks.fresh, valueBlocks)
	if a.winner < 0 || a.Fresh == 0 || slices.Equal(t.question.Value, []string{None}) {
		return nil
	}
	changes, err := t.changes(a.winner)
	if err != nil {
		return err
	}
	var all []candidate
	for i := range changes {
		all = append(all, changes[i].candidate)
	}
	first, err := t.field.add(all)
	if err != nil {
		return err
	}
	numbers := []int{a.winner}
	if a.winner != 0 {
		numbers = append(numbers, 0)
	}
	for i := range all {
		numbers = append(numbers, first+i)
	}
	t.stage("worth", len(all), len(all))
	before := t.runs
	chunks, err := t.run(ctx, []request{{numbers, a.attempt, 0, n}})
	if err != nil {
		return err
	}
	a.Runs.Value = t.runs - before
	a.Runs.Former = a.Runs.Value
	if a.winner != 0 {
		own := t.compare(chunks, a.winner, 0)
		own.About, own.Parameters = "the spec's own settings", "{}"
		a.Value = append(a.Value, own)
	}
	for i := range changes {
		c := t.compare(chunks, a.winner, first+i)
		c.About, c.Parameters = changes[i].about, candidate(changes[i].candidate[len(changes[i].candidate)-1:]).parameters()
		a.Value = append(a.Value, c)
	}
	a.Former = a.Value
	return nil
}

// compare compares runs of two candidates block by block.
func (t *tuning) compare(chunks []*chunk, winner, other int) Change {
	a, b := outcomes(chunks, winner), outcomes(chunks, other)
	var saves intervals.Tally
	c := Change{Blocks: len(a)}
	for i := range a {
		saves.Add(intervals.Unit{Seed: int64(i)}, a[i].USD-b[i].USD)
		if b[i].Met {
			c.Met++
		}
		if b[i].Failed {
			c.Error = "a run failed"
		}
	}
	if c.Error != "" {
		return c
	}
	c.SavesUSD, c.SavesCI = saves.Mean(), saves.MeanInterval()
	return c
}

// change is a candidate beside the winner.
type change struct {
	candidate
	about string
}

// changes returns the winner with each change.
func (t *tuning) changes(winner int) (all []change, err error) {
	of := t.field.candidates[winner].candidate
	add := func(path string, value any, about string) {
		c := slices.DeleteFunc(slices.Clone(of), func(x spec.Setting) bool { return x.Path == path })
		all = append(all, change{append(c, spec.Setting{Path: path, Value: value}), about})
	}
	for _, text := range t.question.Value {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return nil, err
		}
		add(x.Path, x.Value, text)
	}
	if t.question.Value != nil {
		return all, nil
	}
	pools := t.field.candidates[winner].study.Spec.Market.Pools
	for i := range pools {
		p := &pools[i]
		name := p.Type
		if p.Zone != "" {
			name += " in " + p.Zone
		}
		if *p.Quota > 0 {
			add(fmt.Sprintf("market.pools.%d.quota", i), *p.Quota+1, "one more of the quota of "+name)
		}
		if p.OnDemandQuota > 0 {
			add(fmt.Sprintf("market.pools.%d.on_demand_quota", i), p.OnDemandQuota+1, "one more on demand of "+name)
		}
	}
	return all, nil
}
