package ps

import (
	"io"

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
	t, err := csvtext.Read(name, r, "instance_type", "gpu", "gpus", "quota", "spot_usd_per_h", "batch_per_gpu",
		"speed_samples_per_s")
	if err != nil {
		return nil, err
	}
	var p Profile
	for i := range t.Rows {
		row, err := profileRow(t, i)
		if err != nil {
			return nil, err
		}
		if _, err := p.find(row.InstanceType); err == nil {
			return nil, t.Errorf(i, "instance_type", "%q is given twice", row.InstanceType)
		}
		p = append(p, row)
	}
	return p, nil
}

func profileRow(t *csvtext.Table, i int) (r ProfileRow, err error) {
	r.InstanceType, r.GPU = t.Text(i, "instance_type"), t.Text(i, "gpu")
	if r.InstanceType == "" {
		return r, t.Errorf(i, "instance_type", "%q, expected a name", "")
	}
	if r.GPUs, err = t.Count(i, "gpus", 1, 1024); err != nil {
		return r, err
	}
	if r.Quota, err = t.Count(i, "quota", 1, 4096); err != nil {
		return r, err
	}
	if r.SpotUSDPerH, err = t.Number(i, "spot_usd_per_h", 0, 1e5); err != nil {
		return r, err
	}
	if r.BatchPerGPU, err = t.Count(i, "batch_per_gpu", 1, 1<<24); err != nil {
		return r, err
	}
	r.SpeedSamplesPerS, err = t.Number(i, "speed_samples_per_s", 1e-6, 1e12)
	return r, err
}

// find returns the row of an instance type.
func (p Profile) find(instanceType string) (ProfileRow, error) {
	var names []string
	for _, r := range p {
		if r.InstanceType == instanceType {
			return r, nil
		}
		names = append(names, r.InstanceType)
	}
	return ProfileRow{}, registry.Unknown("profiled instance type", instanceType, names)
}

// Types returns the instance types in the order of the rows.
func (p Profile) Types() []string {
	names := make([]string, len(p))
	for i, r := range p {
		names[i] = r.InstanceType
	}
	return names
}
