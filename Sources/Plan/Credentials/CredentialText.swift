/// A text of a credential, of a session or of its proxy, and which secrets it holds.
struct CredentialText: Sendable {
    var text: String
    var secrets: SecretSet
    var field: Field
}
