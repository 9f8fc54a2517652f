package schedulers

import "github.com/marigram/marigram/sim"

// limit is an instant at which something is to be done about a job. It is void if the job's stamp
// is another by then.
type limit struct {
	at         sim.Time
	job, stamp int
}

// limitHeap is instants, the earliest first: each is before its children, at 2k+1 and 2k+2.
type limitHeap []limit

func (h *limitHeap) push(x limit) {
	*h = append(*h, x)
	list := *h
	k := len(list) - 1
	for k > 0 && list[(k-1)/2].at > x.at {
		list[k] = list[(k-1)/2]
		k = (k - 1) / 2
	}
	list[k] = x
}

// pop takes the earliest.
func (h *limitHeap) pop() limit {
	list := *h
	top, x := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return top
	}
	k := 0
	for {
		c := 2*k + 1
		if c >= len(list) {
			break
		}
		if c+1 < len(list) && list[c+1].at < list[c].at {
			c++
		}
		if list[c].at >= x.at {
			break
		}
		list[k] = list[c]
		k = c
	}
	list[k] = x
	return top
}
