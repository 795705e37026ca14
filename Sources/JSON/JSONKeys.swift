/// The names of an object's members as they stand in the text: made once, written many times.
///
/// Held as one buffer, so that writing a name touches no reference count.
package struct JSONKeys: Sendable {
    /// For each name a comma, the quoted name and a colon.
    private(set) var text: [UInt8] = []
    private var ends: [Int] = []

    package init(_ names: [String]) {
        for name in names {
            var writer = JSONWriter()
            writer.string(name)
            text.append(UInt8(ascii: ","))
            text.append(contentsOf: writer.bytes)
            text.append(UInt8(ascii: ":"))
            ends.append(text.count)
        }
    }

    /// Where the name at `index` stands in `text`, its comma only if there is something before it.
    func range(at index: Int, withComma: Bool) -> Range<Int> {
        let start = index == 0 ? 0 : ends[index - 1]
        return (withComma ? start : start + 1)..<ends[index]
    }
}
