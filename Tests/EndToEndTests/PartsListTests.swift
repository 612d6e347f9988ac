import Foundation
import ProjectFiles
import Testing
import TestSupport

/// What `tools/sbom` says of the program that the tests run.
@Suite(.timeLimit(.minutes(2)))
struct `The list of what a program consists of` {
    private struct Document: Decodable {
        struct Component: Decodable {
            var name: String
            var version: String
            var purl: String
        }
        struct Dependency: Decodable {
            var ref: String
            var dependsOn: [String]
        }
        var bomFormat: String
        var specVersion: String
        var components: [Component]
        var dependencies: [Dependency]
    }

    private func list(_ file: String, in directory: ScratchDirectory) async throws -> Data {
        let tool = ProjectFiles.url("tools/sbom").path
        let result = try await IsletProgram.start(
            program: ["python3", tool, IsletProgram.path, directory.file(file)], in: directory
        ).result()
        #expect(result.code == 0, "\(result.errors)")
        return try Data(contentsOf: URL(filePath: directory.file(file)))
    }

    @Test func `names each library with the version that Debian's package has`() async throws {
        try await ScratchDirectory.with { directory in
            let data = try await list("first", in: directory)
            let document = try JSONDecoder().decode(Document.self, from: data)
            #expect(document.bomFormat == "CycloneDX")
            #expect(document.specVersion == "1.5")
            let names = Set(document.components.map(\.name))
            let wanted: Set = ["libpq5", "libssl3", "libnghttp2-14", "libuv1", "libc6", "swift"]
            #expect(wanted.subtracting(names) == [])
            for component in document.components where component.name == "libpq5" {
                let asked = try await IsletProgram.start(
                    program: ["dpkg-query", "--show", "--showformat=${Version}", "libpq5"],
                    in: directory
                ).result()
                #expect(component.version == asked.output)
            }
            let known = Set(document.components.map(\.purl))
            for dependency in document.dependencies {
                #expect(Set(dependency.dependsOn).subtracting(known) == [], "\(dependency.ref)")
            }
            #expect(known.count == document.components.count)
            #expect(try await list("second", in: directory) == data)
        }
    }
}
