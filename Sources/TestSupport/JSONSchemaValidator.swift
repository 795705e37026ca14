package import JSON

/// Validates JSON by a JSON Schema (draft-07), for the keywords that the project's schemas use.
///
/// An unknown keyword counts as a fault of the schema, so that nothing passes unchecked.
package struct JSONSchemaValidator: Sendable {
    /// Keywords that document but do not restrict.
    private static let annotations: Set = [
        "$schema", "$id", "$comment", "title", "description", "default", "examples", "format",
        "definitions", "then", "else", "markdownDescription",
        "defaultSnippets",
    ]

    private let root: JSONValue

    /// Creates a validator; `schema` is the whole parsed document.
    package init(schema: JSONValue) {
        root = schema
    }

    /// All violations of the schema in `value`, as `/tasks/0/id: not a string`; empty if it is
    /// valid.
    package func faults(in value: JSONValue) -> [String] {
        check(value, root, at: "")
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        switch schema {
        case .bool(true): return []
        case .bool(false): return ["\(path): nothing is allowed here"]
        case .object(let keywords):
            return keywords.flatMap { keyword in
                check(value, keyword, of: schema, at: path)
            }
        default: return ["\(path): the schema is no schema"]
        }
    }

    private func check(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        of schema: JSONValue,
        at path: String
    ) -> [String] {
        let argument = keyword.value
        switch keyword.name {
        case "$ref": return checkReference(value, argument, at: path)
        case "type":
            let names = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return names.contains { value.isOfType($0) }
                ? [] : ["\(path): not of type \(names.joined(separator: " or "))"]
        case "enum":
            return argument.elements.contains(value) ? [] : ["\(path): none of the allowed values"]
        case "const":
            return argument == value ? [] : ["\(path): not the only allowed value"]
        case "anyOf", "oneOf", "allOf", "not", "if":
            return checkCombination(value, keyword, of: schema, at: path)
        case "properties", "patternProperties", "additionalProperties", "required",
            "propertyNames", "minProperties", "maxProperties", "dependencies":
            return checkObject(value, keyword, of: schema, at: path)
        case "items", "minItems", "maxItems", "uniqueItems":
            return checkArray(value, keyword, at: path)
        case "minLength", "maxLength", "pattern":
            return checkString(value, keyword, at: path)
        case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
            return checkNumber(value, keyword, at: path)
        case let name where Self.annotations.contains(name): return []
        default: return ["\(path): the schema has the unknown keyword \(keyword.name)"]
        }
    }

    private func checkReference(
        _ value: JSONValue,
        _ reference: JSONValue,
        at path: String
    ) -> [String] {
        let steps = (reference.string ?? "").split(separator: "/")
        guard steps.first == "#" else { return ["\(path): a reference that is not local"] }
        var target: JSONValue? = root
        for step in steps.dropFirst() { target = target?[String(step)] }
        guard let target else { return ["\(path): a reference to nothing"] }
        return check(value, target, at: path)
    }

    private func checkCombination(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        of schema: JSONValue,
        at path: String
    ) -> [String] {
        let results = keyword.value.elements.map { check(value, $0, at: path) }
        switch keyword.name {
        case "allOf": return results.flatMap { $0 }
        case "anyOf":
            if results.contains(where: \.isEmpty) { return [] }
            return ["\(path): matches none of the alternatives"] + results.flatMap { $0 }
        case "oneOf":
            let matches = results.count(where: \.isEmpty)
            return matches == 1 ? [] : ["\(path): matches \(matches) of the alternatives"]
        case "not":
            return check(value, keyword.value, at: path).isEmpty
                ? ["\(path): matches what it must not"] : []
        default:
            let isMatch = check(value, keyword.value, at: path).isEmpty
            return schema[isMatch ? "then" : "else"].map { check(value, $0, at: path) } ?? []
        }
    }

    private func checkObject(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        of schema: JSONValue,
        at path: String
    ) -> [String] {
        guard case .object(let members) = value else { return [] }
        let argument = keyword.value
        switch keyword.name {
        case "required":
            return argument.elements.compactMap(\.string)
                .filter { value[$0] == nil }
                .map { "\(path): `\($0)` is missing" }
        case "properties":
            return members.flatMap { member in
                argument[member.name].map {
                    check(member.value, $0, at: "\(path)/\(member.name)")
                } ?? []
            }
        case "patternProperties":
            return members.flatMap { member in
                argument.members.filter { member.name.isMatch(of: $0.name) }.flatMap {
                    check(member.value, $0.value, at: "\(path)/\(member.name)")
                }
            }
        case "additionalProperties":
            let patterns = schema["patternProperties"]?.members.map(\.name) ?? []
            return members.filter { member in
                schema["properties"]?[member.name] == nil
                    && !patterns.contains { member.name.isMatch(of: $0) }
            }.flatMap { check($0.value, argument, at: "\(path)/\($0.name)") }
        case "dependencies":
            return argument.members.filter { value[$0.name] != nil }.flatMap { partners in
                partners.value.elements.compactMap(\.string).filter { value[$0] == nil }
                    .map { "\(path): `\($0)` is missing beside `\(partners.name)`" }
            }
        case "propertyNames":
            return members.flatMap {
                check(.string($0.name), argument, at: "\(path)/\($0.name)")
            }
        case "minProperties":
            return members.count >= Int(argument.integer ?? 0) ? [] : ["\(path): too few members"]
        default:
            return members.count <= Int(argument.integer ?? 0)
                ? [] : ["\(path): too many members"]
        }
    }

    private func checkArray(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        at path: String
    ) -> [String] {
        guard case .array(let elements) = value else { return [] }
        switch keyword.name {
        case "items":
            return elements.indices.flatMap {
                check(elements[$0], keyword.value, at: "\(path)/\($0)")
            }
        case "minItems":
            return elements.count >= Int(keyword.value.integer ?? 0)
                ? [] : ["\(path): too few elements"]
        case "maxItems":
            return elements.count <= Int(keyword.value.integer ?? 0)
                ? [] : ["\(path): too many elements"]
        default:
            return Set(elements).count == elements.count || keyword.value != .bool(true)
                ? [] : ["\(path): repeated elements"]
        }
    }

    private func checkString(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        at path: String
    ) -> [String] {
        guard let text = value.string else { return [] }
        let length = text.unicodeScalars.count
        switch keyword.name {
        case "minLength":
            return length >= Int(keyword.value.integer ?? 0) ? [] : ["\(path): too short"]
        case "maxLength":
            return length <= Int(keyword.value.integer ?? 0) ? [] : ["\(path): too long"]
        default:
            let pattern = keyword.value.string ?? ""
            return text.isMatch(of: pattern) ? [] : ["\(path): does not match \(pattern)"]
        }
    }

    private func checkNumber(
        _ value: JSONValue,
        _ keyword: JSONValue.Member,
        at path: String
    ) -> [String] {
        guard let number = value.double, let limit = keyword.value.double else { return [] }
        let holds =
            switch keyword.name {
            case "minimum": number >= limit
            case "maximum": number <= limit
            case "exclusiveMinimum": number > limit
            default: number < limit
            }
        return holds ? [] : ["\(path): \(number) breaks \(keyword.name) \(limit)"]
    }
}

extension JSONValue {
    fileprivate func isOfType(_ name: String) -> Bool {
        switch (self, name) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"):
            true
        case (.number, "integer"): double.map { $0 == $0.rounded() } ?? false
        default: false
        }
    }
}

extension String {
    /// Whether the pattern matches anywhere in the text; an invalid pattern never does.
    fileprivate func isMatch(of pattern: String) -> Bool {
        guard let expression = try? Regex(pattern) else { return false }
        return firstMatch(of: expression) != nil
    }
}
