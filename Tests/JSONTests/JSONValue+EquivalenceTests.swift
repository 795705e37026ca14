import JSON
import Testing

@Suite struct JSONValueEquivalenceTests {
    @Test(arguments: [
        ("1", "1.0"), ("100", "1e2"), ("1E+2", "100.00"), ("0", "-0.0e7"), ("0.001", "1e-3"),
        ("12345678901234567890", "1234567890123456789e1"), ("0e99999999999999999999", "0"),
        ("1e99999999999999999999", "1e99999999999999999999"),
        (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#), ("[]", "[ ]"), (#""\u00e9""#, #""é""#),
    ])
    func `equal values are equivalent`(one: String, other: String) throws {
        let values = (try JSONValue(one), try JSONValue(other))
        #expect(values.0.isEquivalent(to: values.1))
        #expect(values.1.isEquivalent(to: values.0))
    }

    @Test(arguments: [
        ("1", #""1""#), ("1", "true"), ("0", "null"), ("0", "false"), ("1", "-1"), ("1", "10"),
        ("12345678901234567890", "12345678901234567891"), ("0.1", "0.10000000000000001"),
        ("1e99999999999999999999", "1e99999999999999999998"), ("[1,2]", "[2,1]"), ("[]", "{}"),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1}"#, #"{"b":1}"#), (#""a""#, #""A""#),
        (#""\u00e9""#, #""e\u0301""#), (#"{"\u00e9":1}"#, #"{"e\u0301":1}"#),
    ])
    func `different values are not equivalent`(one: String, other: String) throws {
        let values = (try JSONValue(one), try JSONValue(other))
        #expect(!values.0.isEquivalent(to: values.1))
        #expect(!values.1.isEquivalent(to: values.0))
    }
}
