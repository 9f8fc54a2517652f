package table

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/units"
)

// formats are the formats of numbers that have a name.
var formats = map[string]func(float64) string{
	"usd":     units.USD,
	"+usd":    units.SignedUSD,
	"share":   units.Percent,                                                                   // to three digits
	"percent": func(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }, // to a tenth
	"digits":  func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) },            // five of them
	"hours":   func(seconds float64) string { return strconv.FormatFloat(seconds/3600, 'f', 2, 64) },
}

// Format writes a value for people. The format of a number is one of fmt, such as %.2f, or a name: usd and +usd (with
// its sign), share (per cent to three digits), percent (to a tenth), digits (five of them), hours (of seconds). That of
// a truth value is what it says, "yes/no" or "chosen/". Nothing is written of nil.
func Format(form string, x any) string {
	v := reflect.ValueOf(x)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return ""
	case v.Kind() == reflect.Bool:
		if !strings.Contains(form, "/") {
			form = "yes/no"
		}
		yes, no, _ := strings.Cut(form, "/")
		if v.Bool() {
			return yes
		}
		return no
	case v.CanFloat() && formats[form] != nil:
		return formats[form](v.Float())
	case v.CanFloat() && form == "":
		return formats["digits"](v.Float())
	case form != "" && v.Kind() != reflect.String:
		return fmt.Sprintf(form, v.Interface())
	}
	return fmt.Sprint(v.Interface())
}
