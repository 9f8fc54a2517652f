package forecast

// smoothing is simple exponential smoothing: the level moves towards each value
// by a share of the distance (Brown 1959), from the first value of the window
// on, and is the forecast of all intervals to come. The share, 0 to 1, is the one
// with the least squared errors one interval ahead within the window.
type smoothing struct {
	Window int // values looked at; 0: all
	x      []float64
}

// Forecast implements Forecaster.
func (s *smoothing) Forecast(out, trace []float64) {
	s.x = append(s.x[:0], last(trace, s.Window)...)
	_, level := s.run(line(s.errors, 0, 1))
	fill(out, level)
}

func (s *smoothing) errors(share float64) float64 {
	sum, _ := s.run(share)
	return sum
}

// run returns the sum of squared errors one interval ahead, and the last level.
func (s *smoothing) run(share float64) (sum, level float64) {
	level = s.x[0]
	for _, v := range s.x[1:] {
		e := v - level
		sum += e * e
		level += share * e
	}
	return sum, level
}
