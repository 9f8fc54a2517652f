package cmd

import (
	"os"
	"strings"
	"testing"
)

// No command prints what could be a password, and none takes the address of a bucket that is misspelt for a folder of
// its own.
func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, address := range []string{"s3://ID:hush@bucket/x", "S3://bucket/x", "s3:/bucket/x", "gs://bucket/x?token=hush"} {
		for _, command := range []string{
			"run ADDRESS",
			"run quickstart --out ADDRESS",
			"run quickstart --runs=ADDRESS",
			"run quickstart -s market.traces.0.path=ADDRESS",
			"validate ADDRESS",
			"sweep ADDRESS",
			"backtest ADDRESS",
			"backtest quickstart --fleet ADDRESS",
			"explain ADDRESS --dollars",
			"explain --dollars ADDRESS",
			"calibrate fit ADDRESS",
			"calibrate check ADDRESS",
			"calibrate predict ADDRESS",
			"calibrate summary ADDRESS",
			"traces stats ADDRESS",
			"traces import ADDRESS --out x",
			"judge ADDRESS",
			"plan recommend ADDRESS",
			"observe ADDRESS",
			"report ADDRESS",
			"compare ADDRESS",
			"init ADDRESS",
			"init --gpu H100:8 --prices ADDRESS",
			"init --gpu H100:8 -o ADDRESS",
			"advise ADDRESS",
			"ADDRESS",
		} {
			code, stdout, stderr := marigram(strings.Fields(strings.Replace(command, "ADDRESS", address, 1))...)
			if code == 0 || strings.Contains(stdout+stderr, "hush") {
				t.Errorf("%s with %s: exit status %d\n%s%s", command, address, code, stdout, stderr)
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What a safe policy goes by has no infinite number where on demand cannot meet the objective, so that there is no
// limit of dollars.
func TestExplainWithoutALimit(t *testing.T) {
	out := t.TempDir()
	code, _, stderr := marigram("run", "quickstart", "--policy", "safe:reactive", "-s", "objectives.0.time_s=60",
		"--seeds", "1", "--no-plots", "--out", out)
	if code != 0 {
		t.Fatal(stderr)
	}
	code, stdout, stderr := marigram("explain", out, "--at", "0:00")
	if code != 0 || strings.Contains(stdout, "Inf") || !strings.Contains(stdout, "the plan on demand") {
		t.Errorf("exit status %d\n%s%s", code, stdout, stderr)
	}
}
