import Domain
import Foundation
import Testing

@testable import Archive

struct `A manifest` {
    private static func facts(_ number: Int) -> Manifest.Segment {
        Manifest.Segment(
            file: "events-\(number).ndjson", events: 10, firstPosition: Int64(number * 10 - 9),
            lastPosition: Int64(number * 10), bytes: 1_000 + number,
            sha256: String(repeating: "a", count: 64))
    }

    private static func complete(_ selection: Selection = Selection()) -> Manifest {
        var manifest = Manifest(tenant: "acme", selection: selection, through: 30)
        for number in 1...3 { manifest.append(facts(number)) }
        manifest.isComplete = true
        return manifest
    }

    @Test func `that was written here is accepted, also after a round trip`() throws {
        let manifest = Self.complete()
        try manifest.check()
        try manifest.check(chain: manifest.chain.uppercased())
        let copy = try JSONDecoder().decode(
            Manifest.self, from: JSONEncoder().encode(manifest))
        #expect(copy == manifest)
        try copy.check()
        #expect((manifest.events, manifest.firstPosition, manifest.lastPosition) == (30, 1, 30))
    }

    @Test func `says which log it is of, and is accepted without that`() throws {
        var manifest = Self.complete()
        let chain = manifest.chain
        manifest.origin = Manifest.Origin(
            tenant: TenantID(rawValue: 7), createdAt: Moment(unixSeconds: 0))
        let data = try JSONEncoder().encode(manifest)
        let copy = try JSONDecoder().decode(Manifest.self, from: data)
        #expect(copy == manifest)
        try copy.check(chain: chain)
        let older = try JSONEncoder().encode(Self.complete())
        #expect(!String(decoding: older, as: UTF8.self).contains("origin"))
        #expect(try JSONDecoder().decode(Manifest.self, from: older).origin == nil)
    }

    @Test func `of an empty log is accepted`() throws {
        var manifest = Manifest(tenant: "acme", selection: Selection(), through: 0)
        manifest.isComplete = true
        try manifest.check()
    }

