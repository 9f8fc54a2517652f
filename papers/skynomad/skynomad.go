package skynomad

import (
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/skynomad/reference"
)

// named is a policy and what a figure calls it.
type named struct {
	Name   string `json:"name"`
	Policy string `json:"policy"`
}

// compared is policies beside each other under several settings.
type compared struct {
	Fleet    fleet     `json:"fleet"`
	Settings []setting `json:"settings"`
	Policies []named   `json:"policies"`
}

// means reports the mean recorded cost of each setting under each policy.
func means(f *papers.Figure) error {
	var in compared
	if err := f.Inputs(&in); err != nil {
		return err
	}
	s, err := in.Fleet.open()
	if err != nil {
		return err
	}
	for i := range in.Settings {
		for _, p := range in.Policies {
			list, err := s.all(p.Policy, &in.Settings[i])
			if err != nil {
				return err
			}
			f.Report(in.Settings[i].Name+"-"+p.Name, meanOf(list, func(r *reference.Result) float64 { return r.RecordedUSD }))
		}
	}
	return nil
}

// ablation reports how far the mean full cost is above the optimum's, for other worths of
// an hour of work.
func ablation(f *papers.Figure) error {
	var in compared
	if err := f.Inputs(&in); err != nil {
		return err
	}
	s, err := in.Fleet.open()
	if err != nil {
		return err
	}
	full := func(r *reference.Result) float64 { return r.FullUSD }
	for i := range in.Settings {
		x := &in.Settings[i]
		best, err := s.all("multi_region_oracle_dp", x)
		if err != nil {
			return err
		}
		f.Report(x.Name+"-optimal", meanOf(best, full))
		for _, p := range in.Policies {
			list, err := s.all(p.Policy, x)
			if err != nil {
				return err
			}
			f.Report(x.Name+"-"+p.Name, meanOf(list, full)-meanOf(best, full))
		}
	}
	return nil
}
