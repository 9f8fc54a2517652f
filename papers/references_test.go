package papers

import (
	"strings"
	"testing"
)

// Every number of a publication has its references, and every reference is of a claim.
func TestReferences(t *testing.T) {
	used := map[string]bool{}
	for _, c := range Published() {
		refs := ReferencesOf(c.Figure())
		if len(refs) == 0 && (c.Origin == Printed || c.Origin == Code) {
			t.Errorf("%s has no reference", c.Name)
		}
		for _, r := range refs {
			used[r.Key] = true
		}
	}
	keys := map[string]bool{}
	last := ""
	for _, r := range References() {
		keys[r.Key] = true
		if !used[r.Key] || len(r.Authors) == 0 || !strings.HasSuffix(r.Venue, r.Text()[strings.LastIndex(r.Text(), "), ")+3:][:4]) {
			t.Errorf("%s: of no claim, or not whole: %s", r.Key, r.Text())
		}
		if last >= r.Key {
			t.Errorf("%s is not in order, or twice", r.Key)
		}
		last = r.Key
	}
	for _, p := range All() {
		for _, r := range p.References {
			if !keys[r.Key] {
				t.Errorf("%s: unknown key %s", p.Name, r.Key)
			}
		}
	}
}

func TestReferenceText(t *testing.T) {
	var daly, oobleck Reference
	for _, r := range References() {
		switch r.Key {
		case "daly2006higher":
			daly = r
		case "jang2023oobleck":
			oobleck = r
		}
	}
	if got, want := daly.Text(), "John T. Daly. A higher order estimate of the optimum checkpoint interval for restart dumps. "+
		"Future Generation Computer Systems 22(3) (FGCS), 2006. doi:10.1016/j.future.2004.11.016."; got != want {
		t.Error(got)
	}
	for _, want := range []string{"@article{daly2006higher,\n", "  volume = {22},\n  number = {3},\n"} {
		if !strings.Contains(daly.BibTeX(), want) {
			t.Errorf("%s lacks %q", daly.BibTeX(), want)
		}
	}
	for _, want := range []string{"@inproceedings{", " and Mosharaf Chowdhury},\n", "eprint = {2309.08125}", "Code: SymbioticLab/Oobleck@"} {
		if !strings.Contains(oobleck.BibTeX(), want) {
			t.Errorf("%s lacks %q", oobleck.BibTeX(), want)
		}
	}
}
