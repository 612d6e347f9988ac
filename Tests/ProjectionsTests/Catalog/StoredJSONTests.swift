import Domain
import Foundation
import JSON
import Projections
import TestSupport
import Testing

/// Some values write their JSON themselves, and some payloads take their fields themselves: no byte
/// and no member may differ from what the stock coders make of them.
struct StoredJSONTests {
    @Test(arguments: KindProbe.all, 0..<20)
    func `what is stored of an activity is as the stock encoder writes it`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 300 + seed)
        var feed = LateFeed(seed: seed)
        for change in try feed.story(of: facts.events(of: kind, count: 25)).changes {
            let snapshot = change.snapshot
            for (stored, stock) in try kind.stockJSON(snapshot) {
                let (stored, stock) = (
                    String(decoding: stored, as: UTF8.self), String(decoding: stock, as: UTF8.self)
                )
                #expect(stored == stock)
            }
        }
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `an event is the same however its data are written`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 500 + seed)
        for event in facts.events(of: kind, count: 50) {
            let plain = String(decoding: event.data, as: UTF8.self)
            // A member that means nothing, with an escape, which only the stock decoder reads.
            let odd = plain.replacing("{", with: #"{"\u006fdd":0"# + (plain == "{}" ? "" : ","))
            let read = try kind.described(event)
            var same = event
            same.data = Data(odd.utf8)
            #expect(try kind.described(same) == read)
        }
    }
}

extension KindProbe {
    /// What a snapshot stores, and what the stock encoder writes of the same values.
    fileprivate func stockJSON(_ snapshot: Snapshot) throws -> [(stored: Data, stock: Data)] {
        func pairs<K: ActivityKind>(_ kind: K.Type) throws -> [(stored: Data, stock: Data)] {
            [
                (snapshot.state, try again(Memory<K.State>.self, snapshot.state)),
                (snapshot.attributes, try again(K.Attributes.self, snapshot.attributes)),
                (snapshot.contentState, try again(K.ContentState.self, snapshot.contentState)),
            ]
        }
        return try pairs(kind)
    }

    private func again<T: Codable>(_ type: T.Type, _ data: Data) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(JSONDecoder().decode(type, from: data))
    }

    /// All that the event says, as the kind folds it.
    fileprivate func described(_ event: NewEvent) throws -> String {
        func described<K: ActivityKind>(_ kind: K.Type) throws -> String {
            var state = kind.initial
            let read = try kind.event(
                type: event.type, schemaVersion: event.schemaVersion, data: event.data)
            kind.evolve(&state, with: read, occurredAt: event.occurredAt)
            return String(decoding: WireCoder.encode(state), as: UTF8.self)
        }
        return try described(kind)
    }

    private var kind: any ActivityKind.Type {
        get throws { try #require(ActivityCatalog.tested.kind(named: name)) }
    }
}

/// What a snapshot's `state` has in it.
private struct Memory<State: Codable>: Codable {
    private enum Member: String, CodingKey {
        case lifetime
    }

    let state: State
    let lifetime: Lifetime

    init(from decoder: any Decoder) throws {
        state = try State(from: decoder)
        lifetime = try decoder.container(keyedBy: Member.self)
            .decode(Lifetime.self, forKey: .lifetime)
    }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(lifetime, forKey: .lifetime)
    }
}
