import Testing

// Texts that name something, or are shown, compare by their bytes: docs/decisions/0035.

@Test func `texts of attributes and content states compare by their bytes`() throws {
    // Those of a kind may be beside it.
    let folders = [
        "Sources/IsletActivities/", "Sources/Projections/Activities/", "Tests/SixthKind/",
    ]
    var found = 0
    for file in try SourceTree.swiftFiles()
    where folders.contains(where: { file.path.hasPrefix($0) }) {
        var isInside = false
        for (number, line) in file.code.enumerated() {
            if line.hasPrefix("public struct"), line.contains(": CardAttributes") {
                isInside = true
                found += 1
            } else if line.hasPrefix("}") {
                isInside = false
            }
            if isInside,
                line.contains(/^\s+(?:public )?(?:var|let) \w+: (?:String\??|\[.*String.*)$/)
            {
                Issue.record("\(file.path):\(number + 1) needs @ByBytes: \(line)")
            }
        }
    }
    #expect(found >= 6)
}

@Test func `types of names take equality, hash and order from ByteIdentity`() throws {
    var found = 0
    for file in try SourceTree.swiftFiles() where !file.isTest && file.module == "Domain" {
        for (number, line) in file.code.enumerated() {
            let pattern = /\bstruct (\w+(?:ID|Topic))\b(.*)/
            guard let match = line.firstMatch(of: pattern) else { continue }
            let isNumber = file.lines[number...].prefix(4).contains { $0.contains("Int") }
            guard !isNumber else { continue }
            found += 1
            if !match.2.contains("ByteIdentity") {
                Issue.record("\(file.path):\(number + 1) is not by bytes: \(line)")
            }
        }
    }
    #expect(found >= 2)
}

@Test func `members that name something compare by their bytes`() throws {
    let names: Set = ["installation", "bundleID", "keyID", "teamID", "competition", "source"]
    var found = 0
    for file in try SourceTree.swiftFiles()
    where !file.isTest && ["Domain", "EventStore"].contains(file.module) {
        for (number, line) in file.code.enumerated() {
            guard let match = line.firstMatch(of: /^\s+(@ByBytes )?public var (\w+): String\??$/),
                names.contains(String(match.2))
            else { continue }
            found += 1
            if match.1 == nil {
                Issue.record("\(file.path):\(number + 1) needs @ByBytes: \(line)")
            }
        }
    }
    #expect(found >= 8)
}

@Test func `names are not compared as Swift compares texts`() throws {
    let names = "(?:installation|bundleID|keyID|rawValue|subject|activity)"
    let others = "(?:installation|bundleID|keyID|subject|activityID\\.rawValue)"
    let pattern = try Regex("\\b\(names)\\s*(?:==|!=)\\s*\\w*\\.?\(others)\\b")
    for file in try SourceTree.swiftFiles()
    where !file.isTest || file.path.hasPrefix("Tests/VirtualTime/Memory") {
        for (number, line) in file.code.enumerated()
        where line.contains("==") && line.contains(pattern) {
            Issue.record("\(file.path):\(number + 1): use hasBytes(of:): \(line)")
        }
    }
}
