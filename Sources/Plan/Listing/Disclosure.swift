internal import JobFile

/// What a listing shows of the values of a job, besides the list of `PublicValues`.
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
