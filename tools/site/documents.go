package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown is GitHub's, with the identifiers of headings that links name; raw HTML is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	extension.Linkify, extension.Strikethrough), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// entry is a page in the index of the search.
type entry struct {
	Page  string `json:"page"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// plain is the policy of pages without a simulator.
const plain = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:"

// documents writes all documents of the repository as pages at the same places, what they show, and the index.
func (s *site) documents() error {
	out, err := exec.Command("git", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	known := map[string]bool{}
	for name := range strings.Lines(string(out)) {
		known[strings.TrimSpace(name)] = true
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") && !strings.HasPrefix(name, ".") {
			if err := s.document(name, known); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	readme, err := os.ReadFile("docs/README.md")
	if err != nil {
		return err
	}
	if err := s.file("llms.txt", []byte(llms(string(readme), known))); err != nil {
		return err
	}
	index, err := json.Marshal(s.index)
	if err != nil {
		return err
	}
	// A script, because pages that are opened as files cannot ask for others.
	if err := s.file("search-index.js", append([]byte("window.searched = "), index...)); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		data, err := files.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		if err := s.file(name, data); err != nil {
			return err
		}
	}
	return nil
}

// place is where the page of a document is.
func place(name string) string {
	if name == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// document writes the page of one document.
func (s *site) document(name string, known map[string]bool) error {
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&ids{seen: map[string]int{}}))))
	title := name
	var words strings.Builder
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 && title == name {
				title = said(n, source)
			}
		case *ast.Link:
			n.Destination = []byte(target(name, string(n.Destination), known))
		case *ast.Image:
			from := path.Join(path.Dir(name), string(n.Destination))
			if known[from] {
				data, err := os.ReadFile(from)
				if err == nil {
					err = s.file(from, data)
				}
				return ast.WalkContinue, err
			}
		}
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				words.Write(line.Value(source))
			}
			words.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, doc); err != nil {
		return err
	}
	body := bytes.ReplaceAll(html.Bytes(), []byte("<table>"), []byte(`<div class="wide" tabindex="0"><table>`))
	body = bytes.ReplaceAll(body, []byte("</table>"), []byte("</table></div>"))
	body = bytes.ReplaceAll(body, []byte("<pre>"), []byte(`<pre tabindex="0">`))
	s.index = append(s.index, entry{place(name), title, strings.Join(strings.Fields(words.String()), " ")})
	return s.page(place(name), title, plain, template.HTML(body))
}

// said is the text of a node.
func said(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, is := c.(*ast.Text); is {
			b.Write(t.Value(source))
		} else {
			b.WriteString(said(c, source))
		}
	}
	return b.String()
}

// target is where a link of a document leads to on the site: to the page of another document, or to the source.
func target(from, to string, known map[string]bool) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return to
	}
	name := path.Join(path.Dir(from), u.Path)
	switch {
	case known[name] && path.Ext(name) == ".md" && !strings.Contains(name, "testdata/"):
		u.Path = strings.Repeat("../", strings.Count(from, "/")) + place(name)
	case known[name]:
		return home + "/blob/main/" + name
	default: // a folder
		return home + "/tree/main/" + name
	}
	return u.String()
}

// ids makes the identifiers of headings as GitHub does, which links name.
type ids struct{ seen map[string]int }

var left = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_\- ]`)

// Generate implements parser.IDs.
func (x *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.ReplaceAll(left.ReplaceAllString(strings.ToLower(strings.TrimSpace(plainText(string(value)))), ""), " ", "-")
	n := x.seen[id]
	x.seen[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put implements parser.IDs.
func (x *ids) Put(value []byte) { x.seen[string(value)]++ }

var linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// plainText is a heading without its links.
func plainText(heading string) string { return linked.ReplaceAllString(heading, "$1") }
