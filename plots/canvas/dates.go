package canvas

import (
	"time"

	"gonum.org/v1/plot"
)

// Span names a time from start to end, in one form.
func Span(start, end time.Time, form string) string {
	from := start.Format(form)
	to := end.Format(form)
	if from == to {
		return from
	}
	return from + " to " + to
}

// Dates puts ticks at round instants of the calendar.
type Dates struct {
	Start    time.Time // of the axis, in UTC
	Hours    float64   // its length
	MaxParts int       // between ticks
}

// daySteps are steps that divide days or are whole days.
var daySteps = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 96 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
}

// Ticks implements plot.Ticker.
func (d Dates) Ticks(_, _ float64) []plot.Tick {
	if step := d.Step(); step > 0 {
		return d.steps(step)
	}
	for _, months := range []int{1, 2, 3, 6, 12, 24, 60, 120, 240} {
		if d.Hours/(730.5*float64(months)) <= float64(d.MaxParts) {
			return d.months(months)
		}
	}
	return nil
}

// Step is the smallest of the steps in days that is long enough, 0 if none is.
func (d Dates) Step() time.Duration {
	for _, step := range daySteps {
		if d.Hours/step.Hours() <= float64(d.MaxParts) {
			return step
		}
	}
	return 0
}

// steps counts days from the first midnight, so that they do not jump at the end
// of a month.
func (d Dates) steps(step time.Duration) []plot.Tick {
	year, month, day := d.Start.Date()
	var ticks []plot.Tick
	for at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC); d.at(at) <= d.Hours; at = at.Add(step) {
		form := "2 Jan"
		if at.Hour() != 0 || at.Minute() != 0 {
			form = "15:04"
		}
		ticks = d.add(ticks, at, form)
	}
	return ticks
}

func (d Dates) months(step int) []plot.Tick {
	var ticks []plot.Tick
	for at := time.Date(d.Start.Year(), 1, 1, 0, 0, 0, 0, time.UTC); d.at(at) <= d.Hours; at = at.AddDate(0, step, 0) {
		ticks = d.add(ticks, at, "Jan 2006")
	}
	return ticks
}

func (d Dates) at(t time.Time) float64 { return t.Sub(d.Start).Hours() }

func (d Dates) add(ticks []plot.Tick, t time.Time, form string) []plot.Tick {
	if d.at(t) < 0 {
		return ticks
	}
	return append(ticks, plot.Tick{Value: d.at(t), Label: t.Format(form)})
}

// Unlabelled are ticks without their labels.
type Unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u Unlabelled) Ticks(lo, hi float64) []plot.Tick {
	ticks := u.Ticker.Ticks(lo, hi)
	for i := range ticks {
		ticks[i].Label = " " // without a label it would be a minor tick
	}
	return ticks
}
