package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var update = flag.Bool("update", false, "write the golden images")

func must(t *testing.T, f *canvas.Figure, err error) *canvas.Figure {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func timelineFigure(t *testing.T) *canvas.Figure {
	run, spans := walk(0, "spotdnn", 2, 13)
	f, err := Timeline(run, spans)
	return must(t, f, err)
}

// layoutsFigure is of a run with more layouts than have colours, and times without one.
func layoutsFigure(t *testing.T) *canvas.Figure {
	run, spans := walk(0, "sailor", 2, 13)
	for i := range spans {
		s := &spans[i]
		switch k := int(s.StartS / 1200); {
		case k%9 == 4:
		case k < 12:
			s.Layout, s.RateProgressPerS = "layers 0-25: 4 x 1 V100-16; micro-batch 1", 5
		default:
			s.Layout, s.RateProgressPerS = fmt.Sprintf("layers 0-%d: 4 x 1 V100-16 | layers %d-25: 1 x 4 A100-40; micro-batch 2", k/2, k/2+1), 8+float64(k)/10
		}
	}
	f, err := Layouts(run, spans)
	return must(t, f, err)
}

// A run that never trained in a layout has no such figure, and one whose speed is no number is refused.
func TestLayoutsRefuses(t *testing.T) {
	run, spans := walk(0, "sailor", 2, 13)
	if _, err := Layouts(run, spans); !errors.Is(err, ErrNothing) {
		t.Errorf("without layouts: %v", err)
	}
	for _, rate := range []float64{math.NaN(), math.Inf(1), -1} {
		spans[0].Layout, spans[0].RateProgressPerS = "x", rate
		if _, err := Layouts(run, spans); err == nil || errors.Is(err, ErrNothing) {
			t.Errorf("%v samples/s: %v", rate, err)
		}
	}
}

func costFigure(t *testing.T) *canvas.Figure {
	f, err := CostObjective(study(8))
	return must(t, f, err)
}

// activityFigure has two policies that spend their time otherwise.
func activityFigure(t *testing.T) *canvas.Figure {
	var rows []results.Summary
	for i := range 20 {
		x := float64(i)
		rows = append(rows,
			results.Summary{Policy: "varuna", Market: "synthetic", Met: i < 13, InstanceH: 100, UsefulH: 60, CheckpointingH: 5, RestoringH: 15, LostH: 10,
				WaitingH: 8, StartingH: 2, CostUSD: 90, Samples: 2e6 + 4e4*x},
			results.Summary{Policy: "bamboo", Market: "synthetic", Met: true, InstanceH: 100, UsefulH: 40, RedundantH: 45, ReconfiguringH: 10, WaitingH: 3,
				StartingH: 2, CostUSD: 90, Samples: 1e6 + 2e4*x})
	}
	f, err := Activities(rows)
	return must(t, f, err)
}

// ten has one run of each of ten policies, whose names stand aslant.
func ten() (rows []results.Summary) {
	for _, name := range []string{"fixed", "cmdare", "cmdare+", "bamboo", "checkfreq", "checkpoint", "oobleck", "parcae", "parcae-ideal", "parcae-reactive"} {
		rows = append(rows, results.Summary{Policy: name, Market: "synthetic", InstanceH: 100, UsefulH: 60, LostH: 40, CostUSD: 90, Samples: 2e6})
	}
	return rows
}

// Runs that have no cost of a sample are refused.
func TestActivitiesRefuses(t *testing.T) {
	for _, s := range []results.Summary{{Samples: 1}, {InstanceH: 1}, {InstanceH: 1, Samples: 1, CostUSD: -1}, {InstanceH: math.NaN(), Samples: 1}} {
		if _, err := Activities([]results.Summary{s}); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	if _, err := Activities(nil); err == nil {
		t.Error("no runs: no error")
	}
}

// goldens are figures of made-up numbers. Those that a drawer draws of the made-up studies have images by its name.
var goldens = map[string]func(*testing.T) *canvas.Figure{
	"stragglers": slowSteps,
	"capacity":   capacityFigure, "prices": pricesFigure, "survival": survivalFigure,
	"activities-ten": func(t *testing.T) *canvas.Figure {
		f, err := Activities(ten())
		return must(t, f, err)
	},
	"activities": activityFigure, "timeline": timelineFigure, "cost-objective": costFigure, "cdf": cdfFigure, "paired": pairedFigure, "heatmap": heatFigure,
	"ranking": rankingFigure, "calibration": calibrationFigure, "bound": boundFigure, "curves": curvesFigure, "overlaid": observedFigure, "crowd": crowdFigure,
	"layouts": layoutsFigure,
	"outages": outagesFigure, "means": meansFigure, "queues": queuesFigure,
}

// The golden images were looked at; -update writes them again.
func TestGolden(t *testing.T) {
	for name, figure := range goldens {
		goldenFigure(t, name, figure(t), *update)
	}
	for _, d := range Drawers() {
		if goldens[d.Name] != nil {
			continue
		}
		drawn, err := d.Draw(jobsSet())
		if errors.Is(err, ErrNothing) {
			run, spans := walk(0, "spotdnn", 2, 13)
			drawn, err = d.Draw(&results.Set{Summaries: []results.Summary{run}, Spans: spans})
		}
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		goldenFigure(t, d.Name, drawn[0].Figure, *update)
	}
}

func TestSameBytes(t *testing.T) {
	draws := []func(*canvas.Figure) ([]byte, error){(*canvas.Figure).SVG, (*canvas.Figure).PDF, (*canvas.Figure).PNG}
	for _, figure := range goldens {
		for _, draw := range draws {
			a, err := draw(figure(t))
			if err != nil {
				t.Fatal(err)
			}
			b, err := draw(figure(t))
			if err != nil || len(a) == 0 || !bytes.Equal(a, b) {
				t.Errorf("the same rows gave different bytes: %v", err)
			}
		}
		draws = draws[:2] // images of pixels come from the same drawing: one is enough
	}
}

func texts(t *testing.T, f *canvas.Figure) string {
	t.Helper()
	b, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return strings.Join(words, "\n")
		}
		if err != nil {
			t.Fatalf("the SVG is not sound XML: %v", err)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, string(text))
		}
	}
}

