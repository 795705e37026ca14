import Testing

@testable import Plan

@Suite struct PublicKeyPinTextTests {
    private static let digest = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

    @Test func `a pin is the base64 of a SHA-256`() throws {
        let pin = "sha256//" + Self.digest
        #expect(try PublicKeyPinText.parse(pin) == pin)
    }

    @Test(arguments: ["sha256/", "sha256:", "pin-sha256=", ""])
    func `a pin in another notation is recognised`(prefix: String) {
        let fault = #expect(throws: ValueFault.self) {
            try PublicKeyPinText.parse(prefix + Self.digest)
        }
        #expect(fault?.likely == "sha256//" + Self.digest)
    }

    @Test(arguments: [
        "sha256//", "sha256//" + digest.dropLast(), "sha256//" + digest + "=",
        // The spare bits of the last digit are not zero.
        "sha256//r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5F=",
        "sha256//r-mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
        "sha256//" + digest + ";sha256//" + digest, "server.pem", "",
    ])
    func `a pin that is no SHA-256 is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try PublicKeyPinText.parse(text) }
        #expect(fault?.code == .badValue)
    }
}
