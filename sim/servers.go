package sim

// setServers gives job j the number of parameter servers that the plan wants.
// They are on demand and ready at once; Model.Change says what the change costs.
func (w *World) setServers(j, n int) {
	if n < 0 {
		panic("sim: Plan: a negative number of parameter servers")
	}
	s := &w.jobs[j]
	if s.active() && int(s.servers) != n {
		s.serverUSD += w.serverCost(j)
		s.servers, s.serversSince = int32(n), w.now
		s.laidOut, w.supply = false, true
	}
}

// serverCost returns what the parameter servers of job j cost since their number
// last changed, USD.
func (w *World) serverCost(j int) float64 {
	s := &w.jobs[j]
	return float64(w.serverPrice(j) * min(s.finish, w.now).Sub(s.serversSince).Hours())
}

// serverPrice returns what job j's parameter servers cost, USD per hour.
func (w *World) serverPrice(j int) float64 {
	if w.cfg.Billing.SkipParameterServers {
		return 0
	}
	return float64(w.jobs[j].servers) * w.specs[j].ParameterServerPrice
}
