internal import CPSL

/// The Public Suffix List (https://publicsuffix.org) from libpsl: the names under which anyone can
/// register names.
package enum PublicSuffixList {
    /// The library's name, for messages.
    package static let library = "libpsl.so.5"

    /// Whether a name is a public suffix: `com` and `co.uk` are, `example.com` is not.
    ///
    /// An unlisted name of one label also is one (the list's rule `*`). Loads libpsl.
    ///
    /// - Parameter name: A host name in lower case without a final dot.
    /// - Returns: Nil without libpsl.
    package static func isPublicSuffix(_ name: String) -> Bool? {
        switch unsafe cpsl_is_public_suffix(name) {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
