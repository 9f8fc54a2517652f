package plots

import (
	"time"

	"gonum.org/v1/plot"
)

// span names a time from start to end, in one form.
func span(start, end time.Time, form string) string {
	a, b := start.Format(form), end.Format(form)
	if a == b {
		return a
	}
	return a + " to " + b
}

// dates puts ticks at round instants of the calendar.
type dates struct {
	start time.Time
	hours float64
	most  int
}

// daySteps are steps that divide days or are whole days.
var daySteps = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 96 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
}

// Ticks implements plot.Ticker.
func (d dates) Ticks(_, _ float64) []plot.Tick {
	if step := d.step(); step > 0 {
		return d.steps(step)
	}
	for _, months := range []int{1, 2, 3, 6, 12, 24, 60, 120, 240} {
		if d.hours/(730.5*float64(months)) <= float64(d.most) {
			return d.months(months)
		}
	}
	return nil
}

// step is the smallest of the steps in days that is long enough, 0 if none is.
func (d dates) step() time.Duration {
	for _, step := range daySteps {
		if d.hours/step.Hours() <= float64(d.most) {
			return step
		}
	}
	return 0
}

// steps counts days from the first midnight, so that they do not jump at the end
// of a month.
func (d dates) steps(step time.Duration) []plot.Tick {
	y, m, day := d.start.Date()
	var ticks []plot.Tick
	for t := time.Date(y, m, day, 0, 0, 0, 0, time.UTC); d.at(t) <= d.hours; t = t.Add(step) {
		form := "2 Jan"
		if t.Hour() != 0 || t.Minute() != 0 {
			form = "15:04"
		}
		ticks = d.add(ticks, t, form)
	}
	return ticks
}

func (d dates) months(step int) []plot.Tick {
	var ticks []plot.Tick
	for t := time.Date(d.start.Year(), 1, 1, 0, 0, 0, 0, time.UTC); d.at(t) <= d.hours; t = t.AddDate(0, step, 0) {
		ticks = d.add(ticks, t, "Jan 2006")
	}
	return ticks
}

func (d dates) at(t time.Time) float64 { return t.Sub(d.start).Hours() }

func (d dates) add(ticks []plot.Tick, t time.Time, form string) []plot.Tick {
	if d.at(t) < 0 {
		return ticks
	}
	return append(ticks, plot.Tick{Value: d.at(t), Label: t.Format(form)})
}

// unlabelled are ticks without their labels.
type unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(lo, hi float64) []plot.Tick {
	ticks := u.Ticker.Ticks(lo, hi)
	for i := range ticks {
		ticks[i].Label = " " // without a label it would be a minor tick
	}
	return ticks
}
