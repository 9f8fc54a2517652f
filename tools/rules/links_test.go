package rules

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	documentLink = regexp.MustCompile(`\]\(([^)\s"]+)\)`)
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// TestLinks checks that every link of a document to a file of the repository leads to one, and to a heading of it.
func TestLinks(t *testing.T) {
	texts := map[string]string{}
	for _, name := range documents(t) {
		texts[name] = withoutCode(readFile(t, name))
	}
	links := 0
	for name, text := range texts {
		for _, found := range documentLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "mailto:") {
				continue
			}
			to, anchor, _ := strings.Cut(found[1], "#")
			at := name
			if to != "" {
				at = path.Join(path.Dir(name), to)
			}
			links++
			if _, err := os.Stat(filepath.Join(root, at)); err != nil {
				t.Errorf("%s: no file %s", name, found[1])
			} else if anchor != "" && texts[at] != "" && !hasAnchor(texts[at], anchor) {
				t.Errorf("%s: no heading %s", name, found[1])
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links were found, expected at least 300", links)
	}
}

// TestLinksFinds checks that a heading is found by the anchor that GitHub gives it, and no other.
func TestLinksFinds(t *testing.T) {
	const text = "# One: `a_b`, [two](x.md)\n"
	if !hasAnchor(text, "one-a_b-two") || hasAnchor(text, "one") {
		t.Error("the heading has another anchor than GitHub's")
	}
	if strings.Contains(withoutCode("a\n```sh\n# b\n```\nc"), "b") {
		t.Error("a block of code is left in")
	}
}

// withoutCode returns a document without its blocks of code.
func withoutCode(text string) string {
	var kept strings.Builder
	inCode := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
		} else if !inCode {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// hasAnchor reports whether a document has a heading to which an anchor leads.
func hasAnchor(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		heading := linkText.ReplaceAllString(strings.TrimLeft(line, "#"), "$1")
		heading = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
		if strings.ReplaceAll(heading, " ", "-") == anchor {
			return true
		}
	}
	return false
}
