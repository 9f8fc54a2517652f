package quotas

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"github.com/marigram/marigram/policies/schedulers/kueue"
)

// quantityForm is the number and the unit of a quantity of Kubernetes
// (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity).
var quantityForm = regexp.MustCompile(`^([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))` +
	"(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\\d{1,2}))?$")

// tens and twos are the powers of the units.
var (
	tens = map[string]int64{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	twos = map[string]uint{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
)

// rational reads a quantity.
func rational(text string) (*big.Rat, error) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%q, expected a quantity such as 8, 500m or 16Gi", text)
	}
	value, _ := new(big.Rat).SetString(parts[1])
	if shift, is := twos[parts[2]]; is {
		return value.Mul(value, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), shift))), nil
	}
	power := tens[parts[2]]
	if parts[3] != "" {
		power, _ = strconv.ParseInt(parts[3], 10, 64)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(power, -power)), nil))
	if power < 0 {
		scale.Inv(scale)
	}
	return value.Mul(value, scale), nil
}

// amount reads a quantity of a resource: thousandths of cpu, whole units of all else, rounded up.
func amount(resource, text string) (int64, error) {
	value, err := rational(text)
	if err != nil {
		return 0, err
	}
	if resource == "cpu" {
		value.Mul(value, big.NewRat(1000, 1))
	}
	whole := new(big.Int).Add(value.Num(), new(big.Int).Sub(value.Denom(), big.NewInt(1)))
	whole.Div(whole, value.Denom())
	if whole.Sign() < 0 || whole.Cmp(big.NewInt(kueue.MaxAmount)) > 0 {
		return 0, fmt.Errorf("%s, expected from 0 to 2^60", text)
	}
	return whole.Int64(), nil
}
