import Domain
public import Foundation
import Projections

/// A policy to be tried on the past, beside the one that was in force.
public struct PolicyTrial: Sendable {
    /// By kind.
    let documents: [String: PolicyDocument]

    /// Reads a policy file: a document as `PUT /v1/policies/{kind}` takes it, or an object with one
    /// for each kind, by name.
    /// - Parameter kind: what a single document is for.
    /// - Throws: `.policy` with everything that is wrong.
    public init(file: Data, kind: String?) throws(ReplayError) {
        guard file.count <= Limits.policyFileBytesMax else {
            throw .policy(["it is larger than \(Limits.policyFileBytesMax) bytes"])
        }
        let value: Any
        do { value = try JSONSerialization.jsonObject(with: file) } catch {
            throw .policy(["it is not JSON"])
        }
        guard let object = value as? [String: Any] else {
            throw .policy(["it must be a JSON object"])
        }
        let byKind = try Self.byKind(object, kind)
        var documents: [String: PolicyDocument] = [:]
        var faults: [String] = []
        for (name, members) in byKind.sorted(by: { $0.key < $1.key }) {
            let prefix = byKind.count > 1 || kind == nil ? "/\(name)" : ""
            do throws(ReplayError) {
                documents[name] = try Self.document(members, ofKind: name, prefix)
            } catch {
                if case .policy(let found) = error { faults += found }
            }
        }
        guard faults.isEmpty else { throw .policy(faults) }
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
        try Self.check(document, ofKind: kind, "")
        documents = [kind: document]
    }

    private static let members = ["thresholds", "rules", "quietHours", "texts", "words", "keys"]
    private static let hoursMembers = ["from", "to", "timeZone", "except"]

    private static func byKind(
        _ object: [String: Any], _ kind: String?
    ) throws(ReplayError) -> [String: [String: Any]] {
        let known = ActivityCatalog.standard.kinds.map { $0.name }
        if let kind {
            guard known.contains(kind) else { throw .policy([unknown(kind, "kind", known)]) }
            let own = object[kind] as? [String: Any]
            return [kind: own ?? object]
        }
        if let member = object.keys.sorted().first(where: { members.contains($0) }) {
            throw .policy([
                "it has /\(member) of one kind and does not say of which; give --kind, or put it "
                    + "under the kind's name"
            ])
        }
        var byKind: [String: [String: Any]] = [:]
        for (name, value) in object {
            guard known.contains(name) else { throw .policy([unknown(name, "kind", known)]) }
            guard let document = value as? [String: Any] else {
                throw .policy(["/\(name) must be an object"])
            }
            byKind[name] = document
        }
        guard !byKind.isEmpty else { throw .policy(["it says nothing about any kind"]) }
        return byKind
    }

    private static func document(
        _ object: [String: Any], ofKind kind: String, _ prefix: String
    ) throws(ReplayError) -> PolicyDocument {
        var faults = object.keys.sorted().filter { !members.contains($0) }.map {
            "\(prefix)/\($0): \(unknown($0, "member of a policy", members))"
        }
        if let hours = object["quietHours"] as? [String: Any] {
            faults += hours.keys.sorted().filter { !hoursMembers.contains($0) }.map {
                "\(prefix)/quietHours/\($0): "
                    + unknown($0, "member of quiet hours", hoursMembers)
            }
        }
        guard faults.isEmpty else { throw .policy(faults) }
        let document: PolicyDocument
        do {
            let data = try JSONSerialization.data(withJSONObject: object)
            document = try JSONDecoder().decode(PolicyDocument.self, from: data)
        } catch let error as DecodingError {
            throw .policy(["\(prefix)\(pointer(to: error)) has another type than a policy's"])
        } catch { throw .policy(["\(prefix) cannot be read"]) }
        try check(document, ofKind: kind, prefix)
        return document.usuallySpelled
    }

    private static func check(
        _ document: PolicyDocument, ofKind kind: String, _ prefix: String
    ) throws(ReplayError) {
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, document)
        } catch {
            switch error {
            case .refused(let faults):
                throw .policy(faults.map { "\(prefix)\($0.pointer) \($0.detail)" })
            case .unknownKind(let name), .undecodable(let name):
                throw .policy([
                    unknown(name, "kind", ActivityCatalog.standard.kinds.map { $0.name })
                ])
            }
        }
    }

    private static func unknown(_ name: String, _ what: String, _ known: [String]) -> String {
        let near = Similarity.nearest(to: name, among: known)
        return "'\(name)' is no \(what); there is "
            + (near.isEmpty ? known : near).joined(separator: ", ")
    }

    private static func pointer(to error: DecodingError) -> String {
        let path =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: [any CodingKey]()
            }
        return path.map { "/" + $0.stringValue }.joined()
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
