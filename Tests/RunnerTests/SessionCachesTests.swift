import TestSupport
import Testing
import TransferModel

@testable import runner

/// Sessions that share stored responses, and sessions that do not.
@Suite struct SessionCachesTests {
    private func partition(_ proof: Credential.Proof) -> String {
        var session = SessionConfiguration(name: "a")
        session.credentials = [Credential(space: ProtectionSpace(scope: .none), proof: proof)]
        return SessionCaches.partition(of: session)
    }

    private func login(_ password: String) -> Login {
        Login(user: "u", password: Secret(password))
    }

    @Test func `sessions with different secrets share no cache entries`() {
        let proofs: [(Login) -> Credential.Proof] = [
            { .basic($0) }, { .digest($0) }, { .ntlm($0) }, { .bearer($0.password) },
        ]
        for proof in proofs {
            #expect(partition(proof(login("alice"))) == partition(proof(login("alice"))))
            #expect(partition(proof(login("alice"))) != partition(proof(login("bobby"))))
        }
        #expect(partition(.basic(login("alice"))) != partition(.digest(login("alice"))))
    }

    @Test func `another certificate under the same path shares nothing`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("alice", to: "certificate")
        let proof = Credential.Proof.clientCertificate(
            ClientCertificate(certificate: path, key: nil, password: nil)
        )
        let first = partition(proof)
        #expect(partition(proof) == first)
        try folder.write("somebody else", to: "certificate")
        #expect(partition(proof) != first)
    }

    @Test
    func `a session with tickets stores nothing and still invalidates`() {
        var session = SessionConfiguration(name: "a")
        session.credentials = [Credential(space: ProtectionSpace(scope: .none), proof: .negotiate)]
        let caches = SessionCaches(of: [session], folder: "/nowhere", findSecret: nil)
        #expect(caches.caches.count == 1)
        #expect(caches.caches[0] == nil)
    }
}
