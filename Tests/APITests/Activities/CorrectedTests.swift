import JSON
import Testing

@testable import API

/// The same event under another id, one second later.
private func later(_ event: String, id: String, corrected: (String, String)) -> String {
    event
        .replacing(#""specversion":"1.0","id":""#, with: #""specversion":"1.0","id":"\#(id)-"#)
        .replacing(
            #""time":"2027-01-15T08:00:00Z""#, with: #""time":"2027-01-15T08:00:01Z""#
        )
        .replacing(corrected.0, with: corrected.1)
}

/// What each kind's card is called before and after its attributes change.
private struct Correction: Sendable {
    let events: [String]
    let before: String
    let after: String
}

private let corrections: [String: Correction] = {
    let placed = SampleEvents.placed("o-1")
    let scheduled = SampleEvents.scheduled("m-1", competition: "Cup", kickoffSeconds: 3_600)
    return [
        "o-1": Correction(
            events: [
                placed, SampleEvents.assigned("o-1"),
                later(
                    placed, id: "corrected",
                    corrected: (#""numberOfPizzas":2"#, #""numberOfPizzas":3"#)),
            ], before: "2 pizzas", after: "3 pizzas"),
        "m-1": Correction(
            events: [
                scheduled,
                later(
                    scheduled, id: "moved",
                    corrected: ("2027-01-15T09:00:00Z", "2027-01-15T18:30:00Z")),
            ], before: "09:00:00Z", after: "18:30:00Z"),
    ]
}()

@Test(arguments: ["o-1", "m-1"])
func `no version is shown with the attributes of another, wherever it is read`(
    id: String
) async throws {
    let correction = try #require(corrections[id])
    let api = await Harness()
    for event in correction.events {
        let answer = try await api.post(event)
        #expect(answer.status == 201, "\(answer.text)")
    }
    try await api.fake.fold(Harness.mine)
    let path = "/v1/activities/\(id)"
    let rows = try await api.get("\(path)/decisions").json()["decisions"]?.elements ?? []
    #expect(rows.count == correction.events.count)
    var cards: [String] = []
    for (index, row) in rows.enumerated() {
        let version = index + 1
        let state = try await api.get("\(path)/state?version=\(version)").json()
        let why = try await api.get("\(path)/why?version=\(version)").json()
        #expect(row["version"] == .integer(version))
        #expect(row["contentState"] == state["contentState"])
        #expect(why["decision"] == row)
        // Of the newest the attributes are at hand; any other one's card is that of its state.
        #expect(row.names.contains("presentation"))
        #expect(row["presentation"] == (version == rows.count ? state["presentation"] : nil))
        cards.append(String(decoding: try #require(state["presentation"]).bytes, as: UTF8.self))
    }
    for card in cards.dropLast() {
        #expect(card.contains(correction.before) && !card.contains(correction.after), "\(card)")
    }
    let newest = try #require(cards.last)
    #expect(newest.contains(correction.after) && !newest.contains(correction.before), "\(newest)")
    let now = try await api.get(path).json()
    #expect(now["presentation"].map { String(decoding: $0.bytes, as: UTF8.self) } == newest)
}
