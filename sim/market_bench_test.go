package sim

// The two loops below are World.RunUntil without a world, over the merged
// columns that are not exported; the benchmarks are in replay_bench_test.go.

// ReplayRecords hands all of m's merged records, prices included, to handle in
// their order, and returns how many there are.
func ReplayRecords(m *Market, handle func(at Time, pool int32, usd float64)) int {
	all := m.all()
	for i := range all {
		r := &all[i]
		if r.kind == recordPrice {
			handle(r.at, r.pool, r.value)
		}
	}
	return len(all)
}

// DrainRecords runs timers against m's merged records until the last record;
// at one instant the record comes first. The earliest timer is read again after
// every record, because a handler may move it. It returns the number of records
// and timers handled.
func DrainRecords(m *Market, timers *Timers, onRecord func(at Time, pool int32, usd float64), onTimer func(at Time, slot int)) (events int) {
	all := m.all()
	for cursor := 0; cursor < len(all); events++ {
		r := &all[cursor]
		if at, slot := timers.First(); at < r.at {
			onTimer(at, slot)
			continue
		}
		cursor++
		if r.kind == recordPrice {
			onRecord(r.at, r.pool, r.value)
		}
	}
	return events
}
