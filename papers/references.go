package papers

import (
	"fmt"
	"slices"
	"strings"
)

// References returns the publications behind the claims, by key.
func References() []Reference {
	var all []Reference
	for _, p := range registered.All() {
		for _, r := range p.References {
			if r.Title != "" {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(a, b Reference) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// ReferencesOf returns the publications behind a figure, by key: those of its paper. Closed
// forms and constructed cases may have none.
func ReferencesOf(figure string) []Reference {
	p, ok := paperOf(figure)
	if !ok || slices.Contains(p.Formulas, figure) {
		return nil
	}
	return slices.DeleteFunc(References(), func(r Reference) bool {
		return !slices.ContainsFunc(p.References, func(of Reference) bool { return of.Key == r.Key })
	})
}

// Text is the reference as a list of literature prints it.
func (r *Reference) Text() string {
	book := r.Book
	if r.Volume != "" {
		book += " " + r.Volume
	}
	text := fmt.Sprintf("%s. %s. %s (%s), %d.", strings.Join(r.Authors, ", "), strings.TrimSuffix(r.Title, "."), book,
		strings.Fields(r.Venue)[0], r.Year)
	for _, id := range [][2]string{{"doi:", r.DOI}, {"arXiv:", r.ArXiv}, {"Code: ", r.Code}} {
		if id[1] != "" {
			text += " " + id[0] + id[1] + "."
		}
	}
	return text
}

// BibTeX is the reference as an entry of a BibTeX file.
func (r *Reference) BibTeX() string {
	kind, in := "inproceedings", "booktitle"
	if r.Volume != "" {
		kind, in = "article", "journal"
	}
	fields := [][2]string{{"author", strings.Join(r.Authors, " and ")}, {"title", "{" + r.Title + "}"}, {in, r.Book},
		{"year", fmt.Sprint(r.Year)}}
	volume, number, _ := strings.Cut(strings.TrimSuffix(r.Volume, ")"), "(")
	fields = append(fields, [][2]string{{"volume", volume}, {"number", number}, {"doi", r.DOI}, {"eprint", r.ArXiv}}...)
	if r.ArXiv != "" {
		fields = append(fields, [2]string{"archiveprefix", "arXiv"})
	}
	if r.Code != "" {
		fields = append(fields, [2]string{"note", "Code: " + r.Code})
	}
	var out strings.Builder
	fmt.Fprintf(&out, "@%s{%s,\n", kind, r.Key)
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(&out, "  %s = {%s},\n", f[0], f[1])
		}
	}
	return out.String() + "}\n"
}
