import JSON
import ProtocolPrograms
import TestSupport
import Testing
import TransferModel

@Suite struct ConversationSchemaTests {
    private static let path = #filePath.replacing(
        #/Tests/ProtocolProgramsTests/.*/#,
        with: "schemas/protocol.schema.json"
    )

    @Test func `the file in the repository is what the runner prints`() throws {
        if Fixture.isUpdating { Fixture.write(Array(ConversationSchema.text.utf8), to: Self.path) }
        let written = try #require(Fixture.read(Self.path))
        #expect(String(decoding: written, as: UTF8.self) == ConversationSchema.text)
    }

    @Test(arguments: [
        (#"{"message":"response","version":1,"statusCode":200}"#, true),
        (
            #"{"message":"response","version":1,"statusCode":200,"expectedContentLength":null}"#,
            true
        ),
        (#"{"message":"response","version":1,"statusCode":200,"expectedContentLength":-1}"#, false),
        (#"{"message":"response","version":1,"statusCode":600}"#, false),
        (#"{"message":"response","version":2,"statusCode":200}"#, false),
        (#"{"message":"response","version":1,"statusCode":"200"}"#, false),
        (#"{"message":"response","version":1,"statusCode":200,"body":null}"#, false),
        (
            #"{"message":"response","version":1,"statusCode":200,"headers":[{"name":"A","value":""}]}"#,
            true
        ),
        (#"{"message":"response","version":1,"statusCode":200,"headers":[{"name":"A"}]}"#, false),
        (
            #"{"message":"response","version":1,"statusCode":200,"headers":[{"name":"A b","value":""}]}"#,
            false
        ),
        (
            #"{"message":"response","version":1,"statusCode":200,"headers":[{"name":"A","value":"\n"}]}"#,
            false
        ),
        (#"{"message":"redirect","version":1,"statusCode":307,"url":"notes://a/b"}"#, true),
        (#"{"message":"redirect","version":1,"statusCode":304,"url":"notes://a/b"}"#, false),
        (#"{"message":"redirect","version":1,"statusCode":302,"url":""}"#, false),
        (#"{"message":"fail","version":1,"kind":"reset","detail":"x"}"#, true),
        (#"{"message":"fail","version":1,"kind":"reset","detail":"x","isPermanent":1}"#, false),
        (#"{"message":"fail","version":1,"kind":"other","detail":"x"}"#, false),
        (#"{"message":"other"}"#, false),
        (#"{}"#, false),
    ])
    func `the decoder accepts what the schema accepts`(line: String, isValid: Bool) throws {
        let value = try JSONValue(bytes: Array(line.utf8))
        #expect(try Self.validator.faults(in: value).isEmpty == isValid)
        var decoder = ProgramDecoder()
        var position = 0
        let event = try? decoder.next(in: Array((line + "\n").utf8).span, from: &position)
        #expect((event != nil) == isValid)
    }

    private static var validator: JSONSchemaValidator {
        get throws {
            JSONSchemaValidator(schema: try JSONValue(bytes: Array(ConversationSchema.text.utf8)))
        }
    }

    @Test func `what the runner says is a message`() throws {
        let url = TransferURL(
            try CustomURL("Notes://Desk/a b".replacing(" ", with: "%20") + "#part")
        )
        let request = RequestSpec(
            method: "PUT",
            url: url,
            headers: [HeaderField(name: "A", value: "\"é\t")]
        )
        let message = try JSONValue(bytes: RunnerMessage.request(request, .length(3)))
        #expect(message["message"]?.string == "request")
        #expect(message["version"]?.integer == 1)
        #expect(message["method"]?.string == "PUT")
        #expect(message["url"]?.string == "notes://Desk/a%20b")
        #expect(message["headers"]?[0]?["name"]?.string == "A")
        #expect(message["body"]?["length"]?.integer == 3)
        let unknown = try JSONValue(bytes: RunnerMessage.request(request, .length(nil)))
        #expect(unknown["body"]?["length"]?.isNull == true)
        let none = try JSONValue(bytes: RunnerMessage.request(request, .none))
        #expect(none["body"]?.isNull == true)
        for line in [
            RunnerMessage.finish, RunnerMessage.cancel, RunnerMessage.data(count: 5),
            RunnerMessage.request(request, .none),
        ] {
            #expect(line.last == 10 && line.dropLast().allSatisfy { $0 != 10 })
            #expect(try Self.validator.faults(in: JSONValue(bytes: line)).isEmpty)
        }
    }
}
