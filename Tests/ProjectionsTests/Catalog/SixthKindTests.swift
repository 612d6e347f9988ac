import Domain
import Foundation
import ProjectFiles
import Projections
import SixthKind
import TestSupport
import Testing

/// docs/how-to/add-an-activity-kind.md, taken at its word: its code is the code in
/// `Tests/SixthKind`, which the tests of the whole catalogue cover.
struct SixthKindTests {
    /// Of which the page says that they lie in `Projections/Activities`.
    private static let folder = "Laundry"

    private func files() throws -> [String] {
        let root = ProjectFiles.url("Tests/SixthKind")
        return try FileManager.default.subpathsOfDirectory(atPath: root.path())
            .filter { $0.hasSuffix(".swift") }
    }

    private func text(_ path: String) throws -> String {
        try ProjectFiles.text(path)
    }

    /// A module of its own imports what the kind would otherwise be part of.
    private func code(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !["import Projections", "public import Projections"].contains($0) }
            .joined(separator: "\n").trimmingCharacters(in: .newlines)
    }

    @Test func `a kind with an alert and a language of its own is one file of eighty lines`() throws
    {
        let file = "\(Self.folder)/LaundryKind.swift"
        #expect(try files() == [file])
        let kind = code(try text("Tests/SixthKind/\(file)"))
        #expect(kind.split(separator: "\n", omittingEmptySubsequences: false).count <= 80)
        #expect(LaundryKind.rules.map(\.name) == ["ended", "moved", "first", "progress"])
        #expect(LaundryKind.texts.keys.contains(Language("de")))
        let path = ProjectFiles.url("Sources/Projections/Activities/Laundry").path()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a kind is one line in the catalogue`() throws {
        func line(_ kind: any ActivityKind.Type) -> String { "        \(kind).self,\n" }
        let page = try text("docs/how-to/add-an-activity-kind.md")
        #expect(page.contains("```swift\n\(line(LaundryKind.self))```"))
        let catalog = try text("Sources/Projections/Catalog/ActivityCatalog+Standard.swift")
        for kind in ActivityCatalog.standard.kinds { #expect(catalog.contains(line(kind))) }
        #expect(
            ActivityCatalog.tested.kinds.map { $0.name }
                == ActivityCatalog.standard.kinds.map { $0.name } + ["Laundry"])
        #expect(ActivityCatalog.standard.kind(named: "Laundry") == nil)
    }

    @Test func `the page shows every file of the kind as it is`() throws {
        let page = try text("docs/how-to/add-an-activity-kind.md")
        let blocks = page.matches(
            of: /`Sources\/Projections\/Activities\/(\S+\.swift)`:\n\n```swift\n([\s\S]*?)```/)
        let shown = Dictionary(uniqueKeysWithValues: blocks.map { (String($0.1), code($0.2)) })
        #expect(Set(shown.keys) == Set(try files()))
        for (path, code) in shown {
            let file = try text("Tests/SixthKind/\(path)")
            #expect(code == self.code(file), "\(path)")
        }
    }

    @Test func `the kind works from its first report to its dismissal`() throws {
        var story = Story()
        try story.tell(
            "Laundry.WashStarted", at: 0, #"{"machine":"Drum 3","endsAt":"\#(Story.time(40))"}"#)
        #expect(story.rule == "first")
        let washing = try #require(story.snapshot)
        let start = try ActivityCatalog.tested.startAlert(of: washing, under: .builtIn)
        #expect(start.title == "Drum 3 is running" && start.body == "Follow the wash here.")
        #expect(start.translations[Language("de")]?.title == "Drum 3 läuft")
        try story.tell("Laundry.EndMoved", at: 30, #"{"endsAt":"\#(Story.time(55))"}"#)
        let shown = try story.shown(LaundryAttributes.ContentState.self)
        #expect(shown.endsAt == Story.start.adding(seconds: 55 * 60).date && !shown.isDone)
        let moved = try #require(story.changes.last?.alert)
        #expect(moved.title == "Laundry" && moved.body == "Drum 3 ends at another time.")
        let german = moved.translations[Language("de")]
        #expect(german?.body == "Drum 3 wird zu anderer Zeit fertig.")
        #expect(story.changes.last?.assessment.alertContext.subject == "moved")
        let snapshot = try #require(story.snapshot)
        let card = try ActivityCatalog.tested.presentation(of: snapshot)
        #expect(card.lockScreen.map(\.text) == ["Drum 3", "Done in"])
        try story.tell("Laundry.WashFinished", at: 54)
        #expect(story.alert == Alert(title: "Laundry done", body: "Drum 3 has finished."))
        #expect(story.changes.last?.assessment.alertContext.withdrawnSubjects == ["moved"])
        try story.waitForEver()
        #expect(try story.lifetime()?.isDismissed == true)
    }

    @Test func `the standard catalogue does not know the kind`() throws {
        var story = Story()
        try story.tell("Laundry.WashFinished", at: 0)
        let event = try #require(story.events.first)
        #expect(throws: FoldError.unknownKind("Laundry.WashFinished")) {
            try ActivityCatalog.standard.fold(event, into: nil)
        }
    }
}
