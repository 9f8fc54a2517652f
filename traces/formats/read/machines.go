package read

// Machine is what is known of an instance type.
type Machine struct {
	GPU      string
	GPUs     int32
	MemMiB   int32 // of one GPU
	OnDemand int64 // nano-USD per hour in the US regions of AWS; 0: not known here
}

// MachineOf returns what is known of an instance type, zeros where nothing is.
func MachineOf(instanceType string) Machine { return machines[instanceType] }

// OnDemandIn returns the price on demand in a region, nano-USD per hour; 0: not known.
func (m Machine) OnDemandIn(region string) int64 {
	if !usRegions[region] {
		return 0
	}
	return m.OnDemand
}

// machines holds the GPU instance types of the published spot traces. GPUs
// and memory: Amazon EC2 instance types, P2 and P3 pages (a K80 board is two
// GPUs of 12 GiB, V100 16 GiB); Azure's NC, NCv2 and NCv3 series; Google's A2,
// A3 and G2 machine types. On-demand prices: the price list of AWS's US regions
// in 2020-2023.
var machines = map[string]Machine{
	"p2.xlarge":   {"K80", 1, 12 << 10, 900_000_000},
	"p2.8xlarge":  {"K80", 8, 12 << 10, 7_200_000_000},
	"p2.16xlarge": {"K80", 16, 12 << 10, 14_400_000_000},
	"p3.2xlarge":  {"V100", 1, 16 << 10, 3_060_000_000},
	"p3.8xlarge":  {"V100", 4, 16 << 10, 12_240_000_000},
	"p3.16xlarge": {"V100", 8, 16 << 10, 24_480_000_000},

	"Standard_NC6":       {"K80", 1, 12 << 10, 0},
	"Standard_NC12":      {"K80", 2, 12 << 10, 0},
	"Standard_NC24":      {"K80", 4, 12 << 10, 0},
	"Standard_NC24r":     {"K80", 4, 12 << 10, 0},
	"Standard_NC6s_v2":   {"P100", 1, 16 << 10, 0},
	"Standard_NC12s_v2":  {"P100", 2, 16 << 10, 0},
	"Standard_NC24s_v2":  {"P100", 4, 16 << 10, 0},
	"Standard_NC24rs_v2": {"P100", 4, 16 << 10, 0},
	"Standard_NC6s_v3":   {"V100", 1, 16 << 10, 0},
	"Standard_NC12s_v3":  {"V100", 2, 16 << 10, 0},
	"Standard_NC24s_v3":  {"V100", 4, 16 << 10, 0},
	"Standard_NC24rs_v3": {"V100", 4, 16 << 10, 0},

	"a2-highgpu-1g":  {"A100", 1, 40 << 10, 0},
	"a2-highgpu-2g":  {"A100", 2, 40 << 10, 0},
	"a2-highgpu-4g":  {"A100", 4, 40 << 10, 0},
	"a2-highgpu-8g":  {"A100", 8, 40 << 10, 0},
	"a2-ultragpu-1g": {"A100", 1, 80 << 10, 0},
	"a2-ultragpu-2g": {"A100", 2, 80 << 10, 0},
	"a2-ultragpu-4g": {"A100", 4, 80 << 10, 0},
	"a2-ultragpu-8g": {"A100", 8, 80 << 10, 0},
	"a3-highgpu-1g":  {"H100", 1, 80 << 10, 0},
	"a3-highgpu-2g":  {"H100", 2, 80 << 10, 0},
	"a3-highgpu-4g":  {"H100", 4, 80 << 10, 0},
	"a3-highgpu-8g":  {"H100", 8, 80 << 10, 0},
	"g2-standard-4":  {"L4", 1, 24 << 10, 0},
	"g2-standard-48": {"L4", 4, 24 << 10, 0},
	"g2-standard-96": {"L4", 8, 24 << 10, 0},
}

// usRegions are the regions in which those on-demand prices hold.
var usRegions = map[string]bool{"us-east-1": true, "us-east-2": true, "us-west-2": true}

// AWSType returns the instance type with a number of GPUs of one model, "" if
// there is none.
func AWSType(gpu string, gpus int) string {
	for _, typ := range []string{"p2.xlarge", "p2.8xlarge", "p2.16xlarge", "p3.2xlarge", "p3.8xlarge", "p3.16xlarge"} {
		if m := machines[typ]; m.GPU == gpu && int(m.GPUs) == gpus {
			return typ
		}
	}
	return ""
}
