import Foundation
import ProjectFiles
import Testing

private let pureModules: Set = [
    "IsletActivities", "JSON", "Domain", "Projections", "APNs", "DeliveryRules",
]

@Test func `lines are at most 100 columns wide`() throws {
    for file in try SourceTree.swiftFiles() {
        for (number, line) in file.lines.enumerated() where line.count > 100 {
            Issue.record("\(file.path):\(number + 1) has \(line.count) columns")
        }
    }
}

@Test func `files have at most 400 lines`() throws {
    let files = try SourceTree.swiftFiles()
    #expect(files.count > 50)
    for file in files {
        #expect(file.lines.count <= 400, "\(file.path) has \(file.lines.count) lines")
    }
}

@Test func `functions have at most 70 lines`() throws {
    for file in try SourceTree.swiftFiles() {
        for function in functions(in: file) where function.lines > 70 {
            Issue.record("\(file.path):\(function.start) has \(function.lines) lines")
        }
    }
}

/// Functions as the formatter lays them out: from `func` or `init` to the line that closes at the
/// same indentation. What a protocol requires has no body and ends with its head.
private func functions(in file: SourceFile) -> [(start: Int, lines: Int)] {
    var found: [(start: Int, lines: Int)] = []
    for (index, line) in file.lines.enumerated() {
        guard line.contains("func ") || line.contains("init") else { continue }
        let indentation = line.prefix { $0 == " " }
        let isFunction = line.contains(/^\s*(?:[@\w()]+ )*(?:func [^ ]|init[(?<])/)
        guard isFunction, !line.hasSuffix("}") else { continue }
        var hasBody = line.hasSuffix("{")
        for (offset, later) in file.lines[index...].enumerated().dropFirst() {
            if !hasBody, later.isEmpty || later.hasPrefix(indentation + "///") { break }
            hasBody = hasBody || later.hasSuffix("{")
            guard later.hasPrefix(indentation + "}") else { continue }
            found.append((start: index + 1, lines: offset + 1))
            break
        }
    }
    return found
}

@Test func `pure modules have no clock, no chance, no tasks and no output`() throws {
    let banned: [(word: String, pattern: Regex<Substring>)] = [
        ("Date()", /\bDate\(\)/), ("Date.now", /\bDate\.now\b/), ("UUID()", /\bUUID\(\)/),
        (".random", /\.random\b/), ("randomElement", /\brandomElement\b/), ("Task", /\bTask\b/),
        ("print(", /\bprint\(/), ("ContinuousClock", /\bContinuousClock\b/),
        ("ProcessInfo", /\bProcessInfo\b/), ("FileManager", /\bFileManager\b/),
    ]
    for file in try SourceTree.swiftFiles()
    where !file.isTest && pureModules.contains(file.module) {
        for (number, line) in file.code.enumerated() {
            for (word, pattern) in banned where line.contains(word) && line.contains(pattern) {
                Issue.record("\(file.path):\(number + 1) is not pure: \(line)")
            }
        }
    }
}

@Test func `sources never force, and say which lock an unchecked Sendable relies on`() throws {
    for file in try SourceTree.swiftFiles() where !file.isTest {
        let code = file.code
        for (number, line) in code.enumerated() {
            let place = "\(file.path):\(number + 1)"
            if line.contains("!") {
                #expect(!line.contains(/\btry!|\bas!/), "\(place) forces")
            }
            if line.contains("@unchecked Sendable") {
                let around = file.lines[max(0, number - 12)...number].joined(separator: "\n")
                let isExplained = around.contains(/lock|Lock|loop|immutable|read-only|thread/)
                #expect(isExplained, "\(place) does not say what protects it")
            }
        }
    }
}

@Test func `no module is a drawer for everything`() throws {
    let names = Set(try SourceTree.swiftFiles().map(\.module))
    #expect(names.isDisjoint(with: ["Utils", "Helpers", "Common", "Core"]))
}

@Test func `test names are sentences`() throws {
    for file in try SourceTree.swiftFiles() where file.isTest {
        for (number, line) in file.lines.enumerated()
        where line.contains("@Test") && line.contains(/@Test\b.*\bfunc [A-Za-z_]/) {
            Issue.record("\(file.path):\(number + 1) has a test whose name is no sentence")
        }
    }
}

@Test func `images are pinned by a digest`() throws {
    let image = /(?:image:|_IMAGE=|FROM )\s*(.+)/
    for path in ["Dockerfile", "docker-compose.yml"] {
        let images = try ProjectFiles.text(path).split(separator: "\n")
            .compactMap { $0.firstMatch(of: image)?.1 }
            .filter { !$0.hasPrefix("${BUILD_IMAGE}") && !$0.hasPrefix("${RUN_IMAGE}") }
        #expect(!images.isEmpty)
        for image in images {
            #expect(image.contains(/@sha256:[0-9a-f]{64}/), "\(path) names \(image) without one")
        }
    }
}
