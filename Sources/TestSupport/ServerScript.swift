/// The Python programs beside this file, which play servers, networks and parsers for the tests.
package enum ServerScript {
    /// The absolute path of a program, such as `smtp-server.py`.
    package static func path(_ name: String) -> String {
        let folder = #filePath.split(separator: "/").dropLast()
        return "/" + folder.joined(separator: "/") + "/Programs/" + name
    }
}
