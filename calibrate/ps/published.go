package ps

import (
	"bytes"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

const profileSuffix, coefficientsSuffix = ".profile.csv", ".coefficients.csv"

// Published returns a profile and the coefficients that come with marigram: a
// table of facts with its source, for instance "spotdnn-resnet110".
func Published(name string) (Profile, Coefficients, error) {
	data, err := facts.Profiles.ReadFile(name + profileSuffix)
	if err != nil {
		return nil, Coefficients{}, registry.Unknown("published profile", name, PublishedNames())
	}
	p, err := ReadProfile("profiles/"+name+profileSuffix, bytes.NewReader(data))
	if err != nil {
		return nil, Coefficients{}, err
	}
	if data, err = facts.Profiles.ReadFile(name + coefficientsSuffix); err != nil {
		return nil, Coefficients{}, err
	}
	c, err := ReadCoefficients("profiles/"+name+coefficientsSuffix, bytes.NewReader(data))
	if err == nil {
		watched(name, p, &c)
	}
	return p, c, err
}

// watched tells analyses of sensitivity of the numbers of a published profile.
func watched(name string, p Profile, c *Coefficients) {
	for i := range p {
		r := &p[i]
		table := name + ".profile"
		facts.Number(table, "gpus", &r.GPUs)
		facts.Number(table, "quota", &r.Quota)
		facts.Number(table, "spot_usd_per_h", &r.SpotUSDPerH)
		facts.Number(table, "batch_per_gpu", &r.BatchPerGPU)
		facts.Number(table, "speed_samples_per_s", &r.SpeedSamplesPerS)
	}
	for symbol, f := range c.fields() {
		if !math.IsNaN(*f.at) { // the source has it
			facts.Number(name+".coefficients", symbol, f.at)
		}
	}
}

// PublishedNames returns what Published knows, sorted.
func PublishedNames() []string { return facts.ProfileNames(profileSuffix) }