    @Test func `is chained as the handbook says, so that sha256sum can check it`() {
        // printf '%s\n' 'islet-events 1' acme 0 '' '' 0 | sha256sum
        let manifest = Manifest(tenant: "acme", selection: Selection(), through: 0)
        #expect(
            manifest.chain == "32745c92658383e50a7b28ab3657f24175923ad8349dd9f894804ad3aefe0852")
    }

    /// Members as JSON, so that a test can do what someone with an editor can.
    private func edited(_ edit: (inout [String: Any]) -> Void) throws -> Manifest {
        let data = try JSONEncoder().encode(Self.complete())
        var object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        edit(&object)
        return try JSONDecoder().decode(
            Manifest.self, from: JSONSerialization.data(withJSONObject: object))
    }

    private func refusal(_ manifest: Manifest, isComplete: Bool) -> ArchiveError? {
        var manifest = manifest
        manifest.isComplete = isComplete
        return refusal(manifest)
    }

    private func refusal(_ manifest: Manifest, chain: String? = nil) -> ArchiveError? {
        do throws(ArchiveError) {
            try manifest.check(chain: chain)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "events", "firstPosition", "lastPosition", "through",
    ])
    func `whose totals were changed is refused`(member: String) throws {
        for delta in [-1, 1, 1_000_000] {
            let manifest = try edited { $0[member] = ($0[member] as? Int ?? 0) + delta }
            guard case .contradictory = refusal(manifest) else {
                Issue.record("\(member) by \(delta): \(String(describing: refusal(manifest)))")
                continue
            }
        }
    }

    @Test(arguments: [0, 1, 2], ["events", "firstPosition", "lastPosition", "bytes"])
    func `whose entries were changed is refused`(index: Int, member: String) throws {
        let manifest = try edited { object in
            var segments = object["segments"] as? [[String: Any]] ?? []
            segments[index][member] = (segments[index][member] as? Int ?? 0) + 1
            object["segments"] = segments
        }
        guard case .contradictory = refusal(manifest) else {
            Issue.record("\(String(describing: refusal(manifest)))")
            return
        }
    }

    @Test(arguments: ["remove first", "remove middle", "remove last", "swap", "repeat"])
    func `whose entries were moved about is refused`(edit: String) throws {
        let manifest = try edited { object in
            var segments = object["segments"] as? [[String: Any]] ?? []
            switch edit {
            case "remove first": segments.removeFirst()
            case "remove middle": segments.remove(at: 1)
            case "remove last": segments.removeLast()
            case "swap": segments.swapAt(0, 1)
            default: segments.append(segments[2])
            }
            object["segments"] = segments
        }
        #expect(refusal(manifest) != nil)
    }

    @Test func `that was cut and made to fit again is refused for the position it was to reach`() {
        var manifest = Self.complete()
        manifest.cut(at: 2)
        manifest.isComplete = true
        guard case .contradictory(let reason) = refusal(manifest) else {
            Issue.record("was accepted")
            return
        }
        #expect(reason.contains("30"))
    }

    @Test func `that was forged as a whole is refused by its chain value alone`() {
        var forged = Manifest(tenant: "acme", selection: Selection(), through: 20)
        for number in 1...2 { forged.append(Self.facts(number)) }
        forged.isComplete = true
        #expect(refusal(forged) == nil)
        #expect(refusal(forged, chain: Self.complete().chain) == .otherChain(forged.chain))
    }

    @Test func `with a hole between segments or inside one is refused`() {
        for hole in [(1, 11, 21), (0, 12, 20), (0, 11, 21)] {
            var manifest = Manifest(tenant: "acme", selection: Selection(), through: 30)
            manifest.append(Self.facts(1))
            var second = Self.facts(2)
            second.firstPosition = Int64(hole.1)
            second.lastPosition = Int64(hole.2)
            manifest.append(second)
            var third = Self.facts(3)
            third.firstPosition = Int64(hole.2 + 1)
            manifest.append(third)
            manifest.isComplete = true
            #expect(refusal(manifest) != nil, "\(hole)")
        }
    }

    @Test(arguments: ["../events", "/etc/passwd", "", ".", "..", "a\0b", "../\u{301}a"])
    func `whose files would lie elsewhere is refused`(name: String) {
        expectRefusal(ofSegmentCalled: name)
    }

    @Test(arguments: ["\u{1B}[2J", "events\n.ndjson", "\u{9B}2J", "a\u{7F}"])
    func `whose names would tell a terminal what to do is refused without them`(name: String) {
        let refused = [
            expectRefusal(ofSegmentCalled: name),
            refusal(Manifest(tenant: name, selection: Selection(), through: 0), isComplete: true),
        ]
        for error in refused { #expect(error?.description.contains(name) == false) }
    }

    @discardableResult
    private func expectRefusal(ofSegmentCalled name: String) -> ArchiveError? {
        var manifest = Manifest(tenant: "acme", selection: Selection(), through: 10)
        var facts = Self.facts(1)
        facts.file = name
        manifest.append(facts)
        let error = refusal(manifest, isComplete: true)
        #expect(error != nil)
        return error
    }

    @Test func `that is incomplete, of another format or newer is refused as such`() throws {
        var open = Self.complete()
        open.isComplete = false
        #expect(refusal(open) == .incomplete)
        #expect(refusal(try edited { $0["formatVersion"] = 2 }) == .newerFormat(2))
        #expect(refusal(try edited { $0["format"] = "tar" }) != nil)
    }

    @Test func `of one activity may have gaps between positions but not go backwards`() throws {
        let selection = Selection(activity: "order-1")
        var manifest = Manifest(tenant: "acme", selection: selection, through: 1_000)
        var facts = Self.facts(1)
        facts.lastPosition = 500
        manifest.append(facts)
        manifest.isComplete = true
        try manifest.check()
        facts.file = "events-2.ndjson"
        manifest.append(facts)
        #expect(refusal(manifest) != nil)
    }

    @Test(arguments: [
        ("after", Int64.min), ("after", -1), ("after", .max), ("through", .min), ("through", .max),
        ("events", .max), ("events", .min), ("bytes", .max), ("bytes", -1),
        ("firstPosition", .min), ("firstPosition", .max), ("lastPosition", .max),
        ("lastPosition", .min),
    ])
    func `with a number that nobody can count with is refused`(
        name: String, number: Int64
    ) throws {
        let manifest = try edited { members in
            if name == "through" {
                members[name] = number
            } else if name == "after" {
                members["selection"] = [name: number]
            } else {
                let segments = members["segments"] as? [[String: Any]] ?? []
                members["segments"] = segments.map { segment in
                    segment.merging([name: number]) { _, new in new }
                }
            }
        }
        guard case .contradictory = refusal(manifest) else {
            Issue.record("\(name) \(number) was taken")
            return
        }
        #expect(throws: ArchiveError.self) { try manifest.checkFigures() }
    }
}
