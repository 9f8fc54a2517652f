package reference

import "testing"

// Leases and auctions by arithmetic: one GPU, chunks of 100 iterations of a second, jobs of 250 iterations (three
// chunks, the last half empty).
func TestByHand(t *testing.T) {
	job := func(arrival float64) Job {
		return Job{Arrival: arrival, GPUs: 1, Iterations: 250, Seconds: 1, Speed: [SeveralRacks + 1]float64{1, 1, 1, 1}}
	}
	for _, x := range []struct {
		name        string
		lease       float64
		second      float64 // arrival of the second job
		start, ends [2]float64
		queue       [2]float64
	}{
		{"the auction after an end is a second later", 600, 0, [2]float64{0, 301}, [2]float64{300, 601}, [2]float64{0, 301}},
		{"a lease that would end within a chunk is given back before it, without that second; of equal scores who waits longer is first", 250, 0,
			[2]float64{0, 200}, [2]float64{500, 601}, [2]float64{200, 301}},
		{"a lease that is over at the end of a chunk costs the second", 200, 0, [2]float64{0, 201}, [2]float64{502, 603}, [2]float64{202, 303}},
		{"the later of two jobs finds the GPU free", 600, 400, [2]float64{0, 400}, [2]float64{300, 700}, [2]float64{0, 0}},
	} {
		for _, tiresias := range []bool{false, true} {
			got := Run(Config{Cluster: Cluster{1, 1, 1, 1}, Lease: x.lease, Chunk: 100, History: 24, Tiresias: tiresias, Jobs: []Job{job(0), job(x.second)}})
			for i, g := range got {
				if g.Start != x.start[i] || g.End != x.ends[i] || g.Queue != x.queue[i] {
					t.Errorf("%s (Tiresias %v): job %d starts at %v, ends at %v, waits %v; expected %v, %v, %v", x.name, tiresias, i, g.Start, g.End, g.Queue,
						x.start[i], x.ends[i], x.queue[i])
				}
			}
		}
	}
}
