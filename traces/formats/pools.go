package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Pool returns the number of the pool with a name, which it adds if it is new, with
// what follows from what is known of it.
func (b *Builder) Pool(p traces.Pool) int32 {
	if id, ok := b.pools[p.Name]; ok {
		return id
	}
	id := int32(len(b.set.Pools))
	p.AccountTag = b.Options.AccountTag
	describePool(&p, &b.Options)
	b.pools[p.Name] = id
	b.set.Pools = append(b.set.Pools, p)
	b.ends = append(b.ends, 0)
	return id
}

// PoolAt returns the pool with a number.
func (b *Builder) PoolAt(id int32) *traces.Pool { return &b.set.Pools[id] }

// FilePool adds the pool of a file that holds one. A second file of the same
// pool is refused: counts of two files cannot be put in order.
func (b *Builder) FilePool(s *read.Source) (int32, error) {
	p := poolOfFile(&b.Options, s.Stem())
	if id, ok := b.pools[p.Name]; ok {
		return 0, s.Errorf(0, 0, "is a second file of pool %s (pool %d); import them one by one", p.Name, id)
	}
	return b.Pool(p), nil
}

// ZonePool adds the pool of a zone that the source names, with what the options
// say where the source is silent. It is named by zone, instance type (GPUs
// or the name that p has where that is not known) and product.
func (b *Builder) ZonePool(p traces.Pool) int32 {
	o := &b.Options
	_, cloud := read.RegionOf(p.Zone)
	p.Zone = cmp.Or(p.Zone, o.Zone)
	p.Cloud = cmp.Or(p.Cloud, o.Cloud, cloud)
	p.Region = cmp.Or(p.Region, o.Region)
	p.InstanceType = cmp.Or(p.InstanceType, o.InstanceType)
	p.GPUType = cmp.Or(p.GPUType, o.GPU)
	p.GPUCount = cmp.Or(p.GPUCount, int32(o.GPUs))
	what := p.InstanceType
	if what == "" && p.GPUType != "" {
		if what = p.GPUType; p.GPUCount > 0 {
			what = fmt.Sprintf("%dx%s", p.GPUCount, p.GPUType)
		}
	}
	what = cmp.Or(what, p.Name)
	p.Name = cmp.Or(p.Zone, "zone not known")
	if what != "" {
		p.Name += "/" + what
	}
	if p.Product != "" {
		p.Name += "/" + p.Product
	}
	if p.Market == MarketUnknown {
		p.Name += "/market " + MarketUnknown
	}
	return b.Pool(p)
}

// RegionPool is the pool of events that tell no machine type: what the options
// say, the place, or the cloud.
func (b *Builder) RegionPool(cloud, region, zone string) int32 {
	zone = cmp.Or(b.Options.Zone, zone)
	region = cmp.Or(b.Options.Region, region)
	place := cmp.Or(zone, region, cloud)
	return b.Pool(traces.Pool{
		Name:         cmp.Or(traces.PoolName(place, b.Options.InstanceType, ""), place),
		Cloud:        cloud,
		Region:       region,
		Zone:         zone,
		InstanceType: b.Options.InstanceType,
		GPUType:      b.Options.GPU,
		GPUCount:     int32(b.Options.GPUs),
	})
}

// poolOfFile describes the pool of a file: what the options say, then what its
// name says.
func poolOfFile(o *traces.Options, stem string) traces.Pool {
	p := traces.Pool{
		Cloud: o.Cloud, Region: o.Region, Zone: o.Zone,
		InstanceType: o.InstanceType, GPUType: o.GPU, GPUCount: int32(o.GPUs),
	}
	if zone, gpu, gpus, ok := read.ZoneFileName(stem); ok {
		_, cloud := read.RegionOf(zone)
		p.Zone = cmp.Or(p.Zone, zone)
		p.Cloud = cmp.Or(p.Cloud, cloud)
		p.GPUType = cmp.Or(p.GPUType, gpu)
		p.GPUCount = cmp.Or(p.GPUCount, int32(gpus))
		if p.Cloud == "aws" {
			p.InstanceType = cmp.Or(p.InstanceType, read.AWSType(p.GPUType, int(p.GPUCount)))
		}
	}
	p.Name = cmp.Or(traces.PoolName(p.Zone, p.InstanceType, ""), stem)
	return p
}

// What tells pools apart that are otherwise alike.
const (
	MarketUnknown = "unknown"   // the market of machines whose source is unclear about it
	ProductGPU    = "GPU alone" // the product of prices that are of the GPU alone
)

// describePool fills in what follows from what is known.
func describePool(p *traces.Pool, o *traces.Options) {
	p.Market = cmp.Or(p.Market, "spot")
	region, _ := read.RegionOf(p.Zone)
	p.Region = cmp.Or(p.Region, region)
	if p.Cloud == "aws" {
		p.Region = cmp.Or(p.Region, read.RegionOfZoneID(p.ZoneID))
	}
	m := read.MachineOf(p.InstanceType)
	p.GPUType = cmp.Or(p.GPUType, m.GPU)
	p.GPUCount = cmp.Or(p.GPUCount, m.GPUs)
	if m.MemMiB > 0 {
		p.GPUMemMiB = &m.MemMiB
	}
	if p.Product == ProductGPU {
		return // list prices are of machines
	}
	if nano, ok := o.OnDemandNano[p.InstanceType]; ok {
		p.OnDemandNano = &nano
	} else if nano := m.OnDemandIn(p.Region); nano > 0 {
		p.OnDemandNano = &nano
	}
}

// poolRanks returns the places of the pools in the order of their names.
func (b *Builder) poolRanks() []int32 {
	pools := b.set.Pools
	sorted := make([]int32, len(pools))
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(x, y int32) int { return strings.Compare(pools[x].Name, pools[y].Name) })
	ranks := make([]int32, len(pools))
	for rank, i := range sorted {
		ranks[i] = int32(rank)
	}
	return ranks
}
