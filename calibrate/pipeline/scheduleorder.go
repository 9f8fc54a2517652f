package pipeline

// order fills in the tasks of every stage for m micro-batches.
func order(s Schedule, m int, stages []pipeStage) {
	if s == Varuna {
		varunaOrder(m, stages)
	}
	for i := range stages {
		stage := &stages[i]
		switch s {
		case GPipe:
			stage.tasks = gpipeOrder(m)
		case OneFOneB:
			stage.tasks = oneFOneBOrder(m, min(m, len(stages)-1-i))
		}
		stage.ready = stage.when(s == Varuna)
	}
}

func gpipeOrder(m int) (tasks []task) {
	for batch := range m {
		tasks = append(tasks, task{forward, batch})
	}
	for batch := m - 1; batch >= 0; batch-- {
		tasks = append(tasks, task{recompute, batch}, task{backward, batch})
	}
	return tasks
}

// oneFOneBOrder is that of a stage with n stages behind it.
func oneFOneBOrder(m, behind int) (tasks []task) {
	for b := range behind {
		tasks = append(tasks, task{forward, b})
	}
	for b := range m {
		if b+behind < m {
			tasks = append(tasks, task{forward, b + behind})
		}
		tasks = append(tasks, task{backward, b})
	}
	return tasks
}

// varunaOrder finds Varuna's order in time slots of one forward pass, in which a
// backward pass takes two. In each slot a stage ends its backward pass, or begins
// one that it has recomputed for, or recomputes, or does a forward pass, whichever
// is the first that it can. A stage may recompute when the one behind it has done
// the first half of its backward pass: then the gradient comes when it is done.
func varunaOrder(m int, stages []pipeStage) {
	ends := make([]bool, len(stages)) // it is in the second half of a backward pass
	had := make([]queues, len(stages))
	had[0].waiting[forward] = m
	last := len(stages) - 1
	left := 3*m*len(stages) - m // the last stage recomputes nothing
	picked := make([]taskKind, len(stages))
	for left > 0 {
		for i := range had {
			if picked[i] = idle; ends[i] {
				ends[i] = false
				continue
			}
			if picked[i] = had[i].pick(); picked[i] != idle {
				stages[i].tasks = append(stages[i].tasks, task{picked[i], had[i].done[picked[i]]})
				had[i].done[picked[i]]++
				left--
			}
		}
		for i, kind := range picked {
			switch {
			case kind == forward && i < last:
				had[i+1].waiting[forward]++
			case kind == forward || kind == recompute:
				had[i].waiting[backward]++
			case kind == backward:
				if ends[i] = true; i > 0 {
					had[i-1].waiting[recompute]++
				}
			}
		}
	}
}

const idle taskKind = 3

// queues counts the tasks of one stage, by kind; each kind is done in the order
// of the micro-batches.
type queues struct{ waiting, done [idle]int }

// pick takes a task that waits: backward before recompute before forward.
func (q *queues) pick() taskKind {
	for _, kind := range [...]taskKind{backward, recompute, forward} {
		if q.waiting[kind] > 0 {
			q.waiting[kind]--
			return kind
		}
	}
	return idle
}
