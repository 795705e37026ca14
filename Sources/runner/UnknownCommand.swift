import ArgumentParser
import Diagnostics
import SystemKit

/// A word in the place of a command that is no command.
struct UnknownCommand {
    /// The names of the commands before the word.
    private let names: [String]
    private let word: String
    private let known: [String]

    /// Finds such a word; nil when every command has its name.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var command = root
        var names = [Program.name]
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasBytePrefix("-") else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                self.names = names
                self.word = word
                known = subcommands.filter { $0.configuration.shouldDisplay }.map {
                    $0._commandName
                }
                return
            }
            names.append(word)
            command = next
        }
        return nil
    }

    /// The error for the user, in the words of the argument parser.
    var error: ValidationError {
        let command = (names + [word]).joined(separator: " ")
        let advice =
            if let nearest = NearestName.find(word, among: known) {
                ". Did you mean '\((names + [nearest]).joined(separator: " "))'?"
            } else {
                "; there are \(known.joined(separator: ", "))"
            }
        return ValidationError("Unknown command '\(command)'\(advice)")
    }
}
