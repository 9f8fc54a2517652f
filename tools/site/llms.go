package main

import (
	"fmt"
	"regexp"
	"strings"
)

var tableLink = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)

// llms is the site's list of pages for programs that read (llmstxt.org): the table of docs/README.md, a task a line.
func llms(readme string, known map[string]bool) string {
	var text strings.Builder
	text.WriteString("# marigram\n\n" +
		"> Simulates the training of neural networks on spot instances. Commands print JSON with --json.\n\n" +
		"## Documentation\n")
	for line := range strings.Lines(readme) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 2 {
			continue
		}
		task := strings.TrimPrefix(cells[0], "| ")
		for _, link := range tableLink.FindAllStringSubmatch(cells[1], -1) {
			to := strings.TrimPrefix(target("docs/README.md", link[2], known), "../")
			fmt.Fprintf(&text, "- [%s](%s): %s\n", link[1], to, task)
		}
	}
	return text.String()
}
