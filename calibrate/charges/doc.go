// Package charges says what a cloud charges.
//
// A Tariff is what it costs, and how long it takes, to carry data from one place to another: a checkpoint between
// zones, regions or clouds. It is a published one by name (TariffNames, NamedTariff) or a table of the user's own
// (ReadTariffs).
//
// ReadBill reads the bill of a cloud, as CSV by usage type, and says which part of a simulated bill each of its lines
// is. It knows two forms: the columns of Amazon's cost and usage report (both the former names and those of version
// 2.0), and a plain one with the columns usage_type and usd.
package charges
