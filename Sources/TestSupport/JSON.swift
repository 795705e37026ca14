// Tests read JSON documents of the program, so users of this target also need the JSON types.
@_exported public import JSON
