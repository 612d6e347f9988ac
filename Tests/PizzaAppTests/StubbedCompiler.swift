import Foundation
import ProjectFiles
import Testing

/// The compiler, with just as much of ActivityKit, WidgetKit and SwiftUI as the sample uses: so a
/// machine without Xcode sees that a changed type breaks an app.
struct StubbedCompiler {
    private static let flags = [
        "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-package-name", "islet",
        "-enable-upcoming-feature", "ExistentialAny",
        "-enable-upcoming-feature", "InternalImportsByDefault",
        "-enable-upcoming-feature", "MemberImportVisibility",
    ]

    /// What `Package.swift` sets beyond that, and an app does not.
    private static let ofPackage = [
        "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
    ]

    /// Where the compiled modules are.
    private let modules: URL

    /// Compiles the stubs and what an app links, and removes them afterwards.
    static func with(_ body: (StubbedCompiler) throws -> Void) throws {
        let modules = FileManager.default.temporaryDirectory
            .appending(path: "islet-stubs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: modules) }
        let compiler = StubbedCompiler(modules: modules)
        for stub in ["ActivityKit", "SwiftUI", "WidgetKit"] {
            try compiler.emit(
                stub, [ProjectFiles.url("Tests/PizzaAppTests/Stubs/\(stub).swift")])
        }
        for module in ["IsletActivities", "Encodings", "IsletClient"] {
            try compiler.emit(module, try files(below: "Sources/\(module)"), ofPackage)
        }
        try body(compiler)
    }

    /// All Swift files in a folder of the project.
    static func files(below folder: String) throws -> [URL] {
        let base = ProjectFiles.url(folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted()
            .map { base.appending(path: $0) }
    }

    /// - Returns: what the compiler has against it; empty when all is well.
    func complaints(about files: [URL], as module: String) throws -> String {
        // `-typecheck` ends before data races are looked for.
        try run(["-module-name", module, "-wmo", "-emit-sil", "-o", "/dev/null"], files)
    }

    private func emit(_ module: String, _ files: [URL], _ features: [String] = []) throws {
        let complaints = try run(
            features + [
                "-module-name", module, "-wmo", "-emit-sil", "-o", "/dev/null",
                "-emit-module", "-emit-module-path",
                modules.appending(path: "\(module).swiftmodule").path,
            ], files)
        try #require(complaints.isEmpty, "\(complaints)")
    }

    private func run(_ arguments: [String], _ files: [URL]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["swiftc", "-I", modules.path] + Self.flags + arguments + files.map(\.path)
        let output = modules.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let text = try String(contentsOf: output, encoding: .utf8)
        return process.terminationStatus == 0
            ? text : text + "\nends with \(process.terminationStatus)"
    }
}
