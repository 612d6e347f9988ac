import PostgresStore
import Testing

@testable import Doctor

struct `What this machine gives a node` {
    private let gigabyte: UInt64 = 1 << 30

    @Test(
        arguments: [
            (100, 5, true), (100, 4, false), (20, 2, true), (20, 1, false), (1_000, 6, true),
        ] as [(UInt64, UInt64, Bool)])
    func `has room with five gigabytes, or a tenth of a small disk`(
        all: UInt64, free: UInt64, suffices: Bool
    ) {
        let found = MachineCheck.findings(
            ofDisk: "/data", freeBytes: free * gigabyte, allBytes: all * gigabyte)
        #expect(found.isEmpty == suffices, "\(found)")
    }

    @Test func `says how much is left, what that means, and what takes it up`() throws {
        let found = MachineCheck.findings(
            ofDisk: "/data", freeBytes: gigabyte, allBytes: 100 * gigabyte)
        let finding = try #require(found.first)
        #expect(finding.what == "the disk of /data has 1024 MB left")
        #expect(finding.meaning.contains("503"))
        #expect(finding.remedy.contains("du ") && finding.remedy.contains("/data"))
    }

    @Test func `has files for 8,192 clients and 448 others`() throws {
        #expect(MachineCheck.findings(filesMax: 8_192 + 448).isEmpty)
        let finding = try #require(MachineCheck.findings(filesMax: 8_192 + 447).first)
        #expect(finding.what.contains("8639 files"))
        #expect(finding.remedy.contains("LimitNOFILE") && finding.remedy.contains("--ulimit"))
    }
}

struct `Several findings of one check` {
    private let report = DoctorReport(
        name: "indexes",
        answer: .findings([
            Finding(what: "one", meaning: "slow", remedy: "REINDEX a"),
            Finding(what: "two", meaning: "slower", remedy: "REINDEX b"),
        ]))

    @Test func `each have lines and a remedy of their own`() {
        let lines = DoctorText.text([report]).split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines.filter { $0.hasPrefix("FAULT indexes  ") }.count == 2)
        #expect(lines.last == "        Remedy:   REINDEX b")
    }

    @Test func `need a hand once`() {
        #expect(DoctorVerdict([report]) == .needsAHand)
        #expect(DoctorDocument([report]).checks.map(\.status) == ["findings"])
        #expect(DoctorDocument([]).status == "fine")
    }
}
