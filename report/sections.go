package report

// sections are those of a report, in their order.
func (p *page) sections() (out []section) {
	for _, s := range []section{cells{p}, objectives{p}, schedulers{p}, notebooks{p}, costs{p}, machines{p},
		figures{p}, spent{p}, jobs{p}, runs{p}, provenance{p}} {
		if s.has() {
			out = append(out, s)
		}
	}
	return out
}
