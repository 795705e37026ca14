internal import JSON
internal import JobFile

/// The values of `${item…}` in one task of a `forEach`.
enum Row: Sendable {
    /// A value without fields: a line, or a number of a range.
    case scalar(ScalarValue)
    /// An element of `items`.
    case node(NodeID)
    /// A row of a CSV file.
    case record(columns: [String], fields: [String])
    /// A line of JSON.
    case json(JSONValue)
    /// One value of each name of a `matrix`.
    case combination(names: [String], values: [NodeID])
}
