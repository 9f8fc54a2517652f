package claims

import (
	"fmt"
	"strings"
)

// Reference is a publication with which claims are compared.
type Reference struct {
	Key     string   `json:"key"` // of BibTeX
	Authors []string `json:"authors"`
	Title   string   `json:"title"`
	Venue   string   `json:"venue"`            // short, as in a text
	Book    string   `json:"book"`             // the conference or journal in full
	Volume  string   `json:"volume,omitempty"` // of a journal; empty: proceedings
	Year    int      `json:"year"`
	DOI     string   `json:"doi,omitempty"`   // empty where none is known
	ArXiv   string   `json:"arxiv,omitempty"` // likewise
	Code    string   `json:"code,omitempty"`  // public code that inputs or numbers come from: repository and commit
}

// referencesOf holds the keys by system, and by figure where they are others.
var referencesOf = map[string][]string{
	"bamboo":                {"thorpe2023bamboo"},
	"checkpoint":            {"daly2006higher", "young1974first"},
	"cmdare":                {"li2020characterizing"},
	"dally":                 {"sharma2024dally"},
	"deadline":              {"wu2024late"},
	"defection":             {"mehboob2023sharing"},
	"compression":           nil,
	"dynamic-pricing":       {"narayanan2020dynamic"},
	"eva":                   {"chang2025eva"},
	"gavel":                 {"narayanan2020heterogeneity"},
	"hadar":                 {"sultana2024hadar", "sultana2025resource"},
	"icac19":                {"li2019speeding"},
	"notebooks":             {"carver2026notebookos"},
	"oobleck":               {"jang2023oobleck"},
	"out-of-core":           {"mohoney2021marius"},
	"parcae":                {"duan2024parcae"},
	"skynomad":              {"li2027skynomad"},
	"spotdnn":               {"shang2023spotdnn"},
	"starburst":             {"luo2024starburst"},
	"stash":                 {"sharma2023stash"},
	"sync":                  {"li2021syncswitch"},
	"sync/order-statistics": nil,
	"tiresias":              {"gu2019tiresias"},
	"transfers":             {"narayanan2020dynamic"},
	"varuna":                {"athlur2022varuna", "jang2023oobleck"},
	"waiting":               {"ambati2020waiting"},
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