func wantTexts(t *testing.T, f *canvas.Figure, words ...string) {
	t.Helper()
	all := texts(t, f)
	for _, word := range words {
		if !strings.Contains(all, word) {
			t.Errorf("the figure does not say %q", word)
		}
	}
}

func TestTexts(t *testing.T) {
	wantTexts(t, timelineFigure(t), "spotdnn: two zones, loss 0.5 in 12 h, seed 2", "SYNTHETIC market", "h late",
		"capacity (instances)", "held (instances)", "price (USD/h each)", "progress (%)", "time since the start of the run (h)",
		"p3.2xlarge on-demand", "g4dn.xlarge spot", "objective, 12 h")
	wantTexts(t, costFigure(t), "cost (USD)", "finish (% of the objective)", "loss 0.4 in 24 h", "ondemand, 8 of 8 met", "did not finish", "unfinished")

	run, spans := walk(0, "spotdnn", 2, 13)
	run.Market, run.Oracle, run.Policy = "recorded", true, "<script>\x00\xff\n"
	f, err := Timeline(run, spans)
	f = must(t, f, err)
	wantTexts(t, f, "<script> ?  (knows the future): two zones", "market recorded")
	if strings.Contains(texts(t, f), "SYNTHETIC") {
		t.Error("a recorded market is called synthetic")
	}
	for i := range spans {
		spans[i].Capacity = nil
	}
	run.Finished, run.FinishS, run.Met = false, nil, false
	f, err = Timeline(run, spans)
	wantTexts(t, must(t, f, err), "not limited by the trace", "not finished by the horizon")
}

func TestMixedMarkets(t *testing.T) {
	rows := study(2)
	rows[3].Market = "recorded"
	f, err := CostObjective(rows)
	wantTexts(t, must(t, f, err), "several markets, some SYNTHETIC")
}

// Runs far apart are put on a logarithmic axis; none at all can finish.
func TestSpread(t *testing.T) {
	rows := study(4)
	*rows[0].FinishS *= 40
	f, err := CostObjective(rows)
	wantTexts(t, must(t, f, err), "logarithmic", "unfinished", "1000")
	for i := range rows {
		rows[i].Finished, rows[i].FinishS, rows[i].Met = false, nil, false
	}
	f, err = CostObjective(rows)
	wantTexts(t, must(t, f, err), "reactive, 0 of 4 met", "unfinished")
	one := study(1)[:1]
	*one[0].FinishS, one[0].CostUSD = 0, 0
	f, err = CostObjective(one)
	wantTexts(t, must(t, f, err), "ondemand, 1 of 1 met")
}

