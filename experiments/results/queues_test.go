package results

import "testing"

// TestQueues: speech uses 8 GPUs for half an hour, with a quota of 4, and has waited an hour and none.
func TestQueues(t *testing.T) {
	end := 7200.0
	none := 0.0
	hour := 3600.0
	r := Run{Summary: Summary{Policy: "kueue", FinishS: &end}}
	r.Jobs = []Job{
		{VC: "speech", QueueS: &hour, StartS: &hour, FinishS: &end, GPUH: &hour, Suspensions: 1},
		{VC: "speech", QueueS: &none},
		{VC: "vision", QueueS: &none, StartS: &none},
	}
	r.Decisions = []Decision{
		{AtS: 0, Inputs: "speech 8 GPUs used; speech 4 GPUs nominal; slack 3 s"},
		{AtS: 1800, Inputs: "speech 4 GPUs used; speech 4 GPUs nominal"},
	}
	got := r.Queues()
	if len(got) != 2 || got[0].Name != "speech" || got[1].Name != "vision" {
		t.Fatalf("queues %+v, expected speech and vision", got)
	}
	q := got[0]
	if q.Jobs != 2 || q.Done != 1 || q.WaitMeanS != 1800 || q.WaitP95S != 3600 || q.Admissions != 2 || q.Stopped != 1 || q.BorrowedH != 2 {
		t.Errorf("speech %+v", q)
	}
	if got[1].BorrowedH != 0 || got[1].Jobs != 1 {
		t.Errorf("vision %+v", got[1])
	}
}
