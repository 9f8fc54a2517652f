//go:build !js

package columnar

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// schemaOf is the Parquet schema of the fields: flat, in their order.
func schemaOf(fields []field) *schema.GroupNode {
	nodes := make(schema.FieldList, len(fields))
	for i, f := range fields {
		rep := parquet.Repetitions.Required
		if f.Optional {
			rep = parquet.Repetitions.Optional
		}
		physical, logical := parquetType(f.Type)
		nodes[i] = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(f.Name, rep, logical, physical, -1, -1))
	}
	return schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1))
}

func parquetType(name string) (parquet.Type, schema.LogicalType) {
	none := schema.NoLogicalType{}
	switch name {
	case "bool":
		return parquet.Types.Boolean, none
	case "int32":
		return parquet.Types.Int32, none
	case "int64":
		return parquet.Types.Int64, none
	case "float64":
		return parquet.Types.Double, none
	case "string":
		return parquet.Types.ByteArray, schema.StringLogicalType{}
	}
	return parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
}

// storedType names the type of a column in a file as Column.Type does; types
// that have no such name are described.
func storedType(c *schema.Column) string {
	for _, name := range []string{"bool", "int32", "int64", "float64", "string", "timestamp"} {
		physical, logical := parquetType(name)
		if c.PhysicalType() == physical && (c.LogicalType().Equals(logical) || plainInt(c, name)) {
			return name
		}
	}
	if c.PhysicalType() == parquet.Types.Float && c.LogicalType().Equals(schema.NoLogicalType{}) {
		return "float64" // each of its values is one of that type
	}
	return fmt.Sprintf("%v %v", c.PhysicalType(), c.LogicalType())
}

// plainInt says whether the column is a signed integer annotated as such,
// which some writers do for every integer column; the narrow ones are stored as int32.
func plainInt(c *schema.Column, name string) bool {
	switch name {
	case "int32":
		return slices.ContainsFunc([]int8{8, 16, 32}, func(bits int8) bool {
			return c.LogicalType().Equals(schema.NewIntLogicalType(bits, true))
		})
	case "int64":
		return c.LogicalType().Equals(schema.NewIntLogicalType(64, true))
	}
	return false
}
