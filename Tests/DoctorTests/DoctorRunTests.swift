import AppKeys
import DatabaseAccess
import Domain
import EventStore
import PostgresStore
import TLS
import Terminal
import Testing

@testable import Doctor

private func arguments(_ words: String...) throws(CommandFailure) -> Arguments {
    let command = Command(
        path: ["doctor"], summary: "Look.",
        options: DatabaseAddress.options + APNsSetup.options + [CertificateCheck.option],
        examples: []
    ) { _ async throws(CommandFailure) in }
    return try Arguments(words, for: command, environment: [:])
}

/// A store that has keys of apps, or not even these.
private struct KeysAlone: AppStore {
    var records: Result<[AppKeyRecord], EventStoreError> = .success([])

    func keys() throws(EventStoreError) -> [AppKeyRecord] { try records.get() }

    func add(_: NewAppKey, _: AppKeyRules.Intent) -> AppKeyRules.Refusal? { nil }

    func remove(_: TenantID, _: String, _: String?) -> Int { 0 }

    func reseal(_: AppKeyRecord, _: [UInt8], _: String) -> Bool { false }

    func alarms() -> [AppAlarm] { [] }

    func raise(_: AppAlarm) {}

    func clear(_: TenantApp) {}

    func clearIdle(_: [AppAlarm]) -> [AppAlarm] { [] }

    func deferred() -> [DeferredPhones] { [] }

    func deferredBy(_: TenantID, _: ActivityID) -> [DeferredPhones] { [] }

    func release(_: TenantApp) {}
}

struct `The certificate that servers show` {
    private let daySeconds: Int64 = 86_400

    private func outcome(_ pem: String, at now: (_ end: Int64) -> Int64) throws -> (
        outcome: DoctorCheck.Answer, file: String
    ) {
        let directory = try PrivateDirectory("islet-certificate-test")
        defer { directory.remove() }
        let file = directory.file("certificate.pem")
        try SecretFile.write(pem, to: file)
        let end = (try? TLSContext.certificateEnd(chainPEM: pem)) ?? 0
        let report = CertificateCheck.look(
            try arguments("--tls-certificate", file), now: now(end))
        #expect(report.name == "certificate")
        return (report.answer, file)
    }

    @Test func `is looked at only where its file is named`() throws {
        #expect(
            CertificateCheck.look(try arguments(), now: 0).answer
                == .fine("not looked at: --tls-certificate is not given"))
    }

    @Test func `says itself when it ends`() throws {
        let pem = try SelfSignedAuthority.make(hosts: ["127.0.0.1"]).certificatePEM
        let early = try outcome(pem) { $0 - 20 * daySeconds }
        #expect(early.outcome == .fine("ends in 20 days"))
        let soon = try outcome(pem) { $0 - 13 * daySeconds }
        guard case .findings(let found) = soon.outcome else {
            Issue.record("\(soon)")
            return
        }
        let ends = "the certificate in \(soon.file) ends in 13 days ("
        #expect(found.count == 1)
        #expect(found.first?.what.hasPrefix(ends) == true, "\(found)")
    }

    @Test func `is not seen where its file is missing, or holds something else`() throws {
        let missing = try arguments("--tls-certificate", "/nowhere.pem")
        #expect(
            CertificateCheck.look(missing, now: 0).answer
                == .unseen("--tls-certificate: /nowhere.pem does not exist"))
        let other = try outcome("nothing") { $0 }
        guard case .unseen(let why) = other.outcome else {
            Issue.record("\(other)")
            return
        }
        #expect(why.hasPrefix("\(other.file) is no certificate: "), "\(why)")
    }
}

struct `What is asked of APNs` {
    private func findings(_ report: DoctorReport) -> [Finding] {
        guard case .findings(let found) = report.answer else {
            Issue.record("\(report)")
            return []
        }
        return found
    }

