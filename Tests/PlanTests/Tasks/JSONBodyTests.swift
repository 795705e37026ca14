import Plan
import Testing
import TransferModel

/// The expected texts are those of JSONEncoder of swift-foundation 6.3.
@Suite struct JSONBodyTests {
    private func body(_ json: String, _ options: String = "") throws -> String {
        let plan = try TestJob.plan(
            """
            version: 1
            uploads:
              it:
                url: https://example.com/
                encoding: { outputFormatting: [\(options)] }
                json: \(json)
            """
        )
        guard case .bytes(let bytes)? = try plan.task(at: 0).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("null", "null"), ("~", "null"), ("true", "true"), ("False", "false"), ("yes", "\"yes\""),
        ("5", "5"), ("+5", "5"), ("-0", "0"), ("0x1F", "31"), ("0o17", "15"), ("012", "\"012\""),
        ("9223372036854775808", "9223372036854775808"),
        ("+123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.0", "1"), ("1e20", "1e+20"), ("0.1", "0.1"), ("1e-7", "1e-07"), ("-0.0", "-0"),
        ("123456789012345680.0", "1.2345678901234568e+17"), ("1.50", "1.5"),
        ("\"5\"", "\"5\""), ("[]", "[]"), ("{}", "{}"), ("[1, [2, {a: b}]]", #"[1,[2,{"a":"b"}]]"#),
    ])
    func `a value is written as its type`(yaml: String, json: String) throws {
        #expect(try body(yaml) == json)
    }

    @Test func `text is escaped where it must be`() throws {
        let text = try body(#""/\"\\\b\f\n\r\t\x01\x7F\u2028é☃""#)
        #expect(text == "\"\\/\\\"\\\\\\b\\f\\n\\r\\t\\u0001\u{7F}\u{2028}é☃\"")
        #expect(try body("a/b", "withoutEscapingSlashes") == "\"a/b\"")
    }

    @Test func `members keep the file's order unless it is sorted`() throws {
        let yaml = "{ b10: 1, b9: 2, B1: 3, é: 4, a/b: 5, _: 6 }"
        #expect(try body(yaml) == #"{"b10":1,"b9":2,"B1":3,"é":4,"a\/b":5,"_":6}"#)
        #expect(try body(yaml, "sortedKeys") == #"{"B1":3,"_":6,"a\/b":5,"b10":1,"b9":2,"é":4}"#)
    }

    @Test func `pretty text is that of JSONEncoder`() throws {
        let expected = """
            {
              "a" : [
                1,
                {
                  "b" : true
                }
              ],
              "e" : [

              ],
              "o" : {

              }
            }
            """
        #expect(try body("{ a: [1, { b: true }], e: [], o: {} }", "prettyPrinted") == expected)
    }

    @Test func `keys and values of a merge are members`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            x-base: &base { a: 1, b: 2 }
            uploads: { it: { url: http://a/, json: { <<: *base, b: 3 } } }
            """
        )
        #expect(try plan.task(at: 0).body == .bytes(Array(#"{"b":3,"a":1}"#.utf8)))
    }

    @Test func `a body that aliases make too large is refused`() throws {
        let text = """
            version: 1
            x-long: &long "\(String(repeating: "\\x01", count: 3 << 18))"
            uploads: { it: { url: http://a/, json: [*long, *long, *long, *long, *long] } }
            """
        #expect(try TestJob.faults(text) == ["3:34 job.out-of-range"])
    }
}
