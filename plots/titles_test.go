package plots

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Titles of cells of a sweep that differ in their last parameter stay different, and
// what all say is not said again.
func TestTitles(t *testing.T) {
	long := "loss-0.54-in-6h, market.pools.0.replay.lifetime.median_h 12, market.pools.0.quota 4, policy.spotdnn.over_prediction 0.03, market.replay.notice_s "
	own := func(title string) string { return title }
	got, common := titles([]string{long + "30", long + "120"}, own, 3*vg.Inch)
	if !slices.Equal(got, []string{"market.replay.notice_s 30", "market.replay.notice_s 120"}) || common+", market.replay.notice_s " != long {
		t.Errorf("%q, and all: %q", got, common)
	}
	one, none := titles([]string{long + "30"}, own, 3*vg.Inch)
	if !strings.Contains(one[0], "\n") || strings.ReplaceAll(one[0], "\n", " ") != long+"30" || none != "" {
		t.Errorf("one title is %q, and all: %q", one[0], none)
	}
	same, _ := titles([]string{"a", "a"}, own, vg.Inch)
	if !slices.Equal(same, []string{"a", "a"}) {
		t.Errorf("the same titles became %q", same)
	}
	filler := strings.Repeat("x", 200)
	cut := distinct([]string{filler + "a" + filler, filler + "b" + filler, filler + "a" + filler}, 70)
	if cut[0] == cut[1] || cut[0] != cut[2] || len([]rune(cut[1])) > 70 {
		t.Errorf("%q", cut)
	}
	for _, text := range distinct([]string{"", "\x00", "☃"}, 5) {
		if len([]rune(text)) > 5 {
			t.Errorf("%q", text)
		}
	}
}
