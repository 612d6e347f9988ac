import Domain
public import Foundation
import JSON
import Projections

/// A policy to be tried on the past, beside the one that was in force.
public struct PolicyTrial: Sendable {
    /// By kind.
    let documents: [String: PolicyDocument]

    /// Reads a policy file: a document as `PUT /v1/policies/{kind}` takes it and by the same rules,
    /// or an object with one for each kind, by name.
    /// - Parameter kind: what a single document is for.
    /// - Throws: `.policy` with everything that is wrong.
    public init(file: Data, kind: String?) throws(ReplayError) {
        let value: JSON
        do { value = try JSONParser.parse(Array(file)) } catch {
            let place = error.pointer.isEmpty ? "" : ", in \(error.pointer)"
            throw .policy(["it is not JSON that Islet takes: \(error.explanation)\(place)"])
        }
        guard case .object = value else {
            throw .policy(["it must be a JSON object, not \(value.kind)"])
        }
        let byKind = try Self.byKind(value, kind)
        var documents: [String: PolicyDocument] = [:]
        var errors: [String] = []
        for (name, members) in byKind.sorted(by: { $0.key < $1.key }) {
            let prefix = byKind.count > 1 || kind == nil ? "/\(name)" : ""
            do throws(ReplayError) {
                documents[name] = try Self.document(members, ofKind: name, prefix)
            } catch {
                if case .policy(let found) = error { errors += found }
            }
        }
        guard errors.isEmpty else { throw .policy(errors) }
        self.documents = documents
    }

    /// Thresholds changed in the newest policies that a tenant has.
    /// - Parameter thresholds: of `kind`, by name.
    public init(
        thresholds: [String: Double], kind: String, in history: History
    ) async throws(ReplayError) {
        let newest = try await history.policies().last { $0.kind == kind }
        var document = PolicyDocument()
        if let newest {
            do {
                document = try JSONDecoder().decode(PolicyDocument.self, from: newest.document)
            } catch { throw .policiesOfNewerVersion }
        }
        document.thresholds = (document.thresholds ?? [:]).merging(thresholds) { $1 }
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, document)
        } catch { throw Self.refusal(error, "") }
        documents = [kind: document]
    }

    private static func byKind(
        _ file: JSON, _ kind: String?
    ) throws(ReplayError) -> [String: JSON] {
        if let kind {
            guard kinds.contains(kind) else { throw .policy([unknown(kind)]) }
            if let own = file[kind], case .object = own { return [kind: own] }
            return [kind: file]
        }
        guard case .object(let members) = file else { return [:] }
        if let member = members.map(\.name).sorted().first(where: PolicyWish.members.contains) {
            throw .policy([
                "it has /\(member) of one kind and does not say of which; give --kind, or put it "
                    + "under the kind's name"
            ])
        }
        var byKind: [String: JSON] = [:]
        for member in members {
            let name = member.name
            guard kinds.contains(name) else { throw .policy([unknown(name)]) }
            guard case .object = member.value else {
                throw .policy(["/\(name) must be an object, not \(member.value.kind)"])
            }
            byKind[name] = member.value
        }
        guard !byKind.isEmpty else { throw .policy(["it says nothing about any kind"]) }
        return byKind
    }

    private static func document(
        _ object: JSON, ofKind kind: String, _ prefix: String
    ) throws(ReplayError) -> PolicyDocument {
        let wish = PolicyWish(object)
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, wish)
        } catch { throw refusal(error, prefix) }
        return wish.document.usuallySpelled
    }

    private static func refusal(_ error: PolicyError, _ prefix: String) -> ReplayError {
        switch error {
        case .refused(let errors): .policy(errors.map { "\(prefix)\($0.pointer) \($0.detail)" })
        case .unknownKind(let kind), .undecodable(let kind): .policy([unknown(kind)])
        }
    }

    private static var kinds: [String] { ActivityCatalog.standard.kinds.map { $0.name } }

    private static func unknown(_ kind: String) -> String {
        let near = Similarity.nearest(to: kind, among: kinds)
        return "'\(kind)' is no kind; there is "
            + (near.isEmpty ? kinds : near).joined(separator: ", ")
    }
}

extension PolicyBook {
    /// With what is tried in force from a position on, instead of whatever was.
    func trying(
        _ trial: PolicyTrial, from position: Int64, over stored: [StoredPolicy]
    ) throws(ReplayError) -> PolicyBook {
        var book = self
        for (kind, document) in trial.documents {
            let version = (stored.last { $0.kind == kind }?.version ?? 0) + 1
            do throws(PolicyError) {
                book.add(
                    try ActivityCatalog.standard.policy(
                        ofKind: kind, document, version: version),
                    ofKind: kind, fromPosition: position)
            } catch { throw .policiesOfNewerVersion }
        }
        return book
    }
}
