package ps

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

func published(t testing.TB, form Form) *ASP {
	t.Helper()
	p, c, err := Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	if form == FormPaper {
		c.Gamma4 = 0.5 // not published for this network; any value tests the form
	}
	m, err := NewASP(p, c, form, p.Types())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func layout(workers ...int32) *sim.Layout { return &sim.Layout{Workers: workers, Servers: 1} }

// One V100 alone: T = b/speed + 2*g*S/B_pcie (the artifact's sign), A = gamma2*b + gamma3.
func TestPaceByHand(t *testing.T) {
	check := near.Count(t)
	m := published(t, FormArtifact)
	seconds := 1024.0/1885 + 2*11.5/10000
	a := -0.2*1024 + 2507.6
	p := m.Rate(layout(1, 0, 0, 0, 0))
	for what, x := range map[string][2]float64{
		"iterations/s": {p.Iterations, 1 / seconds},
		"samples/s":    {p.Samples, 1024 / seconds},
		"progress/s":   {p.Progress, 1 / seconds / a},
		"start loss":   {m.Loss(m.Begin(layout(1, 0, 0, 0, 0))), a/876.5 + 0.5},
		"goal":         {m.Goal(0.8), 1 / (0.8 - 0.5)},
	} {
		if check.OffRel(x[0], x[1], 1e-12) {
			t.Errorf("%s is %v, by hand %v", what, x[0], x[1])
		}
	}
	if p.Working != 1 {
		t.Errorf("%d working", p.Working)
	}
	if m.Rate(layout(0, 0, 0, 0, 0)).Progress != 0 {
		t.Error("nobody trains and there is progress")
	}
	paper := published(t, FormPaper).Rate(layout(1, 0, 0, 0, 0))
	if x := 1885.0 / 1024; check.Off(paper.Iterations, x, 1e-12) { // alone, the paper's form is the profile
		t.Errorf("the paper's form makes %v iterations/s, the profile %v", paper.Iterations, x)
	}
}

// DEVIATIONS.md 2: where training starts.
func TestStartDependsOnTheCluster(t *testing.T) {
	check := near.Count(t)
	m := published(t, FormArtifact)
	one, six := m.Loss(m.Begin(layout(1, 0, 0, 0, 0))), m.Loss(m.Begin(layout(2, 0, 4, 0, 0)))
	if check.Off(one, 3.13, 0.01) || check.Off(six, 6.93, 0.01) {
		t.Errorf("start losses %v and %v", one, six)
	}
	p := m.Rate(layout(2, 0, 4, 0, 0))
	whole := (m.Goal(0.8) - m.Begin(layout(2, 0, 4, 0, 0))) / p.Progress * p.Iterations
	gift := (m.Begin(layout(1, 0, 0, 0, 0)) - m.Begin(layout(2, 0, 4, 0, 0))) / p.Progress * p.Iterations
	if share := gift / whole; check.Off(share, 0.07, 0.005) {
		t.Errorf("starting from one worker saves %.3f of %v iterations", share, whole)
	}
}

// The bandwidth of Eq. 8 by hand: 1200 MB/s are not enough for nine at 142.
func TestContention(t *testing.T) {
	check := near.Count(t)
	m := published(t, FormArtifact)
	if b := m.coef.Bandwidth(8, 1, 0); b != 142 {
		t.Errorf("8 workers get %v MB/s each", b)
	}
	p := 0.8*3 - 1.92
	if b, want := m.coef.Bandwidth(9, 1, 0), p*1200/9+(1-p)*142; check.Off(b, want, 1e-9) {
		t.Errorf("9 workers get %v MB/s each, by hand %v", b, want)
	}
	if !(m.coef.Bandwidth(9, 1, 0.05) < m.coef.Bandwidth(9, 1, 0)) {
		t.Error("a margin predicts no less bandwidth")
	}
	if m.coef.contention(100) != 1 || m.coef.contention(1) != 0 {
		t.Error("the probability is not clamped")
	}
}

// Convergence coefficients that the paper prints (Fig. 3, Table VI): three equal
// workers .82, two .71, four .87.
func TestConvergence(t *testing.T) {
	check := near.Count(t)
	for n, want := range map[int]float64{1: 0, 2: 0.71, 3: 0.82, 4: 0.87} {
		var tally sim.Tally
		tally.Add(n, sim.Worker{Rate: 1, Speed: 123})
		if r := Convergence(&tally); check.Off(r, want, 0.005) {
			t.Errorf("%d equal workers: %v, printed %v", n, r, want)
		}
	}
}

// Whatever the cluster, progress, loss and estimates agree with each other.
func TestProgressAgreesWithEstimates(t *testing.T) {
	check := near.Count(t)
	for _, form := range []Form{FormArtifact, FormPaper} {
		m := published(t, form)
		rapid.Check(t, func(t *rapid.T) {
			l := layout(0, 0, 0, 0, 0)
			for i := range l.Workers {
				l.Workers[i] = rapid.Int32Range(0, 6).Draw(t, "workers")
			}
			var tally sim.Tally
			m.tally(l, &tally)
			if n := l.Total(); n > 0 && m.Loss(m.Begin(l)) > m.HighestBegin(int(n))*(1+1e-12) {
				t.Fatalf("%v: training begins at %v, HighestBegin says %v", l.Workers, m.Loss(m.Begin(l)), m.HighestBegin(int(n)))
			}
			loss := rapid.Float64Range(0.51, 1).Draw(t, "loss")
			p := m.Rate(l)
			if p.Progress == 0 || m.Begin(l) >= m.Goal(loss) {
				return
			}
			e := m.Estimate(tally, math.Inf(1), loss)
			seconds := (m.Goal(loss) - m.Begin(l)) / p.Progress
			if check.Off(seconds, e.Seconds, 5e-3*seconds+2/p.Iterations) {
				t.Fatalf("%v to %v: the world takes %v s, the estimate is %v s", l.Workers, loss, seconds, e.Seconds)
			}
			if x := m.Loss(m.Goal(loss)); check.Off(x, loss, 1e-9) {
				t.Fatalf("loss %v becomes %v", loss, x)
			}
			half := m.Estimate(tally, 2*loss, loss)
			if half.Seconds > e.Seconds+0.02 && !(m.Loss(m.Begin(l)) < 2*loss) {
				t.Fatalf("from half way it takes longer: %v, %v", half.Seconds, e.Seconds)
			}
		})
	}
}

func TestLossFloor(t *testing.T) {
	m := published(t, FormArtifact)
	if !math.IsInf(m.Goal(0.5), 1) || !math.IsInf(m.Goal(0.1), 1) || math.IsInf(m.Goal(0.5001), 1) {
		t.Error("the floor of the loss is not a floor")
	}
	var tally sim.Tally
	tally.Add(1, sim.Worker{Rate: 1, Speed: 1024})
	if e := m.Estimate(tally, math.Inf(1), 0.5); !math.IsInf(e.Seconds, 1) {
		t.Errorf("the floor is reached after %v s", e.Seconds)
	}
}

const profileHeader = "instance_type,gpu,gpus,quota,spot_usd_per_h,batch_per_gpu,speed_samples_per_s\n"

func TestReadProfileErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       "the file is empty",
		"a,b\n1,2\n":                             `p.csv:1:1: no column "instance_type"`,
		profileHeader:                            "no rows",
		profileHeader + "x,V100,1,0,1,64,100\n":  `p.csv:2:10: quota: "0", expected a whole number from 1`,
		profileHeader + "x,V100,1,1,-1,64,100\n": `p.csv:2:12: spot_usd_per_h: "-1", expected a number from 0`,
		profileHeader + "x,V100,1,1,NaN,64,100\n":                     `p.csv:2:12: spot_usd_per_h: "NaN"`,
		profileHeader + "x,V100,1,1,1,64,0\n":                         `p.csv:2:17: speed_samples_per_s: "0"`,
		profileHeader + "x,V100,1,1,1,64,1e999\n":                     `p.csv:2:17: speed_samples_per_s: "1e999"`,
		profileHeader + "x,V100,1,1,1,64,100\nx,V100,1,1,1,64,100\n":  `p.csv:3:1: instance_type: "x" is given twice`,
		profileHeader + "x,V100,1\n":                                  `p.csv:2:1: 3 fields, expected 7`,
		profileHeader + "x,V100,one,1,1,64,100\n":                     `p.csv:2:8: gpus: "one"`,
		profileHeader + ",V100,1,1,1,64,100\n":                        `p.csv:2:1: instance_type`,
		profileHeader + "x,V100,1,1,1,0,100\n":                        `p.csv:2:14: batch_per_gpu: "0"`,
		profileHeader + "x,V100,1,99999999999999999999999,1,64,100\n": `p.csv:2:10: quota`,
		profileHeader + "\"x,V100,1,1,1,64,100\n":                     `p.csv:2:22: a field in quotes that does not end`,
	} {
		if _, err := ReadProfile("p.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, expected %q", text, err, says)
		}
	}
	p, err := ReadProfile("p.csv", strings.NewReader("\ufeff"+profileHeader+"x,V100,1,1,1,64,100\r\n"))
	if err != nil || len(p) != 1 || p[0].SpeedSamplesPerS != 100 {
		t.Errorf("a byte-order mark and CRLF: %v, %v", p, err)
	}
}

