import JobFile
import Testing

@Suite struct CoreSchemaTests {
    // YAML 1.2 §10.3.2, and `012`, which the job file calls a string.
    @Test(arguments: [
        ("", Scalar.null), ("~", .null), ("null", .null), ("Null", .null), ("NULL", .null),
        ("nULL", .string), ("nil", .string), ("~x", .string),
        ("true", .bool(true)), ("True", .bool(true)), ("FALSE", .bool(false)), ("tRUE", .string),
        ("yes", .string), ("no", .string), ("on", .string), ("off", .string), ("y", .string),
        ("0", .integer(0)), ("-0", .integer(0)), ("+12", .integer(12)), ("-19", .integer(-19)),
        ("012", .string), ("-012", .string), ("00", .string), ("1_000", .string),
        ("0x1F", .integer(31)), ("0xff", .integer(255)), ("0o17", .integer(15)), ("0X1", .string),
        ("0o8", .string), ("0xG", .string), ("0x", .string), ("-0x1", .string), ("0b1", .string),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .integer(nil)), ("0x7fffffffffffffff", .integer(.max)),
        ("0xffffffffffffffff", .integer(nil)), ("0x10000000000000000000", .integer(nil)),
        ("1.5", .float(1.5)), ("-.5", .float(-0.5)), ("1.", .float(1)), ("1e3", .float(1000)),
        ("12e+2", .float(1200)), ("6.02E-1", .float(0.602)), ("0.5", .float(0.5)),
        ("0e0", .float(0)), ("1e999", .float(.infinity)), ("01.5", .string),
        (".", .string), ("+", .string), ("1e", .string), ("1e+", .string),
        ("e1", .string), (".e1", .string), ("1.2.3", .string), ("12s", .string), ("1-2", .string),
        (".inf", .float(.infinity)), ("+.INF", .float(.infinity)), ("-.Inf", .float(-.infinity)),
        ("inf", .string), ("nan", .string), ("2026-01-01", .string), ("1:30", .string),
        ("'12'", .string), ("\"true\"", .string), ("''", .string), ("|\n  12", .string),
    ])
    func `a plain scalar has the type of its spelling`(source: String, expected: Scalar) throws {
        let document = try document("key: \(source)\n")
        #expect(document.scalar(of: try document.value("key")) == expected)
    }

    @Test(arguments: [
        ("!!str 12", Scalar.string), ("!!str", .string), ("!!int \"12\"", .integer(12)),
        ("!!float 3", .float(3)), ("!!float .5", .float(0.5)), ("!!bool 'true'", .bool(true)),
        ("!!null ''", .null), ("!!null", .null), ("! 12", .string),
        ("!!timestamp 2026-01-01T00:00:00Z", .timestamp), ("!!int ${var.n}", .string),
        ("!<tag:yaml.org,2002:int> 7", .integer(7)), ("!!binary aGk=", .binary),
    ])
    func `a tag sets the type of a scalar`(source: String, expected: Scalar) throws {
        let document = try document("key: \(source)\n")
        #expect(document.scalar(of: try document.value("key")) == expected)
    }

    @Test func `not a number is a float`() throws {
        let document = try document("key: .NaN\n")
        guard case .float(let value) = document.scalar(of: try document.value("key")) else {
            Issue.record("not a float")
            return
        }
        #expect(value.isNaN)
    }

    @Test func `an alias has the scalar of its anchor`() throws {
        let document = try document("a: &x 0o7\nb: *x\nc: !!seq [1]\nd: !!map {}\n")
        #expect(document.scalar(of: try document.value("b")) == .integer(7))
        #expect(document.scalar(of: try document.value("c")) == .string)
    }
}
