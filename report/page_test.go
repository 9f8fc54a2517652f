package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
)

func pageOf(t *testing.T, set *results.Set) string {
	t.Helper()
	var out bytes.Buffer
	if err := Page(&out, set); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func pageOfStudy(t *testing.T, s *Study) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Page(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The kept library is the one that npm has as uplot@1.6.32.
func TestUPlot(t *testing.T) {
	for text, want := range map[*string]string{
		&uplotScript:  "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		&uplotStyle:   "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		&uplotLicence: "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		if sum := sha256.Sum256([]byte(*text)); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%.40q has SHA-256 %x, expected %s", *text, sum, want)
		}
	}
	for _, script := range []string{uplotScript, tablesScript, timelineScript} {
		if strings.Contains(script, "</script") || strings.Contains(script, "<!--") {
			t.Error("a script ends its own element")
		}
	}
}

// A page of a 20-run comparison, of 2000 stretches each, stays below 3 MB, is the
// same every time, and says what it leaves out.
func TestPageSize(t *testing.T) {
	set := synthetic(6, 2000)
	text := pageOf(t, set)
	if len(text) > 3e6 {
		t.Errorf("%d bytes for 20 of %d runs", len(text), len(set.Summaries))
	}
	if text != pageOf(t, set) {
		t.Error("two pages of the same set differ")
	}
	for _, says := range []string{"24 of 24 runs kept a timeline; 20 of them are here", "drawn as means over 36.2 s each, of 2000 stretches",
		"120 of 400 decisions are listed"} {
		if !strings.Contains(text, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

// Text from files stays text, and nothing is asked of a network.
func TestPageEscapes(t *testing.T) {
	text := pageOf(t, synthetic(2, 50))
	if strings.Contains(text, "<script>alert") || strings.Contains(text, "<img") {
		t.Error("text of a file has become markup")
	}
	markup := regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(?i)\b(src|href|action|srcset|data)\s*=\s*["']?([^"'\s>]*)`).FindAllStringSubmatch(markup, -1) {
		if !strings.HasPrefix(m[2], "#") && !strings.HasPrefix(m[2], "//exam") { // the latter is escaped text
			t.Errorf("the page refers to %s", m[0])
		}
	}
	if !strings.Contains(text, `marigram run &#39;it&#39;\&#39;&#39;s.yaml&#39; --out out`) {
		t.Error("the command that makes it again is not quoted for a shell")
	}
}

var (
	ledgers = regexp.MustCompile(`(?s)<table class="ledger sortable[^"]*">\n<thead><tr><th class="text">([^<]*)</th>.*?</table>`)
	rowsOf  = regexp.MustCompile(`(?s)<tr><th scope="row" class="text" data-value="\d+">.*?</tr>`)
	parts   = regexp.MustCompile(`<td(?: class="(strong)")? data-label="[^"]*">([-0-9.]+)</td>`)
)

// What a reader adds up is what the page calls the total, and that is the mean of
// the summaries.
func TestBooksAddUp(t *testing.T) {
	check := near.Count(t)
	set := synthetic(3, 40)
	text := pageOf(t, set)
	rows := 0
	for _, table := range ledgers.FindAllStringSubmatch(text, -1) {
		for _, line := range rowsOf.FindAllString(table[0], -1) {
			sum, total := 0.0, math.NaN()
			for _, cell := range parts.FindAllStringSubmatch(line, -1) {
				x, err := strconv.ParseFloat(cell[2], 64)
				if err != nil {
					t.Fatal(err)
				}
				if cell[1] != "" {
					total = x
				} else {
					sum += x
				}
			}
			if check.Off(sum, total, 1e-9) || total == 0 {
				t.Errorf("the parts are %v %s, the total %v", sum, table[1], total)
			}
			rows++
		}
	}
	if rows != 2*2*2 {
		t.Errorf("%d rows of books, expected one of hours and one of dollars for 2 policies and 2 objectives", rows)
	}
	want := 0.0
	for _, s := range set.Summaries[:3] {
		want += s.CostUSD / 3
	}
	if got := ledgerOf(Of(set).objectives[0].Rows[0].dollars, 3, 2).Total; got != strconv.FormatFloat(want, 'f', 4, 64) { // less than a dollar
		t.Errorf("total %s USD, the mean of the runs is %v", got, want)
	}
}

// The verdict comes first, then the warnings, then the numbers that these qualify; a
// policy has in tables the line and point that it has in figures.
func TestPageTop(t *testing.T) {
	set := synthetic(2, 50)
	set.Summaries[0].Policy = "greedy"
	text := pageOf(t, set)
	verdict, warning, numbers := strings.Index(text, `class="verdict`), strings.Index(text, "numbers are made"), strings.Index(text, `id="objectives"`)
	if verdict < 0 || warning < verdict || warning > numbers {
		t.Errorf("the verdict stands at %d, the warning at %d, the objectives at %d", verdict, warning, numbers)
	}
	for _, policy := range []string{"greedy", "spotdnn"} {
		dashes := strings.Trim(fmt.Sprint(canvas.StyleOf(policy).Dashes()), "[]")
		if !regexp.MustCompile(`<svg class="dot"[^>]*><path[^>]* stroke-dasharray="` + dashes + `"/><polygon[^>]*/></svg>` + policy).MatchString(text) {
			t.Errorf("%s has no line and point in the tables", policy)
		}
	}
}

func TestApportion(t *testing.T) {
	check := near.Count(t)
	luck := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		parts := make([]float64, 1+luck.IntN(8))
		sum := 0.0
		for i := range parts {
			if luck.IntN(3) > 0 {
				parts[i] = math.Exp(20*luck.Float64() - 10)
			}
			if luck.IntN(9) == 0 {
				parts[i] = -parts[i]
			}
			sum += parts[i]
		}
		whole, total := apportion(parts, 1000)
		added := int64(0)
		for i, n := range whole {
			if added += n; check.Off(float64(n), 1000*parts[i], 1.0001) {
				t.Fatalf("%v became %v", parts[i], n)
			}
		}
		if added != total || check.Off(float64(total), 1000*sum, 0.5001) {
			t.Fatalf("%v: parts %v, total %v", parts, whole, total)
		}
	}
}

// What the page draws is what the tables say.
func TestChart(t *testing.T) {
	check := near.Count(t)
	for _, stretches := range []int{50, 1000} {
		set := synthetic(1, stretches)
		runs := runsOf(set)
		c := chartOf(&runs[0], &canvas.Theme{})
		if len(c.At) != min(stretches, maxStretches)+1 {
			t.Fatalf("%d instants of %d stretches", len(c.At), stretches)
		}
		hours := 0.0
		for _, s := range c.Series {
			if len(s.Held) != len(c.At) || len(s.Price) != len(c.At) {
				t.Fatalf("%s: %d and %d values at %d instants", s.Name, len(s.Held), len(s.Price), len(c.At))
			}
			for i, n := range s.Held[:len(s.Held)-1] {
				hours += n * (c.At[i+1] - c.At[i])
			}
		}
		if want := runs[0].InstanceH; check.Off(hours/want, 1, 1e-3) {
			t.Errorf("%d stretches: %v instance-hours are drawn, %v were held", stretches, hours, want)
		}
		last := len(c.At) - 1
		if c.Progress[0] != 0 || c.Progress[last] != 100 || check.Off(c.CostUSD[last], runs[0].CostUSD, 1e-3) {
			t.Errorf("progress from %v to %v, cost to %v of %v", c.Progress[0], c.Progress[last], c.CostUSD[last], runs[0].CostUSD)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	}
}

// The page says what its intervals count: ten seeds that draw markets of their own, or
// the one start of ten that do not, of which there is no interval of a mean.
func TestPageUnits(t *testing.T) {
	check := near.Count(t)
	set := synthetic(10, 5)
	text := pageOf(t, set)
	if !strings.Contains(text, "they count 10 seeds.") || !strings.Contains(text, "95 %, n = 10 seeds") || strings.Contains(text, ">none<") {
		t.Error("the page does not count 10 seeds")
	}
	for i := range set.Summaries {
		set.Summaries[i].Unit = results.ByStart
	}
	text = pageOf(t, set)
	if !strings.Contains(text, "they count 1 start.") || !strings.Contains(text, "only one part of the trace") || strings.Count(text, ">none<") != 2*2*2 ||
		strings.Contains(text, "Dvoretzky") {
		t.Error("the page does not count one start")
	}
	if ci := Of(set).objectives[0].Rows[0].MetCI(); ci.Units != 1 || check.Below(ci.High-ci.Low, 0.7) {
		t.Errorf("%+v, want an interval of one start", ci)
	}
}

func TestRows(t *testing.T) {
	study := Of(synthetic(8, 40))
	study.rank()
	for _, o := range study.objectives {
		for _, r := range o.Rows {
			if r.N != 8 || r.Met != 3 || r.LateS.N != 5 || r.SpareS.N != 3 || r.Finished != 8 {
				t.Errorf("%s, %s: %+v, expected 3 of 8 to meet it", o.Name, r.Policy, r)
			}
		}
		if o.Rows[0].Best || !o.Rows[0].Misses() {
			t.Errorf("%s: %s is the best of 8 seeds", o.Name, o.Rows[0].Policy)
		}
	}
	study = Of(synthetic(30, 40)) // two policies with the same runs
	study.rank()
	for _, o := range study.objectives {
		if o.Rows[0].Best || o.Rows[1].Best || len(o.notDecided) != 1 {
			t.Errorf("%s: %v and %v are the best, %q", o.Name, o.Rows[0].Best, o.Rows[1].Best, o.notDecided)
		}
	}
	set := synthetic(30, 40)
	for i := range set.Summaries {
		if r := &set.Summaries[i]; r.Policy != set.Summaries[0].Policy {
			r.CostUSD += 5
		}
	}
	study = Of(set)
	study.rank()
	for _, o := range study.objectives {
		if !o.Rows[0].Best || o.Rows[1].Best || o.notDecided != nil {
			t.Errorf("%s: %v and %v are the best, %q", o.Name, o.Rows[0].Best, o.Rows[1].Best, o.notDecided)
		}
	}
}

// A section appears where its rows are: of one job, of many, of notebooks and of a sweep's cells.
func TestSections(t *testing.T) {
	nb := synthetic(2, 40)
	for i := range nb.Summaries {
		nb.Summaries[i].ReservedGPU = ptr(4.0)
	}
	bare := manyJobs()
	bare.Spans = nil
	cluster := Of(manyJobs())
	cluster.Sweep = &Sweep{Cells: []Cell{{Name: "one", Shown: true, Study: cluster}, {Name: "none", Study: NewStudy(results.Provenance{})}}}
	for want, s := range map[string]*Study{
		"objectives costs figures spent runs provenance":           Of(synthetic(2, 40)),
		"objectives notebooks costs figures spent runs provenance": Of(nb),
		"cells objectives costs figures spent runs provenance":     swept(),
		"schedulers figures spent jobs runs provenance":            Of(manyJobs()),
		"cells schedulers figures spent jobs runs provenance":      cluster,
	} {
		p, err := s.page(new(canvas.Theme))
		if err != nil {
			t.Fatal(err)
		}
		var anchors []string
		for _, part := range p.sections() {
			anchors = append(anchors, part.anchor)
			if page := pageOfStudy(t, s); !strings.Contains(page, fmt.Sprintf("<section id=%q>\n<h2>%s</h2>", part.anchor, part.title)) || !strings.Contains(page,
				`href="#`+part.anchor+`"`) {
				t.Errorf("the page has no section %s", part.anchor)
			}
		}
		if got := strings.Join(anchors, " "); got != want {
			t.Errorf("sections %s, expected %s", got, want)
		}
	}
	if page := pageOfStudy(t, cluster); !strings.Contains(page,
		`>one (this page)</th><td class="text" data-label="first policy">fifo</td><td data-label="mean JCT (h)">2.00</td>`) {
		t.Error("the cells of a sweep of clusters are not ranked by the completion time")
	}
	if page := pageOf(t, bare); !strings.Contains(page, "No timeline is kept of these runs.") {
		t.Error("the page does not say that it has no timelines")
	}
}

// A job is explained by its name or its number, a decision of many jobs by its moment.
// Runs whose machines fail have a section of means, and the figure of what is down; others have neither.
func TestMachinesThatFail(t *testing.T) {
	set := synthetic(2, 8)
	const head, figure = "Machines that fail", "Machines that are down over the time"
	if text := pageOf(t, set); strings.Contains(text, head) || strings.Contains(text, figure) {
		t.Error("machines that do not fail have a section")
	}
	for i := range set.Summaries {
		s := &set.Summaries[i]
		s.FinishS, s.Finished, s.HorizonS = nil, false, 36000
		s.Failures, s.Repairs, s.DownH, s.DownMax = 3, 2, 5, 2+int64(i%2)
		set.Outages = append(set.Outages, results.Outage{Run: s.Run, Pool: "b", UntilS: 18000, Cause: "failed", End: results.Repaired})
	}
	text := pageOf(t, set)
	for _, want := range []string{head, figure, "What is down", ">0.50<", ">2.5<"} { // 5 h of 10 h; the mean of 2 and 3
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestExplainJobs(t *testing.T) {
	for _, job := range []string{"job-1", "1"} {
		e, err := Explain(manyJobs(), firstRun, Question{Job: job})
		if err != nil || e.Decision != nil || e.Job.ID != "job-1" || len(e.Phases) != 2 || e.EndS != *e.Job.FinishS {
			t.Fatalf("%s: %+v, %v", job, e, err)
		}
	}
	e, err := Explain(manyJobs(), firstRun, Question{AtS: 60})
	if err != nil || e.JobStory != nil || e.Reason != "first come, first served" || e.Decision.Jobs != 3 {
		t.Errorf("%+v, %v", e, err)
	}
	text, err := json.Marshal(e)
	if err != nil || !strings.Contains(string(text), `"plan":"job-0: 2 v100-0"`) || strings.Contains(string(text), `"phases"`) {
		t.Errorf("%s, %v", text, err)
	}
	for says, q := range map[string]Question{`no job "x" in run 0: it has 3 jobs, from job-0 to job-2`: {Job: "x"}, "no decision at or before -1 s": {AtS: -1}} {
		if _, err := Explain(manyJobs(), firstRun, q); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, expected %q", q, err, says)
		}
	}
	if _, err := Explain(synthetic(1, 5), firstRun, Question{Job: "a"}); err == nil || !strings.Contains(err.Error(), "the run is of one job") {
		t.Errorf("a job of a run of one: %v", err)
	}
}
