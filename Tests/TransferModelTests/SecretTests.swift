import Testing
import TransferModel

@Suite struct SecretTests {
    @Test func `a secret prints as a mark in every way of printing`() {
        struct Holder {
            var secret = Secret("hunter2")
            var list = [Secret("hunter2")]
        }
        var dumped = ""
        dump(Holder(), to: &dumped)
        let texts = [
            "\(Secret("hunter2"))", String(describing: Holder()), String(reflecting: Holder()),
            dumped,
            "\(Optional(Secret("hunter2")) as Any)",
        ]
        for text in texts {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("‹redacted›"))
        }
        #expect(Secret("hunter2").withText { $0 } == "hunter2")
    }
}
