// Package catalogue lists public data sets of spot markets and loads traces.
//
// [Load] reads a trace from a folder in the neutral form, from files of any format
// that package formats knows, or, by a name such as pulled:dime-aws-spot-prices, from
// the cache of public data sets.
//
// [Catalogue] lists these data sets, of which none is part of this program; [Pull]
// brings one from its public home or a local copy, checks it against its SHA-256 and
// converts it to the neutral form.
package catalogue
