package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

const throughputHead = "pipelines,stages,samples,step_s\n"

func TestReadThroughput(t *testing.T) {
	for says, rows := range map[string]string{
		`t.csv:2:1: pipelines: "0", expected a whole number from 1`:        "0,4,8,1\n",
		`t.csv:2:3: stages: "x"`:                                           "1,x,8,1\n",
		`t.csv:2:7: step_s: "0", expected a number from`:                   "1,4,8,0\n",
		`t.csv:3:5: samples: 9, expected 8 as in the first row`:            "1,4,8,1\n2,4,9,1\n",
		`t.csv:3:1: pipelines: 1 pipelines of 4 stages are given twice`:    "1,4,8,1\n1,4,8,2\n",
		`t.csv:2:6: stages: "65536", expected a whole number from 1 to 32`: "2000,65536,8,1\n",
		`no rows`: "",
	} {
		if _, err := ReadThroughput("t.csv", strings.NewReader(throughputHead+rows)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// Steps of 8 samples take 8, 4 and 1 s on one, two and five pipelines: 1, 2 and 8
// samples/s, and so 4 and 6 on three and four. Another depth stays by itself.
func TestFill(t *testing.T) {
	check := near.Count(t)
	table, err := ReadThroughput("t.csv", strings.NewReader(throughputHead+"5,3,8,1\n1,3,8,8\n2,3,8,4\n9,4,8,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	filled := table.Fill()
	want := []LayoutSpeed{{3, 3, 4}, {4, 3, 6}}
	if len(filled) != 2 || len(table.Layouts) != 6 {
		t.Fatalf("%v filled in, want %v", filled, want)
	}
	for i, w := range want {
		if g := filled[i]; g.Pipelines != w.Pipelines || g.Stages != w.Stages || check.Off(g.SamplesPerS, w.SamplesPerS, 1e-12) {
			t.Errorf("%v, want %v", g, w)
		}
	}
	if again := table.Fill(); again != nil {
		t.Errorf("%v filled in twice", again)
	}
}

// Every published table makes a model; BERT on four pipelines trains 264 samples
// in 1.45 s.
func TestPublishedThroughputs(t *testing.T) {
	check := near.Count(t)
	names := PublishedThroughputs()
	for _, name := range names {
		table, err := PublishedThroughput(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(1, table.Samples, table.Layouts, Recovery{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "bamboo-bert" && check.Off(table.Layouts[3].SamplesPerS, 264/1.45, 1e-9) {
			t.Errorf("%v", table)
		}
	}
	for _, want := range []string{"bamboo-alexnet", "bamboo-gpt-2", "bamboo-bert-large-a40", "oobleck-gpt-3-6.7b-a40", "varuna-bert-large-a40",
		"sailor-gpt-neo-2.7-v100-16x4", "sailor-llama-3-8-gh-96x4", "sailor-opt-30-a100-40x4"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	if _, err := PublishedThroughput("bert"); err == nil || !strings.Contains(err.Error(), "bamboo-bert") {
		t.Errorf("got %v", err)
	}
}
