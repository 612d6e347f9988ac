import Domain
import Foundation
import Projections
import Testing

/// However much a document says, to read it takes a moment, and its policy stays small.
struct PolicyBoundTests {
    private static let languagesMax = 50

    private func errors(
        _ document: PolicyDocument, ofKind kind: String = "PizzaDelivery"
    ) -> [PolicyInputError] {
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, document)
            return []
        } catch {
            guard case .refused(let errors) = error else { return [] }
            return errors
        }
    }

    /// The same text in as many languages.
    private func document(languages count: Int) -> PolicyDocument {
        let tags = (0..<count).map { "de-a\(100_000 + $0)" }
        let texts: [String: PolicyDocument.Text] = ["late.title": .plain("Spät")]
        return PolicyDocument(texts: Dictionary(uniqueKeysWithValues: tags.map { ($0, texts) }))
    }

    @Test func `a new policy has texts in fifty languages at most`() {
        #expect(errors(document(languages: Self.languagesMax)).isEmpty)
        let found = errors(document(languages: Self.languagesMax + 1))
        #expect(found.map(\.pointer) == ["/texts"])
        #expect(found.first?.detail == "has 51 languages, and may have 50")
    }

    @Test(.timeLimit(.minutes(1)))
    func `of a stored policy in more languages the first fifty are read, always the same`() throws {
        let many = document(languages: 20_000)
        let policy = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", many, version: 1)
        let read = policy.texts.keys.map(\.rawValue).sorted()
        #expect(read == (0..<Self.languagesMax).map { "de-a\(100_000 + $0)" })
        let stored = StoredPolicy(
            kind: "PizzaDelivery", version: 1, fromPosition: 1, document: many.encoded,
            putAt: Moment(unixSeconds: 0))
        let book = try ActivityCatalog.standard.book([stored])
        #expect(book.policy(ofKind: "PizzaDelivery", at: 1) == policy)
    }

    @Test func `a stored policy with many exceptions of quiet hours is still read`() throws {
        let hours = PolicyDocument.Hours(
            from: "22:00", to: "07:00", timeZone: "UTC",
            except: Array(repeating: "late", count: 1_001))
        let document = PolicyDocument(quietHours: hours)
        let policy = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", document, version: 1)
        #expect(policy.quietHours?.except == ["late"])
        #expect(errors(document).map(\.pointer) == ["/quietHours/except"])
    }

    @Test func `more members than any kind has are one error, and none is looked at`() {
        let names = (0..<1_001).map { "name\($0)" }
        func members<Value>(_ value: Value) -> [String: Value] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
        }
        let document = PolicyDocument(
            thresholds: members(1), rules: members("alert"), texts: ["de": members(.plain("x"))],
            keys: members("KEY"))
        #expect(
            errors(document).map(\.pointer) == ["/thresholds", "/rules", "/texts/de", "/keys"])
    }

    @Test func `a new policy has half a megabyte at most, and one that is stored is read`() throws {
        let keys = try #require(ActivityCatalog.standard.kind(named: "Match")).texts[.standard]
        let texts = try #require(keys).mapValues { _ in
            PolicyDocument.Text.plain(String(repeating: "ä", count: 120))
        }
        let tags = (0..<50).map { "de-a\(100_000 + $0)" }
        let document = PolicyDocument(texts: Dictionary(tags.map { ($0, texts) }) { $1 })
        let found = errors(document, ofKind: "Match")
        #expect(found.map(\.pointer) == [""])
        #expect(
            found.first?.detail == "has \(document.encoded.count) bytes, and may have 524288")
        let policy = try ActivityCatalog.standard.policy(ofKind: "Match", document, version: 1)
        #expect(policy.texts.count == Self.languagesMax)
    }

    @Test func `a hundred errors are named, and no more`() {
        let names = (0..<1_000).map { "name\($0)" }
        let document = PolicyDocument(
            thresholds: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }),
            rules: Dictionary(uniqueKeysWithValues: names.map { ($0, "alert") }))
        #expect(errors(document).count == 100)
    }

    @Test func `a name longer than any is not compared with those that there are`() throws {
        let name = String(repeating: "late", count: 250_000)
        let took = ContinuousClock().measure {
            let found = errors(PolicyDocument(rules: [name: "alert"]))
            #expect(found.count == 1 && found[0].detail.contains("`arriving`"))
        }
        #expect(took < .seconds(5))
    }
}
