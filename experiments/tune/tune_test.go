package tune_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/tune"
)

// small is a question with a quick answer.
func small() tune.Question {
	return tune.Question{Spec: "quickstart", Policy: "reactive", Objective: "loss-0.8-in-40min", Share: 0.2, Within: 0.1, Blocks: 60,
		Set: []string{"market.replay.notice_s=30,120", "market.pools.0.quota=1,2"}}
}

func find(t *testing.T, q tune.Question, o tune.Options) *tune.Answer {
	t.Helper()
	a, err := tune.Find(context.Background(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tree returns the files of a folder by their paths.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The files of an answer are the same on one core and on several, and after interrupts;
// without a folder the answer is the same, too.
func TestSameBytes(t *testing.T) {
	one, more, stopped := t.TempDir(), t.TempDir(), t.TempDir()
	a := find(t, small(), tune.Options{Workers: 1, Dir: one})
	find(t, small(), tune.Options{Workers: 3, Dir: more})
	stops := 0
	for until := int64(1); ; until += 60 { // runs
		ctx, cancel := context.WithCancel(context.Background())
		_, err := tune.Find(ctx, small(), tune.Options{Workers: 2, Dir: stopped, Progress: func(p tune.Progress) {
			if p.Runs >= until {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		stops++
	}
	if stops < 2 {
		t.Errorf("interrupted %d times, expected more", stops)
	}
	want := tree(t, one)
	for _, dir := range []string{more, stopped} {
		got := tree(t, dir)
		if len(got) != len(want) {
			t.Errorf("%d files, want %d", len(got), len(want))
		}
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s differs", name)
			}
		}
	}
	b := find(t, small(), tune.Options{})
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Error("with a folder the answer differs")
	}
}

// A chunk that is damaged is made again, and a folder of another question is refused; more
// runs than before are no other question.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	find(t, small(), tune.Options{Dir: dir})
	parts, _ := filepath.Glob(filepath.Join(dir, "plan=*", "part-000001.parquet"))
	if len(parts) != 1 {
		t.Fatal(parts)
	}
	want, _ := os.ReadFile(parts[0])
	if err := os.WriteFile(parts[0], want[:len(want)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	said := ""
	q := small()
	q.Max = 1 << 40
	find(t, q, tune.Options{Dir: dir, Notice: func(text string) { said += text }})
	got, _ := os.ReadFile(parts[0])
	if string(got) != string(want) || !strings.Contains(said, "part-000001.parquet.damaged-1") {
		t.Errorf("the chunk is not as before; %q", said)
	}
	q.Within = 0.05
	if _, err := tune.Find(context.Background(), q, tune.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "another question") {
		t.Error(err)
	}
}

// The winner's YAML is a part of a spec, and stands for what was run.
func TestWinnerIsASpec(t *testing.T) {
	q := small()
	q.Set = []string{"policy.patience_s=30,600"}
	q.Policy = "spotdnn"
	a := find(t, q, tune.Options{})
	source, err := os.ReadFile("../specs/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, rest, _ := strings.Cut(string(source), "policies:\n")
	_, rest, _ = strings.Cut(rest, "market:\n")
	s, err := spec.Parse("pasted.yaml", []byte(text+a.Text()+"market:\n"+rest))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Policies) != 1 || s.Policies[0].Name != "spotdnn" || len(s.Policies[0].Settings) != 1 {
		t.Errorf("%+v of\n%s", s.Policies, a.Text())
	}
}

// A bound on the runs is kept, the check included; without room for it the winner is not proven.
func TestMaxRuns(t *testing.T) {
	q := small()
	free := find(t, q, tune.Options{})
	q.Max = free.Runs.All()
	if a := find(t, q, tune.Options{}); a.Runs != free.Runs || a.Verdict != tune.Proven || a.Fresh == 0 {
		t.Errorf("%d runs allowed: %+v, %s", q.Max, a.Runs, a.Verdict)
	}
	q.Max--
	a := find(t, q, tune.Options{})
	if a.Runs.Check != 0 || a.Verdict != tune.Undecided || string(a.Winner) != string(free.Winner) || a.MetCI != nil {
		t.Errorf("%d runs allowed: %+v, %s, winner %s", q.Max, a.Runs, a.Verdict, a.Winner)
	}
}

// Bad questions are errors that say what was expected.
func TestBadQuestions(t *testing.T) {
	for want, change := range map[string]func(*tune.Question){
		"cannot be shown":        func(q *tune.Question) { q.Share = 1 },
		"within: NaN":            func(q *tune.Question) { q.Within = nan() },
		"expected 20 to":         func(q *tune.Question) { q.Blocks = 5 },
		"nothing to tune":        func(q *tune.Question) { q.Set = nil },
		"which policy?":          func(q *tune.Question) { q.Policy = "" },
		"which objective?":       func(q *tune.Question) { q.Objective = "" },
		`unknown objective "x"`:  func(q *tune.Question) { q.Objective = "x" },
		"is given twice":         func(q *tune.Question) { q.Set = append(q.Set, q.Set[0]) },
		"is there twice":         func(q *tune.Question) { q.Set = []string{"market.replay.notice_s=30,30"} },
		"say what they take":     func(q *tune.Question) { q.Set = []string{"market.replay.notice_s"} },
		"has no setting":         func(q *tune.Question) { q.Set = []string{"policy.patience=3"} },
		"seeds is no setting":    func(q *tune.Question) { q.Set = []string{"seeds=3"} },
		"name the values to try": func(q *tune.Question) { q.Policy, q.Set = "spotdnn", []string{"policy.patience_s=9..100"} },
		"name the values":        func(q *tune.Question) { q.Policy, q.Set = "spotdnn", []string{"policy.patience_s"} },
		"notice_s":               func(q *tune.Question) { q.Set = []string{"market.replay.notice_s=-5,3"} },
		"more than 10000":        func(q *tune.Question) { q.Set = many() },
	} {
		q := small()
		change(&q)
		if _, err := tune.Find(context.Background(), q, tune.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func nan() float64 { x := 0.0; return x / x }

// many is a grid that is too large.
func many() (set []string) {
	for _, path := range []string{"market.replay.notice_s", "market.pools.0.quota", "market.pools.1.quota", "market.pools.2.quota", "market.pools.3.quota"} {
		set = append(set, path+"=1,2,3,4,5,6,7,8")
	}
	return set
}
