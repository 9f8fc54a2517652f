package sweep

import (
	"strings"
	"testing"
)

func TestShard(t *testing.T) {
	for _, c := range []struct {
		text, variable string
		want           Shard
		err            string
	}{
		{"0/1", "", Shard{0, 1}, ""},
		{"3/8", "SLURM_ARRAY_TASK_ID=5", Shard{3, 8}, ""},
		{"8/8", "", Shard{}, "8 is not a number from 0 to 7"},
		{"-1/8", "", Shard{}, "from 0 to 7"},
		{"1/0", "", Shard{}, "N at least 1"},
		{"1", "", Shard{}, "expected I/N"},
		{"auto/8", "", Shard{}, "no scheduler"},
		{"auto/8", "SLURM_ARRAY_TASK_ID=5", Shard{5, 8}, ""},
		{"auto/8", "SLURM_ARRAY_TASK_ID=8", Shard{}, "SLURM_ARRAY_TASK_ID=8 is not a number from 0 to 7"},
		{"auto/8", "JOB_COMPLETION_INDEX=7", Shard{7, 8}, ""},
		{"auto/8", "PBS_ARRAY_INDEX=0", Shard{0, 8}, ""},
		{"auto/8", "AWS_BATCH_JOB_ARRAY_INDEX=1", Shard{1, 8}, ""},
		{"auto/8", "SGE_TASK_ID=8", Shard{7, 8}, ""},
		{"auto/8", "SGE_TASK_ID=undefined", Shard{}, "no scheduler"},
		{"auto/8", "LSB_JOBINDEX=0", Shard{}, "from 1 to 8"},
		{"auto/8", "LSB_JOBINDEX=1", Shard{0, 8}, ""},
	} {
		name, value, _ := strings.Cut(c.variable, "=")
		got, err := ParseShard(c.text, func(v string) string {
			if v == name {
				return value
			}
			return ""
		})
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %s: %v, %v, want %v, %q", c.text, c.variable, got, err, c.want, c.err)
		}
	}
}

// Every chunk is in one shard, however many there are.
func TestShardsCover(t *testing.T) {
	for n := 1; n < 20; n++ {
		for chunk := range 50 {
			owners := 0
			for i := range n {
				if (Shard{i, n}).owns(chunk) {
					owners++
				}
			}
			if owners != 1 {
				t.Errorf("chunk %d of %d shards has %d owners", chunk, n, owners)
			}
		}
	}
}
