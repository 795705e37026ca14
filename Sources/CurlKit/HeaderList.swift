internal import CCurl
internal import SystemKit

/// Request header lines as libcurl keeps them: a `curl_slist` that lives as long as this object.
@safe final class HeaderList {
    let lines: [String]
    let pointer: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        self.lines = lines
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // On no memory the list stays as it was; the request then lacks a line rather than the
            // process its life.
            if let longer = unsafe ccurl_slist_append(list, line) { unsafe list = longer }
        }
        unsafe pointer = list
    }

    /// Whether it was made of these lines; cheap for the same array.
    func isMade(of others: [String]) -> Bool {
        let isSameArray = unsafe lines.withUnsafeBufferPointer { own in
            unsafe others.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
        }
        return isSameArray && lines.count == others.count
            || lines.elementsEqual(others) { $0.hasSameBytes(as: $1) }
    }

    deinit { unsafe ccurl_slist_free_all(pointer) }
}
