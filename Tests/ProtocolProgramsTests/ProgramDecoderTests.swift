import ProtocolPrograms
import Testing
import TransferModel

@Suite struct ProgramDecoderTests {
    private static let response = #"{"message":"response","version":1,"statusCode":200}"#

    /// The steps of an output in pieces of a length, data as its text, then the fault.
    private static func read(
        _ text: String,
        by length: Int = .max
    ) -> (steps: [String], fault: ProgramFault?) {
        var decoder = ProgramDecoder()
        var steps: [String] = []
        let bytes = Array(text.utf8)
        var start = 0
        do throws(ProgramFault) {
            while start < bytes.count {
                let piece = Array(bytes[start...].prefix(length))
                start += piece.count
                var position = 0
                while let event = try decoder.next(in: piece.span, from: &position) {
                    guard case .data(let range) = event else {
                        steps.append("\(event)".prefix { $0 != "(" }.description)
                        continue
                    }
                    let text = String(decoding: piece[range], as: UTF8.self)
                    if steps.last?.first == "+" {
                        steps[steps.count - 1] += text
                    } else {
                        steps.append("+" + text)
                    }
                }
            }
        } catch {
            return (steps, error)
        }
        return (steps, nil)
    }

    @Test(arguments: [1, 2, 7, 1000])
    func `a response is read from pieces of any length`(length: Int) {
        let text =
            Self.response + "\n" + #"{"message":"data","length":3}"# + "\na\nb"
            + #"{"length":1,"message":"data"}"# + "\nc" + #" {"message": "finish"} "# + "\nrest"
        let (steps, fault) = Self.read(text, by: length)
        #expect(steps == ["response", "+a\nbc", "finish"])
        #expect(fault == nil)
    }

    @Test func `a response has its status, fields and length`() throws {
        var decoder = ProgramDecoder()
        let line =
            #"{"message":"response","version":1,"statusCode":404,"expectedContentLength":7,"#
            + #""headers":[{"name":"Content-Type","value":"text/plain"},{"name":"A","value":""}]}"#
        var position = 0
        let event = try decoder.next(in: Array((line + "\n").utf8).span, from: &position)
        guard case .response(let response) = event else {
            Issue.record("no response")
            return
        }
        #expect(response.statusCode == 404)
        #expect(response.expectedContentLength == 7)
        #expect(response.headers.map(\.name) == ["Content-Type", "A"])
        #expect(decoder.missingCount == 7 && decoder.isInBody)
    }

    @Test(
        arguments: [
            ("\n", 1, "not JSON"), ("hello\n", 1, "not JSON"), ("[]\n", 1, "the member `message`"),
            (#"{"message":1}"# + "\n", 1, "the member `message`"),
            (#"{"message":"cancel"}"# + "\n", 1, "`cancel` is not a message of a program"),
            (#"{"message":"finish"}"# + "\n", 1, "`finish` came before the response"),
            (#"{"message":"data","length":1}"# + "\nx", 1, "`data` came before the response"),
            (#"{"message":"response","statusCode":200}"# + "\n", 1, "lacks the member `version`"),
            (#"{"message":"response","version":2,"statusCode":200}"# + "\n", 1, "must be 1"),
            (#"{"message":"response","version":1,"statusCode":100}"# + "\n", 1, "from 200 to 599"),
            (
                #"{"message":"response","version":1,"statuscode":200}"# + "\n", 1,
                "no member `statuscode`"
            ),
            (response + "\n" + response + "\n", 2, "`response` came after the response"),
            (response + "\n" + #"{"message":"data","length":0}"# + "\n", 2, "from 1 to 1048576"),
            (
                response + "\n" + #"{"message":"data","length":1048577}"# + "\n", 2,
                "from 1 to 1048576"
            ),
            (
                #"{"message":"redirect","version":1,"statusCode":304,"url":"notes://a/b"}"# + "\n",
                1,
                "one of 301, 302, 303, 307, 308"
            ),
            (
                response.dropLast() + #","expectedContentLength":2}"# + "\n"
                    + #"{"message":"data","length":3}"# + "\nabc",
                2, "longer than `expectedContentLength`"
            ),
            (
                response.dropLast() + #","headers":[{"name":"A","value":"b\r\nC: d"}]}"# + "\n", 1,
                "`headers` of `response` must be a list"
            ),
            (
                #"{"message":"fail","version":1,"kind":"cancelled","detail":"x"}"# + "\n", 1,
                "`kind` of `fail` must be one of"
            ),
        ] as [(String, Int, String)]
    )
    func `what breaks the protocol is a fault`(text: String, message: Int, words: String) {
        for length in [1, 1000] {
            let fault = Self.read(text, by: length).fault
            #expect(fault?.message == message, "\(text)")
            #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "none")")
        }
    }

    @Test func `a line without an end is not kept beyond its limit`() {
        var decoder = ProgramDecoder()
        let piece = [UInt8](repeating: UInt8(ascii: " "), count: 4096)
        var fault: ProgramFault?
        for _ in 0..<1000 where fault == nil {
            var position = 0
            do throws(ProgramFault) {
                _ = try decoder.next(in: piece.span, from: &position)
            } catch {
                fault = error
            }
            #expect(decoder.heldByteCount <= ConversationLimits.longestLine)
        }
        #expect(fault?.reason == "the line is longer than 65536 bytes")
        #expect(decoder.isOver && decoder.heldByteCount == 0)
    }

    @Test func `a message has a limited number of fields`() {
        func line(_ count: Int) -> String {
            let fields = Array(repeating: #"{"name":"A","value":"b"}"#, count: count)
            return Self.response.dropLast() + ",\"headers\":[" + fields.joined(separator: ",")
                + "]}\n"
        }
        #expect(Self.read(line(128)).fault == nil)
        #expect(Self.read(line(129)).fault?.message == 1)
    }
}
