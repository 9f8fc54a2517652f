package read

import "testing"

func TestRegionOfZoneID(t *testing.T) {
	for id, want := range map[string]string{
		"use1-az2": "us-east-1", "usw2-az4": "us-west-2", "euc1-az2": "eu-central-1", "apse2-az1": "ap-southeast-2", "aps1-az1": "ap-south-1",
		"apne1-az4": "ap-northeast-1", "afs1-az1": "af-south-1", "mec1-az1": "me-central-1", "usw2-lax1-az1": "", "usgw1-az1": "", "": "",
	} {
		if got := RegionOfZoneID(id); got != want {
			t.Errorf("%s: %q, expected %q", id, got, want)
		}
	}
}
