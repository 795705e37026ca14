extension JSONWriter {
    /// Writes a member whose value is a string.
    package mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member whose value is an integer.
    package mutating func member(_ name: String, _ value: Int64) {
        key(name)
        integer(value)
    }

    /// Writes a member whose value is an integer.
    package mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(Int64(value))
    }

    /// Writes a member whose value is a number; `value` must be finite.
    package mutating func member(_ name: String, _ value: Double) {
        key(name)
        number(value)
    }

    /// Writes a member whose value is a Boolean.
    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a whole value; numbers keep their spelling.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let text): raw(text.utf8)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }
}
