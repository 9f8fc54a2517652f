package elastic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// jobOf is a job that trains on from least to most GPUs, at speeds by their number from 1 on.
func jobOf(number, least, most, has int, left float64, speeds ...float64) *Job {
	return &Job{
		Number: number, Gang: most, Least: least, Most: most, Has: has, Peak: has, Left: left,
		speeds: append([]float64{0}, speeds...),
	}
}

// linear is perfect scaling to n GPUs.
func linear(n int) (speeds []float64) {
	for k := range n {
		speeds = append(speeds, float64(k+1))
	}
	return speeds
}

func TestRules(t *testing.T) {
	short := []float64{1, 1.5, 1.75, 1.875}
	for _, x := range []struct {
		name string
		rule Rule
		gpus int
		tick bool
		jobs []*Job
		want []int
	}{
		// Of 100 and 60 left: one GPU more saves 50 and 20 s; then 16.7 and 20; then 16.7 and 5.7.
		{"optimus", &optimus{}, 5, true, []*Job{jobOf(0, 1, 4, 0, 100, linear(4)...), jobOf(1, 1, 4, 0, 60, short...)}, []int{3, 2}},
		{"optimus starves nobody but for want of GPUs", &optimus{}, 2, true,
			[]*Job{jobOf(0, 1, 4, 4, 9, linear(4)...), jobOf(1, 2, 2, 0, 9, linear(2)...), jobOf(2, 1, 1, 0, 9, 1)}, []int{1, 0, 1}},
		{"optimus leaves GPUs that slow down", &optimus{}, 4, true, []*Job{jobOf(0, 1, 4, 0, 9, 1, 0.9, 2, 3)}, []int{1}},
		{"fair by the maximum", fair{}, 7, true,
			[]*Job{jobOf(0, 1, 8, 0, 0), jobOf(1, 1, 4, 0, 0), jobOf(2, 1, 2, 0, 0)}, []int{4, 2, 1}},
		{"fair gives minima in order", fair{}, 5, true,
			[]*Job{jobOf(0, 2, 8, 0, 0), jobOf(1, 4, 8, 8, 0), jobOf(2, 2, 2, 0, 0)}, []int{3, 0, 2}},
		{"srtf", srtf{}, 6, true,
			[]*Job{jobOf(0, 1, 4, 0, 100, linear(4)...), jobOf(1, 2, 4, 0, 40, linear(4)...), jobOf(2, 4, 4, 0, 1000, linear(4)...)},
			[]int{2, 4, 0}},
		{"ray starts at once and does not shrink", ray{}, 8, false,
			[]*Job{jobOf(0, 1, 8, 5, 0), jobOf(1, 1, 2, 0, 0), jobOf(2, 2, 8, 0, 0), jobOf(3, 1, 1, 0, 0)}, []int{5, 2, 0, 0}},
		{"ray grows at ticks, the first first", ray{}, 8, true,
			[]*Job{jobOf(0, 1, 6, 5, 0), jobOf(1, 1, 2, 1, 0), jobOf(2, 3, 8, 0, 0)}, []int{6, 2, 0}},
		{"pollux-like helps the slowest", &PolluxLike{}, 4, true,
			[]*Job{jobOf(0, 1, 4, 2, 0, short...), jobOf(1, 1, 4, 1, 0, linear(4)...)}, []int{2, 2}},
		{"pollux-like takes from several for one that needs several", &PolluxLike{}, 6, true,
			[]*Job{jobOf(0, 1, 4, 3, 0, short...), jobOf(1, 1, 4, 3, 0, short...), jobOf(2, 3, 4, 0, 0, linear(4)...)}, []int{1, 2, 3}},
		{"pollux-like takes from who loses least", &PolluxLike{}, 4, true,
			[]*Job{jobOf(0, 1, 4, 4, 0, 1, 1, 1, 1), jobOf(1, 1, 4, 0, 0, linear(4)...)}, []int{3, 1}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := &Sharing{Jobs: x.jobs, GPUs: x.gpus, Now: sim.At(600), Interval: time.Minute, Tick: x.tick}
			x.rule.Share(s)
			if got := gets(x.jobs); !slices.Equal(got, x.want) {
				t.Errorf("%v, expected %v", got, x.want)
			}
		})
	}
}

func gets(jobs []*Job) (out []int) {
	for _, x := range jobs {
		out = append(out, x.Gets)
	}
	return out
}

// With a limit of 8 GPU-minutes, a job of 4 GPUs is in the second queue after its second minute on GPUs: one that came
// later goes before it, and it keeps what that one leaves only if that is enough.
func TestTicks(t *testing.T) {
	ticks := NewTiresiasTicks()
	ticks.Limit = 480
	jobs := []*Job{jobOf(0, 4, 4, 0, 0)}
	jobs[0].Gang = 4
	var got []string
	for minute := 1; minute <= 4; minute++ {
		if minute == 3 {
			late := jobOf(1, 2, 2, 0, 0)
			jobs = append(jobs, late)
		}
		s := &Sharing{Jobs: jobs, GPUs: 5, Now: sim.At(float64(60 * minute)), Interval: time.Minute, Tick: true}
		ticks.Share(s)
		got = append(got, fmt.Sprint(gets(jobs)))
		for _, x := range jobs {
			x.Has = x.Gets
			x.Gets = 0
		}
	}
	if want := []string{"[4]", "[4]", "[0 2]", "[0 2]"}; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// No rule gives out more than there is, or numbers on which a job does not train.
func TestRulesKeepBounds(t *testing.T) {
	draws := sim.Rand{Seed: 1}.Stream(sim.PurposeUser+7, 0)
	at := uint64(0)
	draw := func(n int) int {
		at++
		return draws.Intn(at, n)
	}
	rules := []Rule{&optimus{}, fair{}, srtf{}, ray{}, NewTiresiasTicks(), NewPolluxLike()}
	for range 3000 {
		gpus := 1 + draw(24)
		held := 0
		var jobs []*Job
		for number := range 1 + draw(8) {
			least := 1 + draw(6)
			most := least + draw(8)*draw(2)
			has := 0
			if draw(2) == 0 && held+least <= gpus {
				has = least + draw(min(most, gpus-held)-least+1)
			}
			held += has
			var speeds []float64
			for range most {
				speeds = append(speeds, float64(draw(10))/3)
			}
			x := jobOf(number, least, most, has, float64(draw(1000)), speeds...)
			x.Gang = least
			jobs = append(jobs, x)
		}
		for _, rule := range rules {
			for _, x := range jobs {
				x.Gets = 0
			}
			rule.Share(&Sharing{Jobs: jobs, GPUs: gpus, Now: sim.At(600), Interval: time.Minute, Tick: draw(2) == 0})
			sum := 0
			for _, x := range jobs {
				sum += x.Gets
				if x.Gets != 0 && (x.Gets < x.Least || x.Gets > x.Most) {
					t.Fatalf("%T gives %d GPUs to a job of %d to %d", rule, x.Gets, x.Least, x.Most)
				}
			}
			if sum > gpus {
				t.Fatalf("%T gives %d of %d GPUs", rule, sum, gpus)
			}
		}
	}
}
