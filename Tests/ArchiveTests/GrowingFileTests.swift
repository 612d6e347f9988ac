import Domain
import Foundation
import Glibc
import Testing

@testable import Archive

/// `ledger.ndjson` in a directory. Its limit is for all of the process, and is far from what
/// others write.
@Suite(.timeLimit(.minutes(2)))
struct `A file that grows` {
    private static let name = "ledger.ndjson"
    private static let limit = 1 << 34
    private let place = Place()

    private func add(_ text: String) async throws(ArchiveError) {
        try await ArchiveFiles.with(place.layout()) { (files) async throws(ArchiveError) in
            try await files.prepare()
            try await files.append(Array(text.utf8), toEndOf: Self.name)
        }
    }

    private func length() throws -> Int {
        let path = place.layout().path(of: Self.name)
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
    }

    @Test(arguments: ["", "a\n", "a\nb\n"], ["", #"{"record":"#, "long"])
    func `loses what a crash has left of a line, and nothing else`(
        whole: String, torn: String
    ) async throws {
        try await add("")
        // Longer than what is read at a time.
        let torn = torn == "long" ? String(repeating: "x", count: 5 << 19) : torn
        let path = place.layout().path(of: Self.name)
        try (whole + torn).write(toFile: path, atomically: true, encoding: .utf8)
        try await add("next\n")
        try await add("last\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == whole + "next\nlast\n")
    }

    @Test func `is not waited for without end when another process has it`() async throws {
        try await add("first\n")
        let path = place.layout().path(of: Self.name)
        let other = try FileDescriptor.forAppending(path)
        try other.lock()
        let mine = try FileDescriptor.forAppending(path)
        let error = #expect(throws: ArchiveError.self) { try mine.lock(secondsMax: 0) }
        #expect(error?.description.contains("another process has been writing to it") == true)
        #expect(try length() == 6)
    }

    @Test func `is as it was when the disk takes only a part of what is added`() async throws {
        try await add("first\n")
        let path = place.layout().path(of: Self.name)
        let file = open(path, O_RDWR)
        let end = Self.limit - 20
        #expect(ftruncate(file, end - 1) == 0)
        #expect(pwrite(file, "\n", 1, end - 1) == 1)
        close(file)
        let line = String(repeating: "x", count: 29) + "\n"
        let before = signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var usual = rlimit()
        getrlimit(resource, &usual)
        var small = usual
        small.rlim_cur = rlim_t(Self.limit)
        setrlimit(resource, &small)
        let refused = await Result { () async throws(ArchiveError) in try await add(line) }
        setrlimit(resource, &usual)
        signal(SIGXFSZ, before)
        guard case .failure(.file(path, _)) = refused else {
            Issue.record("it was taken")
            return
        }
        #expect(try length() == end)
        try await add(line)
        #expect(try length() == end + 30)
    }

    @Test func `has whole lines when several write to it at once`() async throws {
        let digits = Array("0123456789")
        await withTaskGroup(of: Void.self) { group in
            for digit in digits {
                group.addTask {
                    let line = String(repeating: digit, count: 1 << 20) + "\n"
                    for _ in 0..<4 {
                        do throws(ArchiveError) { try await add(line) } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
        }
        let path = place.layout().path(of: Self.name)
        let lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 40)
        #expect(lines.allSatisfy { line in line.count == 1 << 20 && Set(line).count == 1 })
    }
}
