package read

import "strings"

// Quoted splits a line at its commas into exactly n fields, of any number if n is 0. A
// field may stand between quotes, as RFC 4180 says, but not go on in the next line; others
// have no blanks around them. It returns the column of each.
func (l Line) Quoted(n int) (text []string, column []int, err error) {
	if len(l.Text) > MaxToken {
		return nil, nil, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), MaxToken)
	}
	text, column = make([]string, 0, max(n, 8)), make([]int, 0, max(n, 8))
	for at := 0; ; {
		field, end, ok := quotedField(l.Text[at:])
		if !ok {
			return nil, nil, l.ErrorAt(at+1, "%s, expected a field that ends with its quote, before a comma", Quote(l.Text[at:]))
		}
		blank := len(l.Text[at:]) - len(strings.TrimLeft(l.Text[at:], " \t"))
		text, column = append(text, field), append(column, at+blank+1)
		if at += end; at >= len(l.Text) {
			break
		}
		at++ // the comma
	}
	if n > 0 && len(text) != n {
		return nil, nil, l.ErrorAt(1, "%d fields in %s, expected %d", len(text), Quote(l.Text), n)
	}
	return text, column, nil
}

// quotedField returns the first field of a text and where it ends: at a comma, or with the
// text.
func quotedField(text string) (field string, end int, ok bool) {
	rest := strings.TrimLeft(text, " \t")
	if !strings.HasPrefix(rest, `"`) {
		if end = strings.IndexByte(text, ','); end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), end, true
	}
	at := len(text) - len(rest) + 1
	var b strings.Builder
	for {
		i := strings.IndexByte(text[at:], '"')
		if i < 0 {
			return "", 0, false
		}
		b.WriteString(text[at : at+i])
		at += i + 1
		if at >= len(text) || text[at] != '"' {
			break
		}
		b.WriteByte('"') // two of them stand for one
		at++
	}
	blanks := len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
	if at += blanks; at < len(text) && text[at] != ',' {
		return "", 0, false
	}
	return b.String(), at, true
}
