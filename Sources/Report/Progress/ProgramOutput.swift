/// The error output of the programs behind bodies, by task.
struct ProgramOutput {
    /// The most lines kept for a task that may fail, and the most bytes of one.
    private static let (mostKept, longestKept) = (20, 1024)

    let redactor: Redactor?
    private var open: [String: ProgramLines] = [:]
    private var kept: [String: [String]] = [:]

    /// A nil `redactor` means no secrets.
    init(redactor: Redactor?) { self.redactor = redactor }

    /// Takes the next bytes of a task's program and returns the complete lines without secrets.
    mutating func take(_ bytes: [UInt8], of id: String, isLast: Bool) -> [String] {
        var text = open.removeValue(forKey: id) ?? ProgramLines(redactor: redactor)
        let lines = text.take(bytes, isLast: isLast)
        if !isLast { open[id] = text }
        return lines
    }

    /// Keeps the last lines until the task ends.
    mutating func keep(_ lines: [String], of id: String) {
        let cut = lines.map { String(decoding: $0.utf8.prefix(Self.longestKept), as: UTF8.self) }
        kept[id] = ((kept[id] ?? []) + cut).suffix(Self.mostKept)
    }

    /// Hands over the kept lines of a task that has ended.
    mutating func takeKept(of id: String) -> [String] {
        kept.isEmpty ? [] : kept.removeValue(forKey: id) ?? []
    }
}
