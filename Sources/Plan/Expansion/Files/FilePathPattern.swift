internal import Diagnostics
internal import SystemKit

/// One pattern of a `glob`: an absolute path whose components may have wildcards.
struct FilePathPattern: Sendable {
    /// A component below the base.
    enum Component: Sendable, Hashable {
        case name(NamePattern)
        /// `**`: any number of folders; as the last component any file below them, too.
        case folders
    }

    /// The folder before the first wildcard, absolute, without a slash at its end: the names of the
    /// files are relative to it.
    let base: String
    /// At least one.
    let components: [Component]

    /// Reads an absolute path; its beginning `folder`, which ends in a slash, has no wildcards.
    init(_ path: String, in folder: String = "/") throws(ValueFault) {
        guard path.utf8.last != UInt8(ascii: "/") else {
            throw ValueFault(
                .badPath,
                "`\(path.excerpt)` is a folder",
                help: "write `**` after the slash for all files in it and below"
            )
        }
        let start = path.hasBytePrefix(folder) ? folder.utf8.count : 0
        var parts = path.slice(start..<path.utf8.count).splitAtBytes("/")
        var components: [Component] = []
        var base = start > 0 ? String(path.slice(0..<start - 1)) : ""
        while let part = parts.first {
            parts.removeFirst()
            if part == "**" {
                if components.last != .folders { components.append(.folders) }
                continue
            }
            let name = try NamePattern(String(part))
            if components.isEmpty, let literal = name.literal, !parts.isEmpty {
                base += "/" + literal
            } else if part == ".." {
                throw ValueFault(.badPath, "`..` may not follow a wildcard in `\(path.excerpt)`")
            } else {
                components.append(.name(name))
            }
        }
        self.base = base
        self.components = components
    }

    /// The positions that a pattern can be at: a `**` adds the position of the next component.
    func closed(_ positions: [Int]) -> [Int] {
        var closed: [Int] = []
        for position in positions {
            var next = position
            while closed.last ?? -1 < next {
                closed.append(next)
                guard next < components.count, components[next] == .folders else { break }
                next += 1
            }
        }
        return closed
    }

    /// The positions after the name of a child of a folder, ascending; `components.count` where
    /// the name completes the pattern.
    ///
    /// `isLiteral` limits them to positions that the pattern reaches by the name itself, without a
    /// wildcard.
    func positions(
        after name: String,
        from positions: [Int],
        includesHidden: Bool,
        isLiteral: Bool = false
    ) -> [Int] {
        let isHidden = !includesHidden && name.utf8.first == UInt8(ascii: ".")
        var next: [Int] = []
        for position in positions where position < components.count {
            switch components[position] {
            case .folders:
                if !isHidden, !isLiteral, next.last != position { next.append(position) }
            case .name(let pattern):
                if isLiteral, pattern.literal == nil { continue }
                if pattern.matches(name, includesHidden: includesHidden) {
                    next.append(position + 1)
                }
            }
        }
        return next
    }

    /// Whether a file whose name led to these positions matches the whole pattern.
    func isComplete(_ positions: [Int]) -> Bool {
        positions.contains {
            $0 == components.count || $0 == components.count - 1 && components[$0] == .folders
        }
    }

    /// Whether an absolute path matches, hidden or not.
    func matches(_ path: String) -> Bool {
        guard path.hasBytePrefix(base + "/") else { return false }
        var positions = [0]
        for name in path.utf8.dropFirst(base.utf8.count + 1).split(separator: UInt8(ascii: "/")) {
            positions = self.positions(
                after: String(Substring(name)),
                from: closed(positions),
                includesHidden: true
            )
            if positions.isEmpty { return false }
        }
        return isComplete(positions)
    }
}
