import Testing

@testable import Plan

@Suite struct FormTextTests {
    /// WHATWG URL Standard §5.2 and the application/x-www-form-urlencoded percent-encode set.
    @Test(arguments: [
        ("a", "b", "a=b"), ("", "", "="), ("a b", "c  d", "a+b=c++d"),
        ("azAZ09*-._", "~", "azAZ09*-._=%7E"), ("a&b", "c=d", "a%26b=c%3Dd"),
        ("+%", "\r\n\t\0", "%2B%25=%0D%0A%09%00"), ("é☃", "😀", "%C3%A9%E2%98%83=%F0%9F%98%80"),
        ("!'()", "/?:@", "%21%27%28%29=%2F%3F%3A%40"),
    ])
    func `a name and its value are encoded by the standard`(
        name: String,
        value: String,
        text: String
    ) {
        var form = FormText()
        form.append(name: name, value: value)
        #expect(String(decoding: form.bytes, as: UTF8.self) == text)
    }

    @Test func `names keep their order and may stand twice`() {
        var form = FormText()
        for (name, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            form.append(name: name, value: value)
        }
        #expect(String(decoding: form.bytes, as: UTF8.self) == "b=1&a=2&b=3")
    }
}
