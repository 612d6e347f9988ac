public import Domain
import Foundation
import JSON

/// Why a document makes no policy.
public enum PolicyError: Error, Hashable, Sendable {
    case unknownKind(String)
    /// All that is wrong with it.
    case refused([PolicyInputError])
    /// A newer version of Islet has stored what this one cannot read.
    case undecodable(kind: String)
}

extension ActivityCatalog {
    /// The policy of a document as it is stored. Of languages beyond those that a new one may have
    /// it has the first: each costs a translation in every decision.
    /// - Throws: `PolicyError` with everything that is wrong.
    public func policy(
        ofKind name: String, _ document: PolicyDocument, version: Int
    ) throws(PolicyError) -> Policy {
        guard let kind = kind(named: name) else { throw .unknownKind(name) }
        var reader = PolicyReader(kind, isNew: false)
        let policy = reader.policy(document, version: version)
        guard reader.errors.isEmpty else { throw .refused(reader.errors) }
        return policy
    }

    /// The policy of what was asked for. Who mends a policy hears of everything at once, and so of
    /// what has another shape as well.
    /// - Throws: as below.
    public func newPolicy(
        ofKind name: String, _ wish: PolicyWish, version: Int = 1
    ) throws(PolicyError) -> Policy {
        try newPolicy(ofKind: name, wish.document, version: version, beside: wish.errors)
    }

    /// The policy of a document that is yet to be put, as `usuallySpelled`. Its texts have to fit
    /// into a push; of one that was put before, nothing can be refused any more.
    /// - Parameter errors: that were found in it before.
    /// - Throws: `PolicyError` with what is wrong: everything, unless that is more than anybody
    ///   reads.
    public func newPolicy(
        ofKind name: String, _ document: PolicyDocument, version: Int = 1,
        beside errors: [PolicyInputError] = []
    ) throws(PolicyError) -> Policy {
        guard let kind = kind(named: name) else { throw .unknownKind(name) }
        var reader = PolicyReader(kind, isNew: true, errors: errors)
        let policy = reader.policy(document, version: version)
        guard reader.errors.isEmpty else { throw .refused(reader.errors) }
        let bytes = document.encoded.count
        guard bytes <= Limits.policyBytesMax else {
            let detail = "has \(bytes) bytes, and may have \(Limits.policyBytesMax)"
            throw .refused([PolicyInputError(pointer: "", detail: detail)])
        }
        guard !policy.texts.isEmpty else { return policy }
        let errors = WordsFit(kind, own: policy.texts, tags: reader.tags).errors
        guard errors.isEmpty else { throw .refused(errors) }
        return policy
    }

    /// Policies of a tenant, in the order of their versions.
    public func book(_ stored: [StoredPolicy]) throws(PolicyError) -> PolicyBook {
        var book = PolicyBook()
        for row in stored {
            let document: PolicyDocument
            do {
                document = try WireCoder.decode(PolicyDocument.self, from: row.document)
            } catch { throw .undecodable(kind: row.kind) }
            do throws(PolicyError) {
                book.add(
                    try policy(ofKind: row.kind, document, version: row.version),
                    ofKind: row.kind, fromPosition: row.fromPosition)
            } catch { throw .undecodable(kind: row.kind) }
        }
        return book
    }
}
