/// The types spoken here, by their fixed object ids (`pg_type.dat`).
@usableFromInline
enum PostgresType: UInt32, Sendable {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case json = 114
    case float8 = 701
    case timestamptz = 1184
    case jsonb = 3802
    case jsonArray = 199
    case boolArray = 1000
    case byteaArray = 1001
    case int4Array = 1007
    case textArray = 1009
    case int8Array = 1016
    case timestamptzArray = 1185
    case jsonbArray = 3807
}
