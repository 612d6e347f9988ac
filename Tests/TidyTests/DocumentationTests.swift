import Testing

/// The pure modules.
private let modules = ["APNs", "Encodings", "JSON", "DeliveryRules", "Projections", "Domain"]

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

extension SourceFile {
    /// What a kind declares the protocol explains, and its events' fields are in the reference.
    fileprivate var isOfOneKind: Bool {
        path.hasPrefix("Sources/Projections/Activities/")
            && path.split(separator: "/").count > 4
    }
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

@Test(arguments: modules)
func `public symbols of the pure modules are documented`(module: String) throws {
    let files = try SourceTree.swiftFiles().filter {
        !$0.isTest && $0.module == module && !$0.isOfOneKind
    }
    let found = files.flatMap(undocumented)
    #expect(!files.isEmpty)
    #expect(found.isEmpty, "\(found.count): \(found.prefix(20))")
}
