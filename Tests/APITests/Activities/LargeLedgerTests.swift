import Domain
import EventStore
import Foundation
import JSON
import Pipeline
import Testing

@testable import API

/// An order with sixty changes, each with an alert of some 40 KB in all its languages.
private func large() async throws -> Harness {
    let api = await Harness()
    let order = ActivityID(rawValue: "o-1")
    _ = try await api.post(SampleEvents.placed("o-1"))
    for number in 2...60 {
        _ = try await api.post(
            SampleEvents.assigned("o-1", driver: "Ada \(number)", id: "a-\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    let text = Alert.Text(title: "Driver", body: String(repeating: "x", count: 1_000))
    let tags = (0..<40).map { Language("de-a\(100_000 + $0)") }
    let translations = Dictionary(uniqueKeysWithValues: tags.map { ($0, text) })
    for version in Int64(1)...60 {
        await api.fake.revise(Harness.mine, order, version) { row in
            row.decision.alert = Alert(
                title: text.title, body: text.body, translations: translations)
        }
    }
    return api
}

@Test func `a page of large decisions ends before its limit, and the next goes on`() async throws {
    let api = try await large()
    var next: String? = "/v1/activities/o-1/decisions?limit=500"
    var (found, pages): ([Int64], Int) = ([], 0)
    while let path = next {
        let answer = try await api.get(path)
        #expect(answer.status == 200)
        let page = try answer.json()
        found += page["decisions"]?.elements.compactMap { $0["version"]?.wholeNumber } ?? []
        next = page["next"]?.text
        pages += 1
    }
    #expect(found == Array(1...60) && pages == 2)
}

/// Other threads read them, for one request at a time.
@Test func `large decisions are explained and listed the same when they are asked for at once`()
    async throws
{
    let api = try await large()
    let list = "/v1/activities/o-1/decisions?after=50"
    let why = "/v1/activities/o-1/why?version=60"
    let (listed, explained) = (try await api.get(list).text, try await api.get(why).text)
    #expect(listed.contains(#""version":60"#))
    await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<6 {
            group.addTask { (try? await api.get(list).text) == listed }
            group.addTask { (try? await api.get(why).text) == explained }
        }
        for await isSame in group { #expect(isSame) }
    }
}
