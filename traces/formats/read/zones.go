package read

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// What the names of clouds mean: regions, zones, instance types, GPUs.

var (
	awsZone  = Pattern(`^([a-z]{2}(?:-[a-z]+)+-\d+)(?:-[a-z]+-\d+)?[a-z]$`)
	gcpZone  = Pattern(`^([a-z]+(?:-[a-z]+)+\d+)-[a-z]$`)
	zoneFile = Pattern(`^([a-z0-9-]{1,40})_([a-z0-9]{1,16})_(\d{1,3})$`)
)

// RegionOf returns the region of a zone name of AWS or Google, and which of the
// two it is; empty where it is neither.
func RegionOf(zone string) (region, cloud string) {
	if m := awsZone().FindStringSubmatch(zone); m != nil {
		return m[1], "aws"
	}
	if m := gcpZone().FindStringSubmatch(zone); m != nil {
		return m[1], "gcp"
	}
	return "", ""
}

// awsZoneID is a zone ID: letters of the region's name, its number, the zone.
// Local zones and special partitions have others.
var awsZoneID = Pattern(`^([a-z]{2})(ne|nw|se|sw|n|e|s|w|c)(\d)-az\d+$`)

// RegionOfZoneID returns the region of a zone ID, empty where the ID does not tell:
// use1-az2 is in us-east-1, apse2-az1 in ap-southeast-2.
func RegionOfZoneID(id string) string {
	m := awsZoneID().FindStringSubmatch(id)
	if m == nil {
		return ""
	}
	side := map[string]string{
		"n": "north", "e": "east", "s": "south", "w": "west", "c": "central",
		"ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
	}[m[2]]
	return m[1] + "-" + side + "-" + m[3]
}

// ZoneFileName reads a file name such as us-east-1a_v100_1: zone, GPU, GPUs of
// one machine.
func ZoneFileName(stem string) (zone, gpu string, gpus int, ok bool) {
	m := zoneFile().FindStringSubmatch(stem)
	if m == nil {
		return "", "", 0, false
	}
	if _, cloud := RegionOf(m[1]); cloud == "" {
		return "", "", 0, false
	}
	gpus, _ = strconv.Atoi(m[3])
	return m[1], strings.ToUpper(m[2]), gpus, true
}

// GPUModel returns V100 of nvidia-tesla-v100.
func GPUModel(name string) string {
	return strings.ToUpper(name[strings.LastIndexByte(name, '-')+1:])
}

// CheckRegion returns what cannot be of the region of an AWS price: stated, of the zone
// and of the zone ID, each of which may be empty. Prices of the Chinese regions are in
// CNY (Amazon Web Services China, pricing), which the service does not write beside
// them.
func CheckRegion(stated, zoneName, zoneID string) error {
	zone := cmp.Or(zoneName, zoneID)
	region, _ := RegionOf(zoneName)
	region = cmp.Or(region, RegionOfZoneID(zoneID), stated)
	switch {
	case stated != "" && stated != region:
		return fmt.Errorf("zone %s is in region %s, the price says %s, expected one region", zone, region, stated)
	case strings.HasPrefix(region, "cn-"):
		return fmt.Errorf("prices of zone %s are in CNY, expected USD", zone)
	}
	return nil
}
