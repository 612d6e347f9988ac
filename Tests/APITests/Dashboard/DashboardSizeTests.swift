import Compression
import Foundation
import ProjectFiles
import Testing

@testable import API

/// What comes over the wire before a board is drawn, packed as browsers ask for it.
@Test func `the dashboard's first page takes 40 KB at most, and all of it 80 KB`() async throws {
    let api = await Harness()
    let later: Set = [
        "activity.js", "charts.js", "details.js", "form.js", "history.js", "office-lists.js",
        "office.js", "policies.js", "policy-editor.js", "texts.de.js", "what-if.js",
    ]
    var (first, all) = (0, 0)
    for name in Assets.shipped.dashboard.keys {
        let bytes = try await api.get("/dashboard/\(name)", key: nil).bytes
        let packed = try #require(Gzip.packed(bytes)).count
        all += packed
        if !later.contains(name) { first += packed }
    }
    #expect(first <= 40_000, "\(first)")
    #expect(all <= 80_000, "\(all)")
}

@Test func `browsers get no comments, and every other line where it is in the source`() async throws
{
    let api = await Harness()
    for name in Assets.shipped.dashboard.keys
    where name.hasSuffix(".css") || name.hasSuffix(".js") {
        let file = ProjectFiles.url("Sources/API/Assets/dashboard/\(name)")
        let source = lines(try String(contentsOf: file, encoding: .utf8))
        let served = lines(try await api.get("/dashboard/\(name)", key: nil).text)
        try #require(served.count == source.count, "\(name)")
        for (served, source) in zip(served, source) {
            let text = source.drop { $0 == " " }
            let isComment =
                text.hasPrefix("//") || text.hasPrefix("/*") || text.hasSuffix("*/")
                || source.hasPrefix(" ") && text.hasPrefix("*")
            #expect(served == (isComment ? "" : source), "\(name)")
        }
    }
}

private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
}

/// The German texts are there in full.
@Test func `every text has a German one`() async throws {
    let api = await Harness()
    func keys(_ name: String) async throws -> Set<String> {
        let text = try await api.get("/dashboard/\(name)", key: nil).text
        return Set(text.matches(of: /[\n ,]"?([a-zA-Z_-]+)"?: (?:"|\(|`)/).map { String($0.1) })
    }
    let (english, german) = (try await keys("texts.en.js"), try await keys("texts.de.js"))
    #expect(english.count > 100)
    #expect(english.symmetricDifference(german) == [])
}
