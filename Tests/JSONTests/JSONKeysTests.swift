import JSON
import Testing

@Suite struct JSONKeysTests {
    private func document(isPretty: Bool) -> String {
        let keys = JSONKeys(["first", "with \"quotes\"", "third"])
        var writer = JSONWriter(isPretty: isPretty)
        writer.beginObject()
        for index in 0..<3 {
            writer.key(keys, at: index)
            writer.integer(Int64(index))
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `names that were made ready are separated and escaped`() {
        #expect(document(isPretty: false) == #"{"first":0,"with \"quotes\"":1,"third":2}"#)
    }

    @Test func `names that were made ready are indented in a pretty document`() {
        #expect(
            document(isPretty: true)
                == "{\n  \"first\": 0,\n  \"with \\\"quotes\\\"\": 1,\n  \"third\": 2\n}"
        )
    }
}
