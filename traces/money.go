package traces

import (
	"errors"
	"fmt"
	"strings"
)

// NanoPerUSD is the number of money units in one USD: AWS publishes six
// decimals, Google nine.
const NanoPerUSD = 1_000_000_000

// MaxPriceNano is the largest price believed, 10,000 USD per hour: two orders
// above the dearest GPU machine on any list, one above the bidding era's
// spikes.
const MaxPriceNano = 10_000 * NanoPerUSD

// ParseUSD returns a decimal text such as "1.067100" in nano-USD, exactly. It
// takes digits with at most one point: no sign, exponent, blank or separator.
// Prices above 10,000 USD per hour and parts of a nano-USD are refused.
func ParseUSD(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	if whole == "" || dotted && part == "" || !digits(whole) || !digits(part) {
		return 0, fmt.Errorf("expected a decimal number from 0 to 10000, for instance 1.067100")
	}
	part = strings.TrimRight(part, "0")
	if len(part) > 9 {
		return 0, fmt.Errorf("has %d decimals, expected at most 9", len(part))
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > 5 {
		return 0, errTooExpensive
	}
	nano := number(part)
	for range 9 - len(part) {
		nano *= 10
	}
	if nano += number(whole) * NanoPerUSD; nano > MaxPriceNano {
		return 0, errTooExpensive
	}
	return nano, nil
}

var errTooExpensive = errors.New("is out of range, expected 0 to 10000 USD per hour")

// number returns the value of at most nine digits.
func number(digits string) (n int64) {
	for i := range len(digits) {
		n = n*10 + int64(digits[i]-'0')
	}
	return n
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// FormatUSD returns nano-USD as a decimal text with six decimals, as AWS prints
// it, or nine where six are not enough.
func FormatUSD(nano int64) string {
	text := fmt.Sprintf("%d.%09d", nano/NanoPerUSD, nano%NanoPerUSD)
	return strings.TrimSuffix(text, "000")
}

// USD returns nano-USD in USD, correctly rounded.
func USD(nano int64) float64 { return float64(nano) / NanoPerUSD }
