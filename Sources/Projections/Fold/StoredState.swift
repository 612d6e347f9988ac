import Domain
import Foundation
import JSON

/// What a snapshot's `state` has: the state that the kind folds and, as one more member of the
/// same JSON object, the lifetime.
struct StoredState<Kind: ActivityKind>: Codable, Sendable {
    var state: Kind.State
    var lifetime: Lifetime

    private enum Member: String, CodingKey {
        case lifetime
    }

    /// - Precondition: the kind's state encodes as an object.
    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(lifetime, forKey: .lifetime)
    }
}

extension StoredState {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        self.init(
            state: try Kind.State(from: decoder),
            lifetime: try container.decode(Lifetime.self, forKey: .lifetime))
    }

    /// - Throws: `FoldError.undecodable` when another version of Islet wrote something else.
    init(_ snapshot: Snapshot) throws(FoldError) {
        if let read = snapshot.decodedState.value as? StoredState {
            self = read
            return
        }
        do { self = try WireCoder.decode(StoredState.self, from: snapshot.state) } catch {
            throw .undecodable(member: "state", kind: snapshot.kind)
        }
    }
}

extension Snapshot {
    /// Whether the value of its state is at hand.
    var isDecoded: Bool { decodedState.value != nil }

    /// Stores what the fold has come to.
    mutating func store(_ stored: StoredState<some ActivityKind>) {
        state = WireCoder.encode(stored)
        decodedState = DecodedValue(stored)
    }
}

extension Lifetime {
    /// Reads the lifetime of a snapshot and nothing else.
    /// - Throws: `FoldError.undecodable` when another version of Islet wrote something else.
    init(storedIn snapshot: Snapshot) throws(FoldError) {
        struct Stored: Decodable {
            var lifetime: Lifetime
        }
        do { self = try WireCoder.decode(Stored.self, from: snapshot.state).lifetime } catch {
            throw .undecodable(member: "state", kind: snapshot.kind)
        }
    }
}
