package runs

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNodes is the most nodes of one allocation.
const maxNodes = 100_000

// nodes expands a list of nodes as Slurm writes it: a[1-3,05],b.
func nodes(list string) ([]string, error) {
	var out []string
	for list != "" {
		end := len(list)
		depth := 0
		for i := range len(list) {
			if list[i] == '[' {
				depth++
			} else if list[i] == ']' {
				depth--
			} else if list[i] == ',' && depth == 0 {
				end = i
				break
			}
		}
		more, err := expand(list[:end], maxNodes-len(out))
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
		list = strings.TrimPrefix(list[end:], ",")
	}
	return out, nil
}

// expand expands one item of a list, with at most one pair of brackets.
func expand(item string, largest int) ([]string, error) {
	before, rest, bracket := strings.Cut(item, "[")
	if !bracket {
		if largest < 1 {
			return nil, errNodes
		}
		return []string{item}, nil
	}
	numbers, after, closed := strings.Cut(rest, "]")
	if !closed || strings.ContainsAny(after, "[]") {
		return nil, errNodes
	}
	var out []string
	for part := range strings.SplitSeq(numbers, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		lo, err1 := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || lo < 0 || hi < lo || len(from) > 9 || hi-lo >= largest-len(out) {
			return nil, errNodes
		}
		for n := lo; n <= hi; n++ {
			out = append(out, fmt.Sprintf("%s%0*d%s", before, len(from), n, after))
		}
	}
	return out, nil
}

var errNodes = fmt.Errorf("expected a list of at most %d nodes such as a[1-3,05],b", maxNodes)
