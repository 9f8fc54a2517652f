package skynomad

import "math"

// Job is one training job, by the clock of ticks.
type Job struct {
	TickS        float64 // at whose starts everything happens
	WorkS        float64 // on one instance
	DeadlineS    float64
	RestartS     float64 // after each launch, before work goes on
	CheckpointGB float64 // that a move between regions carries
}

// State is what is known of a job at the start of a tick.
type State struct {
	Now       float64 // s
	Done      float64 // s of work
	OverheadS float64 // of the restart that is left
}

// Left returns the work left, s.
func (j *Job) Left(s *State) float64 { return j.WorkS - s.Done }

// up rounds a span up to whole ticks.
func (j *Job) up(span float64) float64 { return math.Ceil(span/j.TickS) * j.TickS }

// ticksLeft returns the time to the deadline in whole ticks, s.
func (j *Job) ticksLeft(s *State) float64 {
	return math.Floor((j.DeadlineS-s.Now)/j.TickS) * j.TickS
}

// MustRun reports whether only an instance on demand from now on meets the deadline.
func (j *Job) MustRun(s *State) bool {
	return math.Ceil((j.Left(s)+j.RestartS)/j.TickS)*j.TickS >= j.ticksLeft(s)
}

// Progress is Uniform Progress's answer (Can't Be Late, NSDI 2024) for a job that
// holds one kind, where spot is available or not. stay tells that it went from on-demand
// to spot only because progress is ahead of the line (hysteresis).
func (j *Job) Progress(s *State, held Kind, available bool) (want Kind, stay bool) {
	ahead := (s.Now+2*j.RestartS)*j.WorkS/j.DeadlineS - s.Done
	want = j.line(s, held, available, ahead, false)
	if j.up(j.Left(s)+j.RestartS) >= j.ticksLeft(s) {
		want = OnDemand
		if held == Spot && s.OverheadS < 1e-3 || j.RestartS == 0 && available {
			want = Spot
		}
	}
	if held == OnDemand && available && want == OnDemand && ahead < 0 {
		return Spot, true
	}
	return want, false
}

// line is what uniform progress alone asks for; early counts the last moment itself as
// too late.
func (j *Job) line(s *State, held Kind, available bool, ahead float64, early bool) Kind {
	want := None
	if available {
		want = Spot
	}
	if s.Done-s.Now*j.WorkS/j.DeadlineS < 0 && !available {
		want = OnDemand
	}
	if held == OnDemand && (!available || ahead >= 0) {
		want = OnDemand
	}
	late := j.up(j.Left(s)+2*j.RestartS) - j.ticksLeft(s)
	if (late > 0 || early && late == 0) && held != Spot {
		want = OnDemand
	}
	return want
}

// ProgressInOne is Uniform Progress's answer for a job in a single zone: held is what is
// held now, and asked what was asked for at the tick before.
func (j *Job) ProgressInOne(s *State, held, asked Kind, available bool) Kind {
	want := j.line(s, held, available, (s.Now+2*j.RestartS)*j.WorkS/j.DeadlineS-s.Done, true)
	late := j.up(j.Left(s)+j.RestartS) >= j.ticksLeft(s)
	if late {
		want = OnDemand
		if asked == Spot && s.OverheadS < 1e-3 {
			want = Spot
		}
	}
	if want == Spot && !available {
		want = None
		if late {
			want = OnDemand
		}
	}
	return want
}
