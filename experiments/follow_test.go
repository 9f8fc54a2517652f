package experiments

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/workload"
)

// A run that starts an hour later in the trace has the jobs of an hour later where they follow its start, else the
// same.
func TestFollowStart(t *testing.T) {
	const trace = "job_id,submit_s,gpus,duration_s\na,0,1,60\nb,3000,1,60\nc,3700,1,60\nd,5000,1,60\ne,9000,1,60\n"
	for _, x := range []struct {
		jobs  string
		start time.Duration
		want  string
	}{
		{"{trace: jobs.csv}", time.Hour, "a 0 b 3000 c 3700 d 5000 e 9000"},
		{"{trace: jobs.csv, follow_start: true}", 0, "a 0 b 3000 c 3700 d 5000 e 9000"},
		{"{trace: jobs.csv, follow_start: true}", time.Hour, "c 100 d 1400 e 5400"},
		{"{trace: jobs.csv, follow_start: true, until_s: 3600}", time.Hour, "c 100 d 1400"},
		{"{trace: jobs.csv, follow_start: true, from_s: 1000}", time.Hour, "d 400 e 4400"},
		{"{trace: jobs.csv, follow_start: true, load: 2}", time.Hour, "c 50 d 700 e 2700"},
	} {
		s, err := openCluster(t, strings.Replace(smallCluster, "{trace: jobs.csv}", x.jobs, 1), trace)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Markets.For(1)
		if err != nil {
			t.Fatal(err)
		}
		work, err := s.work.(*manyJobs).load.For(1, m, x.start)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := work.Each(func(_ int, j *workload.Job) { got = append(got, fmt.Sprint(j.ID, " ", j.Submit.Seconds())) }); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got, " "); text != x.want {
			t.Errorf("%s, %v later: %s, expected %s", x.jobs, x.start, text, x.want)
		}
	}
}
