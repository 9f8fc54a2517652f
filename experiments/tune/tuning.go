// Package tune finds settings of a policy: the cheapest that meet an objective in a share
// of the runs.
//
//	r, err := tune.Find(ctx, tune.Question{
//		Spec:      "quickstart",
//		Policy:    "spotdnn-safe",
//		Objective: "loss-0.54-in-6h",
//		Set:       []string{"policy.reserve_s=60,300"},
//		Share:     0.95,
//		Within:    0.02,
//	}, tune.Options{})
//
// Settings are a grid of values, all of which race against each other (package racing). Each block of the race is a
// seed or, on a recorded market, a start in it. The winner is then checked once, on blocks that chose nothing. On a
// recorded market the part train of the trace chooses and the part judge checks (spec.WindowOf).
//
// What it does depends on the question alone, not on how many cores there are. With a
// folder, runs are kept in chunks there, as those of a sweep are, and what was interrupted
// goes on where it was:
//
//	tune.json                        the question, and a hash of all that results depend on
//	plan=HASH12/part-000000.parquet  a chunk
//	result.json, winner.yaml         the answer
package tune

import (
	"context"
	"slices"

	"github.com/marigram/marigram/experiments/tune/racing"
)

// Find answers a question. Errors are those of the question, or of the folder. If ctx is
// done it returns its error; chunks of the folder stay, and the same question goes on there.
func Find(ctx context.Context, q Question, o Options) (*Answer, error) {
	t, axes, err := prepare(&q, &o)
	if err != nil {
		return nil, err
	}
	all, err := grid(axes)
	if err != nil {
		return nil, err
	}
	first, err := t.field.add(append([]candidate{nil}, all...)) // the spec's own settings are number 0
	if err != nil {
		return nil, err
	}
	if t.blocks, err = t.field.blocksOf(); err != nil {
		return nil, err
	}
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	raced := make([]int, len(all))
	for i := range raced {
		raced[i] = first + 1 + i
	}
	answer, err := t.race(ctx, raced)
	if err != nil {
		return nil, err
	}
	if err := t.check(ctx, answer); err != nil {
		return nil, err
	}
	return answer, t.keep(ctx, answer)
}

// prepare reads everything that a question refers to.
func prepare(q *Question, o *Options) (*tuning, []axis, error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	base, err := q.open()
	if err != nil {
		return nil, nil, err
	}
	axes, err := parseAxes(q.Set, &base.Policies[0])
	if err != nil {
		return nil, nil, err
	}
	shared := sharedSettings(axes)
	if shared != nil {
		if base, err = q.open(shared...); err != nil {
			return nil, nil, err
		}
	}
	opened, err := newField(q, base, shared)
	return &tuning{question: q, options: o, field: opened}, axes, err
}

// race races candidates.
func (t *tuning) race(ctx context.Context, of []int) (*Answer, error) {
	race := racing.New(racing.Options{
		Settings: len(of),
		Share:    t.question.Share,
		Within:   t.question.Within,
		Alpha:    t.question.Alpha,
		Blocks:   t.blocks.race,
		Max:      t.question.Max,
	})
	for want := race.Next(); want != nil; want = race.Next() {
		t.stage("race", len(want), len(of))
		chunks, err := t.run(ctx, together(want, of))
		if err != nil {
			return nil, err
		}
		for _, request := range want {
			race.Add(request, outcomes(chunks, of[request.Setting]))
		}
	}
	return t.answer(race.Result(), of), nil
}

// together puts requests for the same blocks together.
func together(want []racing.Request, of []int) (all []request) {
	for _, x := range want {
		same := func(q request) bool { return q.from == x.From && q.to == x.To }
		at := slices.IndexFunc(all, same)
		if at < 0 {
			at = len(all)
			all = append(all, request{stage: racingStage, from: x.From, to: x.To})
		}
		all[at].candidates = append(all[at].candidates, of[x.Setting])
	}
	return all
}
