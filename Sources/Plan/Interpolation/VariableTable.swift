internal import JobFile

/// The variables of a job: the file's and those of `--var`.
///
/// A variable of the file may refer to others; it is resolved when it is first needed.
struct VariableTable: Sendable {
    enum State: Sendable {
        case pending(Field)
        /// Its value is being resolved: met again, the variable refers to itself.
        case resolving(Field)
        case value(ScalarValue)
        /// Declared as null: `--var` must give it.
        case absent(Field)
        /// Its own fault is reported; references to it have none.
        case faulty
    }

    /// The variables of the file in its order.
    var names: [String] = []
    var states: [String: State] = [:]
    /// Names of `--var` that neither the file declares nor anything has used so far.
    var unused: Set<String> = []
    /// How many variables are being resolved, one inside the other.
    var depth = 0
}
