import TestSupport
import Testing

@Suite struct JSONSchemaValidatorTests {
    private func isValid(_ value: String, _ schema: String) throws -> Bool {
        JSONSchemaValidator(schema: try JSONValue(schema)).faults(in: try JSONValue(value)).isEmpty
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "1", "1.5"), (#"{"type":["string","null"]}"#, "null", "1"),
        (#"{"enum":["a",null]}"#, "null", "\"b\""), (#"{"const":1}"#, "1", "2"),
        (#"{"minimum":1,"maximum":2}"#, "2", "3"),
        (#"{"exclusiveMinimum":1,"exclusiveMaximum":3}"#, "2", "1"),
        (#"{"minLength":1,"maxLength":2}"#, "\"éé\"", "\"\""),
        (#"{"pattern":"^a+$"}"#, "\"aa\"", "\"ab\""),
        (#"{"items":{"type":"null"}}"#, "[null]", "[null,1]"),
        (#"{"minItems":1,"maxItems":1}"#, "[1]", "[]"),
        (#"{"uniqueItems":true}"#, "[1,2]", "[1,1]"),
        (#"{"required":["a"]}"#, #"{"a":1}"#, "{}"),
        (#"{"properties":{"a":{"type":"null"}}}"#, #"{"a":null,"b":1}"#, #"{"a":1}"#),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1}"#, #"{"b":1}"#),
        (
            #"{"patternProperties":{"^x-":{"type":"null"}},"additionalProperties":false}"#,
            #"{"x-a":null}"#, #"{"x-a":1}"#
        ),
        (#"{"propertyNames":{"pattern":"^a"}}"#, #"{"ab":1}"#, #"{"b":1}"#),
        (#"{"minProperties":1,"maxProperties":1}"#, #"{"a":1}"#, "{}"),
        (#"{"anyOf":[{"type":"null"},{"const":1}]}"#, "1", "2"),
        (#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "1", "2"),
        (#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "1", "3"),
        (#"{"not":{"type":"null"}}"#, "1", "null"),
        (#"{"if":{"minimum":5},"then":{"maximum":6},"else":{"const":1}}"#, "6", "7"),
        (##"{"$ref":"#/definitions/a","definitions":{"a":{"const":1}}}"##, "1", "2"),
    ])
    func `each keyword accepts and refuses`(schema: String, good: String, bad: String) throws {
        #expect(try isValid(good, schema))
        #expect(try !isValid(bad, schema))
    }

    @Test(arguments: [
        #"{"typ":"string"}"#, ##"{"$ref":"#/definitions/b"}"##, #"{"$ref":"other"}"#, "1",
    ])
    func `a schema without a testable rule accepts nothing`(schema: String) throws {
        #expect(try !isValid("\"x\"", schema))
    }

    @Test func `a fault names its place`() throws {
        let schema = try JSONValue(#"{"properties":{"a":{"items":{"type":"null"}}}}"#)
        let faults = JSONSchemaValidator(schema: schema).faults(
            in: try JSONValue(#"{"a":[null,1]}"#)
        )
        #expect(faults == ["/a/1: not of type null"])
    }
}
