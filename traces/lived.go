package traces

// livesOf returns the lives of machines, in the order of their ends, then those
// that are there at the end in the order in which they came.
func livesOf(rows []InstanceEventRow, end int64) []lived {
	var lives []lived
	born := map[string]int64{}
	var order []string
	add := func(from, to int64, died bool) {
		if to > from {
			lives = append(lives, lived{float64(to-from) / microsecondsPerHour, died})
		}
	}
	for _, r := range rows {
		since, up := born[r.InstanceID]
		switch {
		case r.Comes() && !up:
			born[r.InstanceID] = r.T
			order = append(order, r.InstanceID)
		case r.Goes() && up:
			add(since, r.T, !(r.Kind == KindTerminate && r.Reason == "user"))
			delete(born, r.InstanceID)
		}
	}
	for _, id := range order {
		if since, up := born[id]; up {
			add(since, end, false)
			delete(born, id)
		}
	}
	return lives
}

// lived is how long one machine was seen to live.
type lived struct {
	hours float64 // above 0
	died  bool    // false: still there when it was last seen, or stopped by its user
}