func TestReadCoefficientsErrors(t *testing.T) {
	good := "symbol,value\nS,1\nB_req,1\nB_ps,1\nB_pcie,1\nalpha1,1\nbeta1,1\ngamma1,1\ngamma2,-1\ngamma3,1\ngamma5,1\n"
	if c, err := ReadCoefficients("c.csv", strings.NewReader(good)); err != nil || !math.IsNaN(c.Gamma4) {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, bad := range []struct{ old, new, says string }{
		{"S,1\n", "", "c.csv: no row for S"},
		{"S,1\n", "S,1\nS,2\n", `c.csv:3:1: symbol: "S" is given twice`},
		{"S,1\n", "T,1\n", `c.csv:2:1: symbol: "T" is not known`},
		{"S,1\n", "S,0\n", `c.csv:2:3: value: "0", expected a number from`},
		{"gamma5,1\n", "gamma5,inf\n", `value: "inf"`},
	} {
		if _, err := ReadCoefficients("c.csv", strings.NewReader(strings.Replace(good, bad.old, bad.new, 1))); err == nil ||
			!strings.Contains(err.Error(), bad.says) {
			t.Errorf("%q: got %v, expected %q", bad.new, err, bad.says)
		}
	}
}

func TestNewASPErrors(t *testing.T) {
	p, c, _ := Published("spotdnn-resnet110")
	for says, make := range map[string]func() error{
		`unknown profiled instance type "x"`: func() error { _, err := NewASP(p, c, FormArtifact, []string{"x"}); return err },
		"needs gamma4":                       func() error { _, err := NewASP(p, c, FormPaper, p.Types()); return err },
		"shorter than its communication": func() error {
			slow := c
			slow.WorkerMBps = 1
			_, err := NewASP(p, slow, FormArtifact, p.Types())
			return err
		},
	} {
		if err := make(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, expected %q", err, says)
		}
	}
	if _, _, err := Published("nothing"); err == nil || !slices.Contains(PublishedNames(), "spotdnn-resnet110") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add(profileHeader + "x,V100,1,1,1,64,100\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadProfile("p.csv", strings.NewReader(text))
		for _, r := range p {
			if err == nil && !(r.SpeedSamplesPerS > 0 && r.SpotUSDPerH >= 0 && r.Quota > 0 && r.GPUs > 0 && r.BatchPerGPU > 0) {
				t.Errorf("accepted %+v", r)
			}
		}
	})
}

func FuzzReadCoefficients(f *testing.F) {
	f.Add("symbol,value\nS,1\ngamma4,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ReadCoefficients("c.csv", strings.NewReader(text)); err == nil && !(c.ParameterMB > 0 && c.Gamma1 > 0) {
			t.Errorf("accepted %+v", c)
		}
	})
}