    @Test func `is nothing without a way to a key`() async throws {
        let report = await AppleCheck.look(try arguments(), KeysAlone())
        #expect(report.name == "APNs")
        #expect(
            report.answer
                == .fine("not asked: neither --master-key-file nor --apns-key-file is given"))
    }

    @Test func `is nothing where a server would not start either`() async throws {
        let report = await AppleCheck.look(
            try arguments("--apns-url", "http://127.0.0.1"), KeysAlone())
        let found = findings(report)
        #expect(found.map(\.what) == ["--apns-url must look like https://host:port"])
        #expect(found.map(\.meaning) == ["A server with these options does not start."])
    }

    @Test func `is nothing of a key that the master key does not open, which is said`() async throws
    {
        let directory = try PrivateDirectory("islet-apple-test")
        defer { directory.remove() }
        let file = directory.file("master.key")
        try SecretFile.write(String(repeating: "ab", count: 32), to: file)
        let opening = try arguments("--master-key-file", file)
        #expect(
            await AppleCheck.look(opening, KeysAlone()).answer == .fine("there is no key yet"))
        let lost = KeysAlone(records: .failure(.unavailable(detail: "no primary")))
        #expect(await AppleCheck.look(opening, lost).answer == .unseen("no primary"))
        let record = AppKeyRecord(
            id: 1,
            identity: AppKeyIdentity(
                tenant: TenantID(rawValue: 1), bundleID: "com.example", teamID: "TEAM000001",
                keyID: "KEY0000001", scope: .production),
            sealed: [1, 2, 3], masterKeyID: "another", addedAt: Moment(unixSeconds: 0))
        let found = findings(
            await AppleCheck.look(opening, KeysAlone(records: .success([record]))))
        #expect(
            found.map(\.what) == [
                "the key KEY0000001 in production cannot be opened with --master-key-file"
            ])
        #expect(found.first?.remedy.contains("islet apps rotate") == true)
    }

    @Test func `is asked in each environment, and no answer is named with whom to look after`()
        async throws
    {
        let directory = try PrivateDirectory("islet-apple-test")
        defer { directory.remove() }
        let file = directory.file("AuthKey.p8")
        try SecretFile.write(ES256PrivateKey.generate().pem, to: file)
        let report = await AppleCheck.look(
            try arguments(
                "--apns-key-file", file, "--apns-key-id", "KEY0000001", "--apns-team-id",
                "TEAM000001", "--apns-url", "https://127.0.0.1:1"), KeysAlone())
        let found = findings(report)
        for environment in APNsEnvironment.allCases {
            let silent = "APNs does not answer for the key KEY0000001 in \(environment.rawValue): "
            #expect(found.contains { $0.what.hasPrefix(silent) }, "\(found)")
        }
        #expect(
            Set(found.map(\.remedy)) == [
                "see that https://127.0.0.1:1 runs, or leave out --apns-url to ask Apple"
            ])
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A doctor without a database` {
    @Test func `names the hosts that do not answer, and looks at this machine`() async throws {
        let reports = try await DoctorRun.look(
            try arguments("--database-url", "postgresql://127.0.0.1:1,127.0.0.1:2/none"),
            foldVersions: [:])
        #expect(reports.map(\.name) == ["database", "open files", "certificate"])
        guard case .unseen(let why)? = reports.first?.answer else {
            Issue.record("\(reports)")
            return
        }
        #expect(why.hasPrefix("no host of the database answers ("), "\(why)")
        for host in ["127.0.0.1:1", "127.0.0.1:2"] {
            #expect(why.contains("\(host) does not answer: "), "\(why)")
        }
        #expect(DoctorVerdict(Array(reports.prefix(1))) == .notSeen)
    }

    @Test func `says that a directory has none, and looks at its disk`() async throws {
        let directory = try PrivateDirectory("islet-doctor-test")
        defer { directory.remove() }
        let path = directory.file("data")
        let reports = try await DoctorRun.look(
            try arguments("--data-dir", path), foldVersions: [:])
        #expect(reports.map(\.name) == ["database", "disk", "open files", "certificate"])
        #expect(
            reports.first?.answer
                == .unseen(
                    "there is no database in \(path); islet serve --data-dir \(path) makes one"))
        // Nobody can say how full the disk of a directory is that is not there.
        guard reports.count > 1, case .unseen(let why) = reports[1].answer else {
            Issue.record("\(reports)")
            return
        }
        #expect(why == "\(path): No such file or directory")
    }

    @Test func `looks at one database`() async {
        await #expect(
            throws: CommandFailure.usage(
                "--database-url and --data-dir are two databases; give one of them")
        ) {
            try await DoctorRun.look(
                try arguments("--database-url", "postgresql:///a", "--data-dir", "b"),
                foldVersions: [:])
        }
    }
}
