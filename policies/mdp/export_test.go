package mdp

// Sizes returns the most that a regime of a table has to choose from, clusters, and the bytes of all tables that are
// kept.
func (m *MDP) Sizes() (clusters, bytes int) {
	memory := &m.planner.tables
	bytes = 8 * (cap(memory.values) + cap(memory.costs))
	for i := range memory.list {
		t := &memory.list[i]
		bytes += 8 * cap(t.next)
		for r := range t.regimes {
			clusters = max(clusters, len(t.regimes[r].clusters))
		}
	}
	return clusters, bytes
}
