package advise

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/internal/near"
)

// TestDurationsDrawn: big has the cluster, and a tenth of its 14,400 s is done at 2,000 s. It takes a lognormal time of that median,
// longer than the 1,440 s that it has run, and quick starts when it ends: the quantiles of the start are those of the
// law, as far as 4,000 draws show them (four standard errors of a quantile). By the list it decides as if nothing were
// drawn.
func TestDurationsDrawn(t *testing.T) {
	const sigma = 0.7
	const draws = 4000
	s := openCluster(t, "fifo")
	state, err := Parse("state.yaml", []byte(clusterState+"durations_sigma: 0.7\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Advise(t.Context(), s, state, Options{Continuations: draws})
	if err != nil {
		t.Fatal(err)
	}
	known := advisedOn(t, openCluster(t, "fifo"), clusterState)
	if a.Continuations != draws || known.Continuations != 1 {
		t.Errorf("%d and %d continuations, expected %d and 1", a.Continuations, known.Continuations, draws)
	}
	law := distuv.UnitNormal
	below := law.CDF(math.Log(0.1) / sigma)
	at := slices.IndexFunc(a.Jobs, func(j JobChange) bool { return j.Job == "quick" })
	start := a.Jobs[at].StartS
	check := near.Count(t)
	for share, got := range map[float64]*float64{0.05: start.P05, 0.25: start.P25, 0.5: start.P50, 0.75: start.P75, 0.95: start.P95} {
		of := func(share float64) float64 {
			return 2000 - 1440 + 14400*math.Exp(sigma*law.Quantile(below+share*(1-below)))
		}
		error := 4 * math.Sqrt(share*(1-share)/draws)
		if *got < of(share-error) || *got > of(min(share+error, 0.999)) {
			t.Errorf("%v of quick's starts are below %v s, expected %v s, from %v to %v", share, *got, of(share), of(share-error), of(share+error))
		}
		if check.OffRel(of(0.5), 560+14400*math.Exp(sigma*law.Quantile((1+below)/2)), 1e-12) {
			t.Error("the law's median is not what it is")
		}
	}
	for i := range known.Jobs {
		if known.Jobs[i].Do != a.Jobs[i].Do || !slices.Equal(known.Jobs[i].To, a.Jobs[i].To) {
			t.Errorf("%s: %+v, expected what is decided where durations are known: %+v", a.Jobs[i].Job, a.Jobs[i], known.Jobs[i])
		}
	}
}

// A job that has overrun what the list says takes longer still, and no draw is beyond all numbers.
func TestLongerThan(t *testing.T) {
	for _, low := range []float64{math.Inf(-1), -50, -1, 0, 3, 9, 40} {
		last := math.Inf(-1)
		for _, u := range []float64{0, 1e-17, 0.1, 0.5, 0.9, 1 - 0x1p-53} {
			z := longerThan(low, u)
			if math.IsNaN(z) || math.IsInf(z, 0) || z < low || z < last {
				t.Errorf("beyond %v, %v: %v, expected more than before, %v", low, u, z, last)
			}
			last = z
		}
	}
}

func TestDurationsOfOneJob(t *testing.T) {
	_, err := Parse("state.yaml", []byte("now: 1\nstarted: 0\ndone: 0.1\ndurations_sigma: 4\n"))
	if err == nil || !strings.Contains(err.Error(), "durations_sigma") {
		t.Errorf("error %v, expected one of durations_sigma, at most 3", err)
	}
}
