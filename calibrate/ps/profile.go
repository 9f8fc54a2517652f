package ps

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
)

// Profile is one network measured on instance types, one row each.
type Profile []ProfileRow

// ProfileRow is one instance type: what it trains at alone, and what is known
// of its market.
type ProfileRow struct {
	InstanceType     string
	GPU              string
	GPUs             int     // g_i, in one instance
	Quota            int     // instances that may be held
	SpotUSDPerH      float64 // price when it was profiled
	BatchPerGPU      int     // b_k, samples
	SpeedSamplesPerS float64 // measured, one worker and an idle parameter server
}

// OpenProfile reads a profile file; see ReadProfile.
func OpenProfile(path string) (Profile, error) { return csvtext.Open(path, ReadProfile) }

// ReadProfile reads a CSV table with the columns instance_type, gpu, gpus,
// quota, spot_usd_per_h, batch_per_gpu and speed_samples_per_s. name is for its
// errors, which give line, column, value and what was expected.
func ReadProfile(name string, r io.Reader) (Profile, error) {
	table, err := csvtext.Read(name, r, "instance_type", "gpu", "gpus", "quota", "spot_usd_per_h", "batch_per_gpu",
		"speed_samples_per_s")
	if err != nil {
		return nil, err
	}
	var profile Profile
	for i := range table.Rows {
		cells := table.Cells(i)
		row := ProfileRow{
			InstanceType:     cells.Named("instance_type"),
			GPU:              cells.Text("gpu"),
			GPUs:             cells.Count("gpus", 1, 1024),
			Quota:            cells.Count("quota", 1, 4096),
			SpotUSDPerH:      cells.Number("spot_usd_per_h", 0, 1e5),
			BatchPerGPU:      cells.Count("batch_per_gpu", 1, 1<<24),
			SpeedSamplesPerS: cells.Number("speed_samples_per_s", 1e-6, 1e12),
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
		if _, err := profile.find(row.InstanceType); err == nil {
			return nil, table.Errorf(i, "instance_type", "%q is given twice", row.InstanceType)
		}
		profile = append(profile, row)
	}
	return profile, nil
}

// find returns the row of an instance type.
func (p Profile) find(instanceType string) (ProfileRow, error) {
	var names []string
	for _, row := range p {
		if row.InstanceType == instanceType {
			return row, nil
		}
		names = append(names, row.InstanceType)
	}
	return ProfileRow{}, registry.Unknown("profiled instance type", instanceType, names)
}

// Types returns the instance types in the order of the rows.
func (p Profile) Types() []string {
	names := make([]string, len(p))
	for i, row := range p {
		names[i] = row.InstanceType
	}
	return names
}

const profileSuffix, coefficientsSuffix = ".profile.csv", ".coefficients.csv"

// Published returns a profile and the coefficients that come with marigram: a
// table of facts with its source, for instance "spotdnn-resnet110".
func Published(name string) (Profile, Coefficients, error) {
	data, err := facts.Profiles.ReadFile(name + profileSuffix)
	if err != nil {
		return nil, Coefficients{}, registry.Unknown("published profile", name, PublishedNames())
	}
	profile, err := ReadProfile("profiles/"+name+profileSuffix, bytes.NewReader(data))
	if err != nil {
		return nil, Coefficients{}, err
	}
	if data, err = facts.Profiles.ReadFile(name + coefficientsSuffix); err != nil {
		return nil, Coefficients{}, err
	}
	coefficients, err := ReadCoefficients("profiles/"+name+coefficientsSuffix, bytes.NewReader(data))
	if err == nil {
		watched(name, profile, &coefficients)
	}
	return profile, coefficients, err
}

// watched tells analyses of sensitivity of the numbers of a published profile.
func watched(name string, p Profile, c *Coefficients) {
	for i := range p {
		row := &p[i]
		table := name + ".profile"
		facts.Number(table, "gpus", &row.GPUs)
		facts.Number(table, "quota", &row.Quota)
		facts.Number(table, "spot_usd_per_h", &row.SpotUSDPerH)
		facts.Number(table, "batch_per_gpu", &row.BatchPerGPU)
		facts.Number(table, "speed_samples_per_s", &row.SpeedSamplesPerS)
	}
	for symbol, field := range c.fields() {
		if !math.IsNaN(*field.at) { // the source has it
			facts.Number(name+".coefficients", symbol, field.at)
		}
	}
}

// PublishedNames returns what Published knows, sorted.
func PublishedNames() []string { return facts.ProfileNames(profileSuffix) }

// PredictSpeeds returns the profile with the speeds of the instance types that
// model m Covers as it predicts them at their number of GPUs and batch, instead
// of the measured ones. Which network the profile is of it does not say: it is
// taken to be the model's. A warning names each of types whose prediction is
// outside of what the model was fitted on.
func PredictSpeeds(m *fit.Model, p Profile, types []string) (out Profile, warnings []string, err error) {
	if err := m.OfInstances(); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(m.For, func(f fit.Fixed) bool { return f.Column == "parameter_servers" }) {
		return nil, nil, fmt.Errorf("family %s, "+
			"expected one of the time of a step without contention for parameter servers", m.Family)
	}
	found := false
	out = slices.Clone(p)
	for i := range out {
		instance := &out[i]
		row := fit.Measurement{Model: m.Fixed("model"), GPU: instance.GPU, GPUs: instance.GPUs,
			Batch: instance.BatchPerGPU}
		if !m.Covers(&row) {
			continue
		}
		found = true
		step, outside := m.Predict(&row)
		if !(step > 0) || math.IsInf(step, 1) {
			return nil, nil, fmt.Errorf("%s predicts a step of %v s for %s, expected more than 0", m.Family, step,
				instance.InstanceType)
		}
		instance.SpeedSamplesPerS = float64(instance.GPUs*instance.BatchPerGPU) / step
		if outside != "" && slices.Contains(types, instance.InstanceType) {
			warnings = append(warnings, fmt.Sprintf(
				"the speed of %s is predicted outside the fitted range of the model (%s)", instance.InstanceType,
				outside))
		}
	}
	if !found {
		return nil, nil, fmt.Errorf("fitted on GPU %q, but no instance type of the profile has it", m.Fixed("gpu"))
	}
	return out, warnings, nil
}
