package testutil

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Gzipped packs a text with gzip.
func Gzipped(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Zstded packs a text with zstd.
func Zstded(t testing.TB, text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// AWSTextLine is a price as the AWS command prints it in text.
func AWSTextLine(zone, price, at string) string {
	return "SPOTPRICEHISTORY\t" + zone + "\tp3.2xlarge\tLinux/UNIX\t" + price + "\t" + at + "\n"
}

// AzureItem is a price of the Azure Retail Prices API.
func AzureItem(sku, product, price, at string) string {
	return `{"currencyCode": "USD", "retailPrice": ` + price +
		`, "armRegionName": "eastus", "armSkuName": "Standard_NC6s_v3", "skuName": "` + sku +
		`", "productName": "` + product +
		`", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption"` +
		`, "effectiveStartDate": "` + at + `"}`
}

// AzurePage is a page of items; next is the link to another, null for none.
func AzurePage(next string, items ...string) string {
	return `{"BillingCurrency": "USD", "Items": [` + strings.Join(items, ",\n") +
		`], "NextPageLink": ` + next + `, "Count": 2}`
}

// DimeLog is a log of a script that keeps one machine of each kind.
const DimeLog = `[2020-03-15T10:00:00.000Z] Created instance i-1 with 1 GPU(s) of type k80 in zone us-east-1b
[2020-03-15T10:00:30.000Z] Created instance i-2 with 1 GPU(s) of type v100 in zone us-east-1c
[2020-03-15T10:01:00.000Z] Instance with 1 GPU(s) of type k80 creation failed
[2020-03-15T10:10:00.000Z] Instance i-1 not running in zone us-east-1b
[2020-03-15T10:10:01.000Z] Successfully deleted instance i-1
[2020-03-15T10:10:30.000Z] Instance with 1 GPU(s) of type k80 creation failed
[2020-03-15T10:10:31.000Z] Instance i-2 running in zone us-east-1c
[2020-03-15T10:11:00.000Z] Instance with 1 GPU(s) of type k80 creation failed
[2020-03-15T10:20:00.000Z] Instance with 1 GPU(s) of type k80 creation failed
[2020-03-15T10:20:01.000Z] Instance i-2 running in zone us-east-1c
[2020-03-15T10:20:30.000Z] Created instance i-3 with 1 GPU(s) of type k80 in zone us-east-1c
`

// PricingYML is a price list of Google's machine types.
const PricingYML = `---
about:
  copyright: |2

    Copyright: somebody.

  timestamp: 1741233236
  url: https://example.org
compute:
  instance:
    a2-highgpu-1g:
      a100: 1
      cost:
        africa-south1:
          hour: 4.80478794
          hour_spot: 1.441435835
          month: 3507.4951962
        us-central1:
          hour_spot: 1.2933550001
          month_spot: 944.14915
      cpu: 12
    e2-micro:
      cost:
        us-central1:
          hour: 0.0083764275
          hour_spot: 0
  license:
    rhel:
      cost:
        us-central1:
          hour_spot: 7
`

// AWSRow is a price as the AWS command prints it in JSON.
func AWSRow(zone, price, at string) string {
	return `{"AvailabilityZone": "` + zone +
		`", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": "` + price +
		`", "Timestamp": "` + at + `"}`
}

// AWSPage is a page of prices; an empty token means that no other follows.
func AWSPage(token string, rows ...string) string {
	return `{"NextToken": "` + token + `", "SpotPriceHistory": [` + strings.Join(rows, ",\n") + `]}`
}

// Instants an hour apart.
const (
	T0 = "2020-02-20T22:00:00.000Z"
	T1 = "2020-02-20T23:00:00.000Z"
	T2 = "2020-02-21T00:00:00.000Z"
)

// Operation is an operation on a machine of zone z-a1-b, which somebody asked for.
func Operation(what, at, id, name, more string) string {
	const project = "https://www.googleapis.com/compute/v1/projects/secret/zones/us-west1-a"
	return fmt.Sprintf(`{"kind": "compute#operation", "operationType": "%s", "insertTime": "%s", "endTime": "%s", `+
		`"status": "DONE", "user": "someone@example.org", "progress": 100, "targetId": "%s", `+
		`"targetLink": "%s/instances/%s", "zone": "%s"%s}`,
		what, at, at, id, project, name, project, more)
}

// Lifetimes is a sheet of lifetimes in sections, some of which cannot be.
const Lifetimes = "K80,,\r\n" +
	"VM name,Start,Terminate\r\n" +
	"a-us-west1-b-0,2/18/19 23:40,2/20/19 00:02\r\n" +
	"a-us-west1-b-0less,2/18/19 23:39,2/18/19 23:39\r\n" +
	",,\r\n" +
	"P100,,\r\n" +
	"VM name,Start,Terminate\r\n" +
	"x,,2/20/19 00:02\r\n" +
	"a-us-east1-c-1,2/20/19 00:02,2/19/19 00:02\r\n" +
	"V100,,\r\n" +
	"24:05:13,,\r\n" +
	"v-1,1:00:00\r\n" +
	"v-1,,0:30:00\r\n" +
	"1046389:24:27,,\r\n" +
	"00:61:00\r\n"

// AWSEvent is an event of Amazon EventBridge in us-east-2.
func AWSEvent(id, kind, instance, resource string) string {
	return `{"version": "0", "id": "` + id + `", "detail-type": "` + kind +
		`", "source": "aws.ec2", "account": "123456789012", "time": "2021-05-04T17:00:00Z",
 "region": "us-east-2", "resources": ["` + resource +
		`"], "detail": {"instance-id": "` + instance + `", "instance-action": "terminate"}}`
}

// Zone is what a round says of one zone.
func Zone(zone string, requested, created, exhausted int, more string) string {
	return fmt.Sprintf(`"%s": {"instances_requested": %d, "instances_created": %d, "capacity_exhausted_detected": %d, `+
		`"instances_created_ids": ["a"]%s}`,
		zone, requested, created, exhausted, more)
}

// Round is a round that starts at a minute after midnight, seven hours
// behind UTC.
func Round(minute int, zones ...string) string {
	return fmt.Sprintf(`{"status": "success", "scheduled_at": "2025-10-03T00:%02d:00-07:00", "started_at": `+
		`"2025-10-03T00:%02d:00.002281-07:00", "ended_at": "2025-10-03T00:%02d:30-07:00", "zone_results": {%s}}`,
		minute, minute, minute, strings.Join(zones, ",\n"))
}

// GPUPrice is the price that a round states, of a GPU alone.
const GPUPrice = `, "spot_price_info": {"currency": "USD", ` +
	`"debug_info": {"pricing_note": "GPU component pricing (per GPU or core)", "x": [1]}, ` +
	`"price": 18.979, "spot_price_usd_per_hour": 2.253}`

// How tables begin.
const (
	JobsHead   = "timestamp,duration,num_gpus,gpu_time,cluster"
	ProbesHead = "scheduled_at_utc,started_at_utc,ended_at_utc,zone,instances_requested,instances_created," +
		"capacity_exhausted_detected,spot_gpu_price_usd_per_gpu_hour"
	GCPPricesHead = "commit,commit_time_utc,generated_utc,machine_type,region,hour_usd,hour_spot_usd"
)
