// Tests look at documents that the program wrote: who reads with this target's tools needs their
// values too.
@_exported public import JSON
