package table

import (
	"encoding/json"
	"html"
	"strconv"
	"strings"
)

// Markdown returns the table as GitHub's Markdown has it.
func (t *Table) Markdown() string {
	var b strings.Builder
	for _, c := range t.Columns {
		b.WriteString("| " + escaped(c.Head()) + " ")
	}
	b.WriteString("|\n")
	for _, c := range t.Columns {
		if c.Left {
			b.WriteString("|---")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		for _, c := range row {
			b.WriteString("| " + escaped(c.text()) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// escaped is a text in a table of Markdown.
func escaped(s string) string { return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(s) }

// classes are the classes of cells of HTML by their tone.
var classes = map[Tone]string{Green: "good", Yellow: "doubtful", Red: "bad"}

// HTML returns the table as HTML: columns at the left have the class text, and cells with a tone the class good, doubtful or
// bad.
func (t *Table) HTML() string {
	var b strings.Builder
	cell := func(tag, text, link string, classes ...string) {
		text = strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
		if link != "" {
			text = `<a href="` + html.EscapeString(link) + `">` + text + "</a>"
		}
		b.WriteString("<" + tag)
		if class := strings.TrimSpace(strings.Join(classes, " ")); class != "" {
			b.WriteString(` class="` + class + `"`)
		}
		b.WriteString(">" + text + "</" + tag + ">")
	}
	left := func(i int) string {
		if t.Columns[i].Left {
			return "text"
		}
		return ""
	}
	b.WriteString("<table>\n<thead><tr>")
	for i := range t.Columns {
		cell("th", t.Columns[i].Head(), "", left(i))
	}
	b.WriteString("</tr></thead>\n<tbody>")
	for _, row := range t.Rows {
		b.WriteString("\n<tr>")
		for i := range row {
			cell("td", row[i].text(), row[i].Link, left(i), classes[row[i].Tone])
		}
		b.WriteString("</tr>")
	}
	b.WriteString("\n</tbody></table>\n")
	return b.String()
}

// MarshalJSON writes a list with an object a row, by the keys of the columns; columns without a key are left out.
func (t *Table) MarshalJSON() ([]byte, error) {
	rows := []string{}
	for _, row := range t.Rows {
		var fields []string
		for k := range row {
			if t.Columns[k].Key == "" {
				continue
			}
			value, err := json.Marshal(row[k].Value)
			if err != nil {
				return nil, err
			}
			fields = append(fields, strconv.Quote(t.Columns[k].Key)+":"+string(value))
		}
		rows = append(rows, "{"+strings.Join(fields, ",")+"}")
	}
	return []byte("[" + strings.Join(rows, ",") + "]"), nil
}
