// Package units turns numbers with a unit into spans, and into texts for people: the same number reads the same in
// tables, on pages and in figures.
package units

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// USD writes dollars to the cent, and less than one dollar to three significant
// digits.
func USD(x float64) string {
	cents := strconv.FormatFloat(x, 'f', 2, 64)
	if math.Abs(x) >= 0.9995 || x == 0 {
		return cents
	}
	if text := significant(x, 3); len(text) > len(cents) {
		return text
	}
	return cents
}

// AboutUSD writes dollars as a sentence has them: to three significant digits, but no
// further than to the cent, and whole dollars whole.
func AboutUSD(x float64) string {
	if math.Abs(x) >= 99.95 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	if math.Abs(x) >= 9.995 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return USD(x)
}

// SignedUSD writes a difference in dollars, as USD does, with its sign.
func SignedUSD(x float64) string {
	if x < 0 {
		return USD(x)
	}
	return "+" + USD(x)
}

// Percent writes a share as per cent, with its sign, to three significant digits. Less
// than all is never written as 100 %, nor more than nothing as 0 %.
func Percent(share float64) string {
	percent := 100 * share
	text := significant(percent, 3)
	switch {
	case share < 1 && text == "100":
		text = strconv.FormatFloat(math.Floor(10*percent)/10, 'f', 1, 64)
	case share > 0 && percent < 0.01:
		return "under 0.01 %"
	}
	return text + " %"
}

// Count writes a number with its noun: "1 run" or "20 runs".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Thousands writes a number to so many significant digits, with commas between thousands.
func Thousands(x float64, digits int) string {
	text := significant(x, digits)
	whole, _, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// significant writes so many significant digits, without an exponent.
func significant(x float64, digits int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes can be read
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Seconds is a span of seconds, to the nearest nanosecond.
func Seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// Command returns a command line as a shell takes it, with quotes where it needs them.
func Command(args []string) string {
	var out []string
	for _, arg := range args {
		if strings.ContainsFunc(arg, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("-_./,:=+@%", r))
		}) || arg == "" {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

// word is what Wrap does not break: text between spaces, and code of Markdown with the spaces in it.
var word = regexp.MustCompile("[^\\s`]*(?:`[^`]*`[^\\s`]*)+|\\S+")

// Wrap breaks a paragraph of Markdown into lines of at most width characters, where its words allow it.
func Wrap(paragraph string, width int) string {
	var wrapped strings.Builder
	column := 0
	for _, part := range word.FindAllString(paragraph, -1) {
		length := utf8.RuneCountInString(part)
		switch {
		case column == 0:
		case column+1+length > width:
			wrapped.WriteByte('\n')
			column = 0
		default:
			wrapped.WriteByte(' ')
			column++
		}
		wrapped.WriteString(part)
		column += length
	}
	return wrapped.String()
}