// A sweep is drawn in bounded space, and the figure says what it leaves out.
func TestSweep(t *testing.T) {
	rows := study(2 * maxPoints / 8)
	for i := range rows {
		if i%100 == 0 {
			rows[i].Objective = fmt.Sprint("objective ", i)
		}
	}
	f, err := CostObjective(rows)
	wantTexts(t, must(t, f, err), "16000 runs, one in 2 drawn", "the first 24 of 162 objectives")
	if svg, _ := f.SVG(); len(svg) > 2e6 {
		t.Errorf("%d bytes", len(svg))
	}
}

func TestBadSummaries(t *testing.T) {
	if _, err := CostObjective(nil); err == nil {
		t.Error("no runs were drawn")
	}
	tests := []struct {
		says  string
		spoil func(s *results.Summary)
	}{
		{"cost_usd is NaN", func(s *results.Summary) { s.CostUSD = math.NaN() }},
		{"cost_usd is +Inf", func(s *results.Summary) { s.CostUSD = math.Inf(1) }},
		{"cost_usd is -1", func(s *results.Summary) { s.CostUSD = -1 }},
		{"cost_usd is 1e+300", func(s *results.Summary) { s.CostUSD = 1e300 }},
		{"objective_s is 0", func(s *results.Summary) { s.ObjectiveS = 0 }},
		{"objective_s is NaN", func(s *results.Summary) { s.ObjectiveS = math.NaN() }},
		{"finish_s is NaN", func(s *results.Summary) { s.FinishS = ptr(math.NaN()) }},
		{"finish_s", func(s *results.Summary) { s.FinishS = nil }},
	}
	for _, test := range tests {
		rows := study(2)
		test.spoil(&rows[5])
		_, err := CostObjective(rows)
		wantError(t, err, "run 5 (spotdnn, loss 0.5 in 12 h)", test.says)
		_, spans := walk(5, "spotdnn", 1, 10)
		_, err = Timeline(rows[5], spans)
		wantError(t, err, test.says)
	}
}

func TestBadSpans(t *testing.T) {
	run, spans := walk(3, "reactive", 1, 10)
	if _, err := Timeline(run, nil); err == nil {
		t.Error("no spans were drawn")
	}
	other := run
	other.Run = 4
	_, err := Timeline(other, spans)
	wantError(t, err, "run 3", "run 4")
	_, err = Timeline(run, spans[:len(spans)-1])
	wantError(t, err, "want one interval for all pools")
	tests := []struct {
		says  string
		spoil func(s *results.Span)
	}{
		{"of run 9", func(s *results.Span) { s.Run = 9 }},
		{"price_usd_per_h is NaN", func(s *results.Span) { s.PriceUSDPerH = math.NaN() }},
		{"price_usd_per_h is -1", func(s *results.Span) { s.PriceUSDPerH = -1 }},
		{"instances is -3", func(s *results.Span) { s.Ready = -3 }},
		{"instances is -1", func(s *results.Span) { s.Capacity = ptr(int32(-1)) }},
		{"progress_fraction is 1.5", func(s *results.Span) { s.Progress = 1.5 }},
		{"progress_fraction is NaN", func(s *results.Span) { s.Progress = math.NaN() }},
		{"want one interval", func(s *results.Span) { s.EndS = math.NaN() }},
		{"want one interval", func(s *results.Span) { s.EndS = s.StartS }},
		{"pool \"other\"", func(s *results.Span) { s.Pool = "other" }},
	}
	for _, test := range tests {
		bad := append([]results.Span(nil), spans...)
		test.spoil(&bad[9])
		_, err := Timeline(run, bad)
		wantError(t, err, "run 3", test.says)
	}
	bad := append([]results.Span(nil), spans...)
	copy(bad[4:8], spans[8:12])
	copy(bad[8:12], spans[4:8])
	_, err = Timeline(run, bad)
	wantError(t, err, "begins before the previous one ends")
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one that says %q", err, part)
		}
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	var rows []results.Summary
	var spans []results.Span
	for number, policy := range []string{"a/b", "reactive", "a b", "reactive"} { // the second reactive has the lower seed
		run, stretches := walk(int64(number), policy, uint64(9-number), 11)
		rows, spans = append(rows, run), append(spans, stretches...)
	}
	paths, err := Save(dir, &results.Set{Summaries: rows, Spans: spans})
	if err != nil {
		t.Fatal(err)
	}
	var want, have []string
	for _, name := range []string{"cost-objective", "timeline-two-zones-loss-0.5-in-12-h-a-b", "timeline-two-zones-loss-0.5-in-12-h-reactive",
		"timeline-two-zones-loss-0.5-in-12-h-a-b-2"} {
		want = append(want, filepath.Join(dir, name+".svg"), filepath.Join(dir, name+".png"), filepath.Join(dir, name+".pdf"))
	}
	if !reflect.DeepEqual(paths, want) {
		t.Errorf("wrote %q, want %q", paths, want)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if len(have) != len(want) {
		t.Errorf("the folder holds %q", have)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "timeline-two-zones-loss-0.5-in-12-h-reactive.svg"))
	if err != nil || !bytes.Contains(svg, []byte("seed 6")) {
		t.Errorf("the timeline is not of the lowest seed: %v", err)
	}
	for i := range rows { // now jobs that are to train all their samples
		rows[i].ObjectiveLoss, rows[i].Samples, rows[i].InstanceH = 0, 1e6, 10
	}
	if paths, err = Save(dir, &results.Set{Summaries: rows}); err != nil || len(paths) != 6 ||
		filepath.Base(paths[0]) != "activities-two-zones-loss-0.5-in-12-h.svg" {
		t.Errorf("wrote %q, %v", paths, err)
	}
	rows[0].Samples = 0 // of which there is no cost
	if paths, err = Save(dir, &results.Set{Summaries: rows}); err != nil || len(paths) != 3 {
		t.Errorf("wrote %q, %v", paths, err)
	}
	if _, err := Save(dir, new(results.Set)); err == nil {
		t.Error("no runs were saved")
	}
}

