import Testing

/// How many public declarations of each pure module still lack a documentation comment. A figure
/// only ever falls; at zero it stays there.
private let ceilings = [
    "APNs": 0, "Encodings": 0, "JSON": 0, "PushDispatch": 0, "Projections": 122, "Domain": 0,
]

/// What its type's members or a protocol's own documentation explain.
private let explained: Set<Substring> = [
    "init", "description", "customMirror", "codingKey", "encode", "hash", "write",
]

private let keywords: Set<Substring> = [
    "struct", "enum", "actor", "class", "protocol", "func", "var", "let", "init", "subscript",
    "typealias",
]

/// The name that a line declares publicly, `init` for one of those; nil for other lines.
private func publicName(in line: String) -> Substring? {
    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "/" }
    guard let start = words.firstIndex(of: "public"),
        words[..<start].allSatisfy({ $0.first != "/" }),
        let keyword = words[start...].dropFirst().firstIndex(where: keywords.contains)
    else { return nil }
    // `class` may be a modifier, too, but nothing here is overridden.
    guard words[keyword] != "init" else { return "init" }
    return keyword + 1 < words.count ? words[keyword + 1] : words[keyword]
}

/// As `path:line`.
private func undocumented(in file: SourceFile) -> [String] {
    file.lines.indices.compactMap { index in
        let line = file.lines[index]
        // Matching every line would take most of the tests' time.
        guard line.contains("public "), let name = publicName(in: line),
            !explained.contains(name), !line.contains(/func [=<]/)
        else { return nil }
        let above = file.lines[..<index].last {
            !$0.drop(while: { $0 == " " }).hasPrefix("@")
        }
        let isDocumented = above?.drop(while: { $0 == " " }).hasPrefix("///") == true
        return isDocumented ? nil : "\(file.path):\(index + 1)"
    }
}

@Test(arguments: ceilings.sorted { $0.key < $1.key })
func `public symbols of the pure modules are documented`(module: String, most: Int) throws {
    let files = try SourceTree.swiftFiles().filter { !$0.isTest && $0.module == module }
    let found = files.flatMap(undocumented)
    #expect(!files.isEmpty)
    #expect(found.count <= most, "\(found.count): \(found.prefix(20))")
}
