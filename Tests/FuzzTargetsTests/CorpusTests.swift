import Foundation
import FuzzTargets
import ProjectFiles
import Testing

/// Seeds, and each input that ever ended badly.
private let corpus = ProjectFiles.url("Tests/FuzzParsers/Corpus")

@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `a parser answers every input of its corpus`(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            target.tryOne(bytes)
            // Cut short, as a connection or a disk may leave it.
            for count in Set([0, 1, bytes.count / 2, max(0, bytes.count - 1)]) {
                target.tryOne(Array(bytes.prefix(count)))
            }
        }
    }

    @Test func `every folder of the corpus belongs to a parser`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
