package formats

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
)

// name reads a string that names something.
func (c *cursor) name(what string) (string, error) {
	s, err := c.text(what, traces.MaxName)
	if err == nil {
		if bad := checkName(s); bad != nil {
			err = c.errorf("%s %s, %v", what, quote(s), bad)
		}
	}
	return s, err
}

// usd reads a decimal string in nano-USD.
func (c *cursor) usd(what string) (int64, error) {
	if text, plain := c.value(); plain {
		nano, bad := traces.ParseUSD(string(text))
		if bad != nil {
			return 0, c.errorf("%s %s %v", what, quote(string(text)), bad)
		}
		return nano, nil
	}
	s, err := c.text(what, traces.MaxName)
	if err != nil {
		return 0, err
	}
	nano, bad := traces.ParseUSD(s)
	if bad != nil {
		return 0, c.errorf("%s %s %v", what, quote(s), bad)
	}
	return nano, nil
}

// decimal reads a string or a number as text.
func (c *cursor) decimal(what string) (string, error) {
	tok, err := c.next()
	if err != nil {
		return "", err
	}
	text, ok := tok.(string)
	if n, isNumber := tok.(json.Number); isNumber {
		text, ok = n.String(), true
	}
	if !ok {
		return "", c.errorf("%s is %s, expected a decimal number", what, describeToken(tok))
	}
	return text, nil
}

// usdNumber reads a decimal string or a number in nano-USD.
func (c *cursor) usdNumber(what string) (int64, error) {
	if c.ahead() == '"' {
		return c.usd(what)
	}
	text, err := c.decimal(what)
	if err != nil {
		return 0, err
	}
	nano, bad := traces.ParseUSD(text)
	if bad != nil {
		return 0, c.errorf("%s %s %v", what, quote(text), bad)
	}
	return nano, nil
}

// dollars reads a currency, which has to be USD.
func (c *cursor) dollars(what string) error {
	s, err := c.text(what, traces.MaxName)
	if err == nil && s != "USD" {
		err = c.errorf("%s %s, expected USD", what, quote(s))
	}
	return err
}

// instant reads an RFC 3339 string in us UTC.
func (c *cursor) instant(what string) (int64, error) {
	if text, plain := c.value(); plain {
		us, bad := parseInstant(string(text))
		if bad != nil {
			return 0, c.errorf("%s %s%v", what, quote(string(text)), bad)
		}
		return us, nil
	}
	return c.instantBy(what, parseInstant)
}

// instantUTC reads an RFC 3339 string, or a date and time without a zone, which
// is taken as UTC.
func (c *cursor) instantUTC(what string) (int64, error) {
	return c.instantBy(what, func(text string) (int64, error) {
		if t, err := time.Parse(time.DateTime, text); err == nil {
			return believed(t)
		}
		return parseInstant(text)
	})
}

func (c *cursor) instantBy(what string, parse func(string) (int64, error)) (int64, error) {
	s, err := c.text(what, traces.MaxName)
	if err != nil {
		return 0, err
	}
	us, bad := parse(s)
	if bad != nil {
		return 0, c.errorf("%s %s%v", what, quote(s), bad)
	}
	return us, nil
}

// between reads a number from lo to hi.
func (c *cursor) between(what string, lo, hi float64) (float64, error) {
	text, err := c.number(what)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= lo && x <= hi) {
		return 0, c.errorf("%s %s, expected a number from %v to %v", what, quote(text), lo, hi)
	}
	return x, nil
}

// token reads the place where a page goes on, empty or null where it does not.
func (c *cursor) token(what string) (string, error) {
	tok, err := c.next()
	if err != nil || tok == nil {
		return "", err
	}
	text, ok := tok.(string)
	if !ok || len(text) > maxToken {
		return "", c.errorf("%s is %s, expected a string of at most %d bytes", what, describeToken(tok), maxToken)
	}
	return text, nil
}

// count reads a number of machines.
func (c *cursor) count(what string) (int32, error) {
	text, err := c.number(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > traces.MaxMachines {
		return 0, c.errorf("%s %s, expected a whole number from 0 to %d", what, quote(text), traces.MaxMachines)
	}
	return int32(n), nil
}

// seconds reads a positive number of seconds, exact to the microsecond.
func (c *cursor) seconds(what string) (int64, error) {
	text, err := c.number(what)
	if err != nil {
		return 0, err
	}
	whole, part, _ := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if !isDigits(whole) || !isDigits(part) || len(whole) > 7 || len(part) > 6 {
		return 0, c.errorf("%s %s, expected seconds above 0 and below 10^7, to the microsecond", what, quote(text))
	}
	var us int64
	for _, d := range whole + part + strings.Repeat("0", 6-len(part)) {
		us = us*10 + int64(d-'0')
	}
	if us == 0 {
		return 0, c.errorf("%s is 0, expected seconds above 0", what)
	}
	return us, nil
}
