package workload

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Records that went into a file come back in order of time, those of one instant in the order in which they came, from
// any place.
func TestJobStore(t *testing.T) {
	for _, n := range []int{1, 100, 120_000} {
		s := &jobStore{}
		instant := func(i int) int64 { return 1e6 + int64(i*7919%n)/2 }
		job := func(i int) Job {
			j := Job{ID: fmt.Sprint("job-", i), Kind: fmt.Sprint("kind", i%3), User: fmt.Sprint("user", i%5), GPUs: 1 + i%8, Weight: 2.5,
				Deadline: time.Hour, steps: float64(i),
				duration: time.Duration(i), requested: time.Duration(2 * i),
				durationOn: "v100", file: 3, line: int64(i)}
			if i%2 == 0 {
				j.models = []string{"k80", "v100"}
			}
			return j
		}
		for i := range n {
			j := job(i)
			if err := s.add(&j, instant(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.seal(); err != nil {
			t.Fatal(err)
		}
		if filed := s.file != nil; filed != (n > 100_000) {
			t.Errorf("%d jobs: in a file: %v", n, filed)
		}
		var last, j Job
		c, middle := s.from(0), int64(0)
		for k := range n {
			if more, err := c.next(&j); err != nil || !more {
				t.Fatalf("job %d: %v, %v", k, more, err)
			}
			if k > 0 && (j.Submit < last.Submit || j.Submit == last.Submit && j.line < last.line) {
				t.Fatalf("job %s after %s", j.ID, last.ID)
			}
			want := job(int(j.line))
			want.Submit = time.Duration(instant(int(j.line))-s.first) * time.Microsecond
			if !reflect.DeepEqual(j, want) {
				t.Fatalf("%+v, want %+v", j, want)
			}
			last = j
			if k == n/2 {
				middle = c.at
			}
		}
		if more, err := c.next(&j); err != nil || more {
			t.Errorf("a job after the last: %v", err)
		}
		c = s.from(middle)
		for k := n/2 + 1; k < n; k++ {
			if more, err := c.next(&j); err != nil || !more {
				t.Fatal(more, err)
			}
		}
		if n > 1 && j.ID != last.ID {
			t.Errorf("from the middle the last is %s, want %s", j.ID, last.ID)
		}
	}
}
