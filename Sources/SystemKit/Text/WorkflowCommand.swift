/// The escapes of GitHub's workflow commands, such as `::error file=job.yaml,line=3::message`
/// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
package enum WorkflowCommand {
    /// A message without characters that end the line or begin an escape.
    package static func message(_ text: String) -> String { escaped(text, isProperty: false) }

    /// The value of a property, also without the separators of properties.
    package static func property(_ text: String) -> String { escaped(text, isProperty: true) }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case ":" where isProperty: result += "%3A"
            case "," where isProperty: result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
