import SystemKit
import Testing

@Suite struct ByteClassTests {
    private static let digits = "0123456789"
    private static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let letters = capitals + capitals.lowercased()
    private static let unreserved = letters + digits + "-._~"

    private func expect(_ isMember: (UInt8) -> Bool, only text: String) {
        let members = (UInt8.min...UInt8.max).filter(isMember)
        #expect(members == text.utf8.sorted())
    }

    // RFC 5234 §B.1
    @Test func `letters, digits and blanks are those of ABNF`() {
        expect(\.isDigit, only: Self.digits)
        expect(\.isAlpha, only: Self.letters)
        expect(\.isUppercase, only: Self.capitals)
        expect(\.isLowercase, only: Self.capitals.lowercased())
        expect(\.isAlphanumeric, only: Self.letters + Self.digits)
        expect({ $0.hexadecimalValue != nil }, only: "0123456789ABCDEFabcdef")
        expect(\.isBlank, only: " \t")
    }

    @Test func `both cases of a hexadecimal digit have one value`() {
        let values = [UInt8](0...15)
        #expect("0123456789abcdef".utf8.compactMap(\.hexadecimalValue) == values)
        #expect("0123456789ABCDEF".utf8.compactMap(\.hexadecimalValue) == values)
    }

    // RFC 9110 §5.6.2
    @Test func `tokens have letters, digits and fifteen signs`() {
        expect(\.isTokenByte, only: Self.letters + Self.digits + "!#$%&'*+-.^_`|~")
    }

    // RFC 9110 §5.5
    @Test func `field values have all bytes but control bytes other than the tab`() {
        let others = (UInt8.min...UInt8.max).filter { !$0.isFieldByte }
        let controls = [UInt8](0...8) + [UInt8](10...31) + [127]
        #expect(others == controls)
    }

    // RFC 3986 §2.3, §3.1 and §3.3
    @Test func `schemes and paths have the characters of URLs`() {
        expect(\.isUnreserved, only: Self.unreserved)
        expect(\.isPathByte, only: Self.unreserved + "!$&'()*+,;=:@/")
        expect(\.isSchemeByte, only: Self.letters + Self.digits + "+-.")
    }

    // RFC 9110 §5.6.3
    @Test(arguments: [("", ""), (" \t", ""), ("\t a b \t ", "a b"), ("a\r\n", "a\r\n")])
    func `blanks are taken away at both ends only`(text: String, rest: String) {
        #expect(text.utf8.withoutOuterBlanks.elementsEqual(rest.utf8))
        #expect(Array(text.utf8).withoutOuterBlanks == Array(rest.utf8)[...])
    }

    // RFC 4648 §4
    @Test func `Base64 has 64 digits`() {
        expect(\.isBase64Digit, only: Self.letters + Self.digits + "+/")
    }
}
