// Package figures reads the specs of published figures and tables: what is computed, by
// which procedure of experiments/claims, with which inputs. They are the YAML files of
// experiments/specs, which come with marigram.
package figures
