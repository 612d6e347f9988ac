import Foundation
import ProjectFiles
import Projections
import Testing

/// Clients made from the OpenAPI document refuse a kind that one of its lists lacks.
struct KindListTests {
    private static let file = ProjectFiles.url("Sources/API/Assets/openapi.json")

    @Test func `each list of kinds in the document has all of the catalogue's`() throws {
        let kinds = ActivityCatalog.standard.kinds.map { $0.name }
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        // In enums, in the pattern of a list, and in a sentence.
        let lists = text.matches(of: /PizzaDelivery(",\s+"|\||, )Match(?:\1\w+)*/)
        #expect(Set(lists.map { $0.1.filter { !$0.isWhitespace } }) == ["\",\"", "|", ","])
        var derived = ""
        var end = text.startIndex
        for list in lists {
            derived += text[end..<list.range.lowerBound]
            end = list.range.upperBound
            let whole = kinds.joined(separator: String(list.1))
            derived += whole
            guard list.0 != whole, !Derived.isWritten else { continue }
            let line = derived.split(separator: "\n", omittingEmptySubsequences: false).count
            Issue.record("openapi.json lists other kinds near line \(line): run `make docs`")
        }
        derived += text[end...]
        if Derived.isWritten { try Data(derived.utf8).write(to: Self.file) }
    }
}
