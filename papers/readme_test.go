package papers_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers"
)

// The README of each paper says what is reproduced and what is not, by its table of published numbers.
func TestReadmes(t *testing.T) {
	const begin, end = "<!-- generated: go test ./papers -run Readmes -args -update -->\n", "<!-- end -->\n"
	for _, p := range papers.All() {
		file := path.Join(p.Name, "README.md")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(data), begin)
		have, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s lacks its generated part, from %q to %q", file, begin, end)
		}
		want := contents(t, p)
		if *testutil.UpdateGolden {
			if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if have != want {
			t.Errorf("%s differs (go test ./papers -run Readmes -args -update)", file)
		}
	}
}

// contents is what a README says of a paper's numbers.
func contents(t *testing.T, p papers.Paper) string {
	list, err := papers.Select(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, figure := range papers.Figures(list) {
		for _, r := range papers.ReferencesOf(figure) {
			if line := item(r.Text()); !strings.Contains(text.String(), line) {
				text.WriteString(line)
			}
		}
	}
	fmt.Fprintf(&text, "\n```sh\nmarigram reproduce %s\n```\n\n| figure or table | numbers | fitted | open |\n|---|--:|--:|--:|\n", p.Name)
	reasons := map[string]int{}
	var order []string
	for _, figure := range papers.Figures(list) {
		numbers, fitted, open := 0, 0, 0
		for _, c := range list {
			if c.Figure() != figure {
				continue
			}
			numbers++
			switch {
			case c.Open != "":
				if open++; reasons[c.Open] == 0 {
					order = append(order, c.Open)
				}
				reasons[c.Open]++
			case c.Fitted:
				fitted++
			}
		}
		fmt.Fprintf(&text, "| [%s](%s.yaml) | %d | %d | %d |\n", path.Base(figure), path.Base(figure), numbers, fitted, open)
	}
	if len(order) > 0 {
		text.WriteString("\nNot reproduced, and why:\n")
	}
	for _, reason := range order {
		text.WriteString(item(fmt.Sprintf("%d: %s", reasons[reason], reason)))
	}
	return text.String()
}

// item is an item of a list, in lines of at most 150 characters.
func item(text string) string {
	lines, last := "-", 1
	for _, word := range strings.Fields(text) {
		if last+1+len(word) > 150 {
			lines, last = lines+"\n ", 1
		}
		lines, last = lines+" "+word, last+1+len(word)
	}
	return lines + "\n"
}
