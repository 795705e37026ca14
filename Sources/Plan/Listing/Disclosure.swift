internal import JobFile

/// The values of a job that a listing shows, besides the list of `PublicValues`.
struct Disclosure {
    /// The names that the job declares.
    let names: Set<String>
    /// The variables whose values may be secrets.
    let confidential: ConfidentialVariables
    /// Whether all values are shown that are no credential by the language.
    let showsValues: Bool

    /// Looks through the names of a document once.
    init(of document: Document, showsValues: Bool) {
        names = DeclaredNames.all(of: document)
        confidential = ConfidentialVariables(of: document)
        self.showsValues = showsValues
    }
}
