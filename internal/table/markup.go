package table

import (
	"encoding/json"
	"html"
	"strconv"
	"strings"
)

// Markdown returns the table as GitHub's Markdown has it.
func (t *Table) Markdown() string {
	var text strings.Builder
	for _, column := range t.Columns {
		text.WriteString("| " + escaped(column.Head()) + " ")
	}
	text.WriteString("|\n")
	for _, column := range t.Columns {
		if column.Left {
			text.WriteString("|---")
		} else {
			text.WriteString("|--:")
		}
	}
	text.WriteString("|\n")
	for _, row := range t.Rows {
		for _, column := range row {
			text.WriteString("| " + escaped(column.text()) + " ")
		}
		text.WriteString("|\n")
	}
	return text.String()
}

// escaped is a text in a table of Markdown.
func escaped(s string) string { return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(s) }

// classes are the classes of cells of HTML by their tone.
var classes = map[Tone]string{Green: "good", Yellow: "doubtful", Red: "bad", Bold: "strong"}

// HTML returns the table as HTML: columns at the left have the class text, and cells with a tone the class good,
// doubtful, bad or strong.
func (t *Table) HTML() string {
	var text strings.Builder
	text.WriteString(element("table", "class", t.Class) + "\n<thead><tr>")
	for _, column := range t.Columns {
		text.WriteString(element("th", "class", column.class()) + lines(column.Head()) + "</th>")
	}
	text.WriteString("</tr></thead>\n<tbody>")
	for i, row := range t.Rows {
		class := ""
		if i < len(t.RowClasses) {
			class = t.RowClasses[i]
		}
		text.WriteString("\n" + element("tr", "class", class))
		for k := range row {
			t.cell(&text, k, &row[k])
		}
		text.WriteString("</tr>")
	}
	text.WriteString("\n</tbody></table>\n")
	return text.String()
}

// cell writes a cell of a column.
func (t *Table) cell(b *strings.Builder, column int, c *Cell) {
	of := &t.Columns[column]
	tag := "td"
	class := strings.TrimSpace(of.class() + " " + classes[c.Tone])
	order := ""
	if c.Order != 0 {
		order = strconv.Itoa(c.Order)
	}
	switch {
	case t.Class == "":
		b.WriteString(element(tag, "class", class))
	case column == 0:
		tag = "th"
		b.WriteString(element(tag, "scope", "row", "class", class, "data-value", order))
	default:
		b.WriteString(element(tag, "class", class, "data-label", of.Head()))
	}
	if c.Mark != "" && t.Mark != nil {
		b.WriteString(t.Mark(c.Mark))
	}
	if c.Link != "" {
		b.WriteString(element("a", "href", c.Link) + lines(c.text()) + "</a>")
	} else {
		b.WriteString(lines(c.text()))
	}
	if c.Note != "" {
		b.WriteString(` <span class="bad">` + lines(c.Note) + "</span>")
	}
	b.WriteString("</" + tag + ">")
}

// class is that of a column's cells.
func (c *Column) class() string {
	if c.Left {
		return "text"
	}
	return ""
}

// element begins an element with those of its attributes that are not empty.
func element(tag string, attributes ...string) string {
	text := "<" + tag
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			text += " " + attributes[i] + `="` + html.EscapeString(attributes[i+1]) + `"`
		}
	}
	return text + ">"
}

// lines is a text in HTML.
func lines(text string) string { return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") }

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
