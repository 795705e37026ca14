/// A fault in the text of a value, without its place.
struct ValueFault: Error, Hashable {
    let code: JobCode
    /// Continues "`key`: ", such as "a duration needs a unit".
    let message: String
    /// The likely spelling, as it would be in the file.
    let likely: String?
    /// Advice without a likely spelling, or in addition to it.
    let help: String?

    init(_ code: JobCode, _ message: String, likely: String? = nil, help: String? = nil) {
        self.code = code
        self.message = message
        self.likely = likely
        self.help = help
    }
}
