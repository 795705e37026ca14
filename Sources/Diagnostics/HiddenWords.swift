internal import SystemKit

/// Words that messages about some lines must not quote, in small letters.
package struct HiddenWords: Sendable {
    private let words: Set<String>
    private let sorted: [String]

    /// Whether there is none.
    package var isEmpty: Bool { words.isEmpty }

    /// Sorts the words, so that beginnings are found fast.
    package init(_ words: Set<String>) {
        self.words = words
        sorted = words.sorted()
    }

    /// Whether a text is one of the words.
    func contains(_ text: String) -> Bool { words.contains(text) }

    /// Whether a word begins with a text.
    func containsBeginning(_ text: String) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < text { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low].hasBytePrefix(text)
    }
}
