package clouds

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// addPool returns the pool of a machine type in a region; Azure's prices and
// eviction rates do not differ by zone.
func addPool(b *formats.Builder, region, typ, system string) (int32, error) {
	for _, f := range []struct{ what, text string }{{"region", region}, {"machine type", typ}} {
		if err := read.CheckName(f.text); err != nil {
			return 0, fmt.Errorf("%s %s, %w", f.what, read.Quote(f.text), err)
		}
	}
	typ = typeName(typ)
	return b.Pool(traces.Pool{
		Name: traces.PoolName(region, typ, system), Cloud: "azure", Region: region, Zone: b.Options.Zone, InstanceType: typ,
		Product: system,
	}), nil
}

// typeName returns the name that Azure's API has for a machine type: the price
// lists write NC6s v3, the resource graph standard_nc6s_v3, the API
// Standard_NC6s_v3.
func typeName(name string) string {
	name = strings.ReplaceAll(name, " ", "_")
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "standard_") {
		name = name[len("standard_"):]
	}
	return "Standard_" + family(name)
}

// family gives a name in small letters the capitals of its family: NC6s_v3
// for nc6s_v3. Names with a capital are left as they are.
func family(name string) string {
	if strings.ToLower(name) != name {
		return name
	}
	digit := strings.IndexAny(name, "0123456789")
	return strings.ToUpper(name[:max(digit, 0)]) + name[max(digit, 0):]
}
