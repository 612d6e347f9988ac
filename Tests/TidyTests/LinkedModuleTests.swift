import Foundation
import ProjectFiles
import Testing

/// What apps and backends link: the modules of the libraries in `Package.swift` and those below
/// them. This repository is built on Linux alone, and they have to go with Apple's platforms too.
struct LinkedModuleTests {
    private let modules: [String: Set<String>]

    init() throws {
        let manifest = try ProjectFiles.text("Package.swift")
        // As `linked("IsletClient", ["Encodings", "IsletActivities"]),` says it.
        var below: [String: Set<String>] = [:]
        for match in manifest.matches(of: /\blinked\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?\)/) {
            let names = (match.2 ?? "").matches(of: /"(\w+)"/).map { String($0.1) }
            below[String(match.1)] = Set(names)
        }
        modules = below
        let libraries = manifest.matches(of: /\.library\(name: "(\w+)", targets: \["(\w+)"\]\)/)
        #expect(libraries.count == 2)
        for library in libraries { #expect(below[String(library.2)] != nil, "\(library.2)") }
    }

    /// Flags that warnings are errors, and unsafe flags, are refused where a package comes by URL.
    @Test func `they have no settings that another package's build refuses`() throws {
        let manifest = try ProjectFiles.text("Package.swift")
        for (module, below) in modules {
            for name in below { #expect(modules[name] != nil, "\(module) takes \(name)") }
        }
        let settings = try #require(
            manifest.firstMatch(of: /let explicit: \[SwiftSetting\] = \[([^\]]*)\]/)?.1)
        #expect(settings.contains(".enableUpcomingFeature"))
        let each = settings.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        for line in each { #expect(line.contains(".enableUpcomingFeature("), "\(line)") }
        let maker = try #require(manifest.firstMatch(of: /func linked\([\s\S]*?\n}/)?.0)
        #expect(maker.contains("swiftSettings: explicit)"))
    }

    @Test func `they import Foundation and each other, and the rest where it can be imported`()
        throws
    {
        let common = Set(modules.keys).union(["Foundation"])
        var found: Set<String> = []
        for file in try SourceTree.swiftFiles() where !file.isTest && modules[file.module] != nil {
            found.insert(file.module)
            var conditions: [String] = []
            for (number, line) in file.code.enumerated() {
                let line = line.trimmingCharacters(in: .whitespaces)
                let place = "\(file.path):\(number + 1)"
                if line.hasPrefix("#if ") {
                    conditions.append(line)
                } else if line.hasPrefix("#else") {
                    conditions[conditions.count - 1] = line
                } else if line.hasPrefix("#endif") {
                    conditions.removeLast()
                }
                let pattern = /^(?:@\w+ )?(?:public |internal |package )?import (\w+)/
                guard let name = line.firstMatch(of: pattern)?.1 else { continue }
                let isThere =
                    common.contains(String(name))
                    || conditions.contains { $0.contains("canImport(") }
                #expect(isThere, "\(place) imports \(name)")
            }
        }
        #expect(found == Set(modules.keys))
    }
}