func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "cost-objective.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(dir, &results.Set{Summaries: study(1)}); err == nil {
		t.Error("a folder was written over")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want the folder alone", len(entries))
	}
}

// Where all met the objective long before its end, the axis is for the runs; else it
// holds the objective.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		finish []float64 // per cent of the objective
		lo, hi float64
		far    bool
	}{{[]float64{27, 47}, 27, 47, true}, {[]float64{30, 70}, 30, 100, false}, {[]float64{85, 86}, 85, 100, false}, {[]float64{60, 60}, 60, 60, true},
		{[]float64{60, 150}, 60, 150, false}} {
		var g group
		for _, f := range c.finish {
			g.rows = append(g.rows, results.Summary{Finished: true, FinishS: ptr(f), ObjectiveS: 100, Met: f <= 100})
		}
		percent, far := cloudsOf(g.rows, 1)[0].times()
		if percent != (extent{c.lo, c.hi}) || far != c.far {
			t.Errorf("%v: %v, %v; want %v to %v, %v", c.finish, percent, far, c.lo, c.hi, c.far)
		}
	}
}

// Drawers draw what their tables have rows for: those of one job nothing of many, and the other way round.
func TestDrawers(t *testing.T) {
	run, spans := walk(0, "spotdnn", 2, 13)
	spans[0].Layout = "layers 0-25: 4 x 1 V100-16"
	one := &results.Set{Summaries: []results.Summary{run}, Spans: spans, Outages: []results.Outage{{Run: run.Run, UntilS: 3600, Cause: "failed"}}}
	for _, d := range Drawers() {
		_, ofOne := d.Draw(one)
		_, ofMany := d.Draw(jobsSet())
		if d.Name == "activities" { // the job of the run is to reach a loss
			ofOne = nil
		}
		if errors.Is(ofOne, ErrNothing) == errors.Is(ofMany, ErrNothing) {
			t.Errorf("%s: of one job %v, of many %v", d.Name, ofOne, ofMany)
		}
		if d.Short == "" || d.Long == "" || len(d.Short) > 100 {
			t.Errorf("%s has no help, or too long a one", d.Name)
		}
		if _, err := d.Draw(new(results.Set)); err == nil {
			t.Errorf("%s draws no runs", d.Name)
		}
	}
	files := strings.Join(SavedFiles(), " ")
	for _, want := range []string{"activities-*.svg", "completion-times.png", "cost-completion.svg", "cost-objective.pdf", "load.svg", "placement-*.svg",
		"timeline-*.pdf"} {
		if !strings.Contains(files, want) {
			t.Errorf("%s is not among the files that are saved: %s", want, files)
		}
	}
}
