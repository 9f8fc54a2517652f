package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/traces"
)

// WriteJSON prints a value as JSON, indented.
func WriteJSON(w io.Writer, v any) error {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return Failed(err)
	}
	_, err = fmt.Fprintf(w, "%s\n", out)
	return Failed(err)
}

// Significant prints a number for people, to five digits.
func Significant(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

// Percent prints a share in percent.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }

// Count is a number with its noun, for instance "1 run" or "20 runs".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Meaning puts the semantics of a trace into words.
func Meaning(semantics string) string {
	return cmp.Or(meanings[semantics], "meaning of the counts is not stated")
}

var meanings = map[string]string{
	traces.SemanticsPrices:      "prices",
	traces.SemanticsLaunchProbe: "launch probes: machines that could be launched",
	traces.SemanticsBinaryZone:  "launch probes of one machine",
	traces.SemanticsHeld:        "machines that ran",
	traces.SemanticsAutoscaling: "machines that ran in an autoscaled pool with an unknown target size",
	traces.SemanticsSynthetic:   "SYNTHETIC",
}

// ForecastersHelp lists the forecasters for a help text.
func ForecastersHelp() string {
	var b strings.Builder
	b.WriteString("Forecasters:\n")
	for _, info := range forecast.List() {
		fmt.Fprintf(&b, "  %-20s %s\n", info.Name, info.Doc)
	}
	fmt.Fprintf(&b, "  %-20s %s\n", "arima-P-D-Q[-drift]", "ARIMA(P,D,Q) with P and Q up to 3, D up to 2")
	return b.String()
}
