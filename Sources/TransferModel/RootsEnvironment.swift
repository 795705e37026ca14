/// The trusted roots in the environment, by the rules of the `curl` command
/// (https://curl.se/docs/sslcerts.html).
///
/// libcurl itself reads none of these variables; OpenSSL reads its own two.
package struct RootsEnvironment: Sendable, Hashable {
    /// The content of a variable.
    package struct Entry: Sendable, Hashable {
        /// The name of the variable.
        package let variable: String
        /// The path that the variable names.
        package let path: String

        /// The variable as a shell sets it.
        package var assignment: String { "\(variable)=\(path)" }
    }

    /// A PEM file instead of libcurl's: `CURL_CA_BUNDLE`, or else `SSL_CERT_FILE`.
    package let file: Entry?
    /// Folders with hashed names instead of libcurl's: `SSL_CERT_DIR`, without `CURL_CA_BUNDLE`.
    package let folder: Entry?

    /// Reads the variables; an empty one counts as unset.
    package init(_ variable: (String) -> String?) {
        func entry(_ name: String) -> Entry? {
            variable(name).flatMap { $0.isEmpty ? nil : Entry(variable: name, path: $0) }
        }
        let bundle = entry("CURL_CA_BUNDLE")
        file = bundle ?? entry("SSL_CERT_FILE")
        folder = bundle == nil ? entry("SSL_CERT_DIR") : nil
    }

    /// Both, as a shell sets them.
    package var assignments: [String] { [file, folder].compactMap { $0?.assignment } }
}
