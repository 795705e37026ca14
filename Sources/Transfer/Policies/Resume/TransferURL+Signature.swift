internal import SystemKit
internal import TransferModel

extension TransferURL {
    /// The resource of a partial file: the URL that answered, without its query under a validator
    /// that no two files share by chance, and otherwise without a known signature.
    func resource(under validator: ResumeValidator?) -> String {
        validator?.isUnique == true ? origin.text + path : withoutSignature
    }

    /// The URL without its fragment and without the signature in its query, which changes with each
    /// signing.
    ///
    /// Removes only the parameters of well-known signatures, and only complete ones: any other
    /// query may choose another resource.
    var withoutSignature: String {
        let place = origin.text + path
        let query = query
        guard !query.isEmpty else { return place }
        let parameters = query.splitAtBytes("&", omittingEmpty: false)
        let names = Set(parameters.map(Self.name))
        let passing = Signature.allCases.reduce(into: Set<String>()) { passing, signature in
            if signature.marks.isSubset(of: names) { passing.formUnion(signature.names) }
        }
        guard !passing.isEmpty else { return place + "?" + query }
        let kept = parameters.filter { !passing.contains(Self.name($0)) }
        return kept.isEmpty ? place : place + "?" + kept.joined(separator: "&")
    }

    private static func name(_ parameter: Substring) -> String {
        String(parameter[..<(parameter.firstByteIndex(of: "=") ?? parameter.endIndex)])
    }
}

/// The schemes for temporary URL signatures whose parameters are known.
private enum Signature: CaseIterable {
    /// AWS Signature Version 4: S3 and compatible services.
    case amazon
    /// AWS Signature Version 2.
    case amazonVersion2
    /// Google Cloud Storage, V4 signing process.
    case google
    /// Google Cloud Storage, V2 signing process.
    case googleVersion2
    /// Azure Storage, shared access signatures.
    case azure
    /// Amazon CloudFront, with a canned or a custom policy.
    case cloudFront

    /// The parameters by which the scheme is recognized.
    var marks: Set<String> {
        switch self {
        case .amazon: ["X-Amz-Credential", "X-Amz-Signature"]
        case .amazonVersion2: ["AWSAccessKeyId", "Expires", "Signature"]
        case .google: ["X-Goog-Credential", "X-Goog-Signature"]
        case .googleVersion2: ["GoogleAccessId", "Expires", "Signature"]
        case .azure: ["sv", "sig"]
        case .cloudFront: ["Key-Pair-Id", "Signature"]
        }
    }

    /// All parameters of the scheme.
    var names: Set<String> {
        switch self {
        case .amazon:
            [
                "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
                "X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-SignedHeaders",
                // Of GitHub and of Hugging Face.
                "jwt", "X-Xet-Cas-Uid", "X-Xet-Session-Id",
            ]
        case .google:
            [
                "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires",
                "X-Goog-Signature", "X-Goog-SignedHeaders",
            ]
        case .amazonVersion2: marks.union(["x-amz-security-token"])
        case .googleVersion2: marks
        case .azure:
            [
                "saoid", "scid", "sdd", "se", "sig", "sip", "ske", "skoid", "sks", "skt", "sktid",
                "skv", "sp", "spr", "sr", "srt", "ss", "st", "suoid", "sv",
                // Of GitHub.
                "jwt",
            ]
        case .cloudFront: ["Expires", "Hash-Algorithm", "Key-Pair-Id", "Policy", "Signature"]
        }
    }
}
