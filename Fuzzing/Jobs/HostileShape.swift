/// A part of a job that is cheap to write, and dear to whoever compares each piece of it with every
/// other.
struct HostileShape {
    private let front: String
    /// What is repeated, `#` in it the number of the repetition.
    private let piece: String
    private let back: String

    static let all = [
        // Many faulty expressions in one value.
        HostileShape("\ndata: { h: { url: 'https://a.example/", "${var.x}", "' } }\n"),
        HostileShape("\ndata: { h: { url: 'https://a.example/", "${bad}", "' } }\n"),
        HostileShape(
            "\ndata: { h: { forEach: { range: [1, 10] }, url: 'https://a.example/",
            "${item.x}",
            "' } }\n"
        ),
        // A folder in a folder.
        HostileShape("\ndata: { h: { url: 'https://a.example/', responseTo: a", "/a#", " } }\n"),
        // Fields that differ, and that all sessions or tasks have.
        HostileShape("\ndata: { h: { url: 'https://a.example/', headers: { ", "h#: a, ", "} } }\n"),
        HostileShape(
            "\ndefaults: { httpAdditionalHeaders: { ",
            "h#: a, ",
            "} }\nsessions: { a: { httpAdditionalHeaders: { b: c } } }\n"
        ),
        HostileShape("\nsessions: {", "s#: { httpAdditionalHeaders: { b: c } }, ", "}\n"),
        HostileShape("\ndefaults: { expect: { json: { ", "/h#: a, ", "} } }\n"),
        // Many captures, and a long text of many items.
        HostileShape(
            "\ndata: { g: { url: 'https://a.example/${task.h.c0}', needs: [h] },"
                + " h: { url: 'https://a.example/', capture: { ",
            "c#: { json: /a }, ",
            "} } }\n"
        ),
        HostileShape(
            "\ndata: { h: { forEach: { range: [1, 9999] }, url: 'https://a.example/',"
                + " description: '${item}",
            " text",
            "' } }\n"
        ),
    ]

    private init(_ front: String, _ piece: String, _ back: String) {
        self.front = front
        self.piece = piece
        self.back = back
    }

    /// The shape with so many pieces.
    func text(count: Int) -> String {
        var text = front
        for number in 0..<count { text += piece.replacing("#", with: String(number)) }
        return text + back
    }
}
