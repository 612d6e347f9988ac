import DatabaseAccess
import Domain
import EventLoop
import EventStore
import Postgres
public import PostgresStore
public import Terminal

/// Connects without changing anything, and has the checks look.
public enum DoctorRun {
    public static func look(_ arguments: Arguments) async throws(CommandFailure) -> [Doctor.Report]
    {
        switch try DatabaseAddress.of(arguments) {
        case .given(let url):
            return try await look(url, arguments.text(Database.visitorOption.name), arguments)
        case .directory(let path):
            if let complaint = DataDirectory(path: path).complaint { throw unseen(complaint) }
            let server: SharedPostgres
            do { server = try await SharedPostgres.start(dataDirectory: path) } catch {
                throw unseen(Database.explanation(of: error))
            }
            let result = await Result { () async throws(CommandFailure) in
                try await look(server.url, DatabaseRoles.visitor, arguments)
                    .map { $0.leading(by: server.psql) }
            }
            await server.leave()
            return try result.get()
        }
    }

    private static func look(
        _ url: String, _ visitor: String?, _ arguments: Arguments
    ) async throws(CommandFailure) -> [Doctor.Report] {
        let loop = EventLoop(name: "doctor")
        let hosts = await SeenHost.look(at: ConnectionString.hosts(of: url), on: loop)
        let answering = hosts.filter { if case .success = $0.facts { true } else { false } }
        let primary = answering.first { (try? $0.facts.get())?.isStandby == false }
        guard let asked = primary ?? answering.first else {
            if hosts.contains(where: \.refuses) {
                return [
                    Doctor.Report(name: "hosts", outcome: .findings(HostsCheck.findings(hosts)))
                ]
            }
            // Nothing else can be asked, so that the hosts are all there is to say.
            for finding in HostsCheck.findings(hosts) {
                Console.note("islet doctor: \(finding.what)")
            }
            throw unseen("no host of the database answers; check --database-url")
        }
        func pool(_ user: String?) -> Pool {
            Pool(
                PoolConfiguration(
                    connection: ConnectionConfiguration(
                        url: asked.host.url, user: user, applicationName: "islet doctor",
                        statementTimeoutMillis: statementMillisMax,
                        lockTimeoutMillis: lockMillisMax, isReadOnly: true),
                    connectionsMax: 1),
                loop: loop)
        }
        let (service, visitors) = (pool(nil), visitor.map { pool($0) })
        var reports = await Doctor.look(
            at: DoctorScene(
                pool: service, visitors: visitors, hosts: hosts, nodes: arguments.integer("nodes"),
                connectionsPerNode: ConnectionPlan(arguments).perNode(hasVisitors: visitor != nil),
                lagSecondsMax: Double(arguments.integer("lag-seconds-max") ?? 30),
                now: WallClock.now))
        if reports.hasSchema {
            let store = EventStore.postgres(pool: service)
            reports.append(await AppsCheck.look(store))
            reports.append(await AppleCheck.look(arguments, store.apps))
        }
        await visitors?.close()
        await service.close()
        return reports + MachineCheck.look(arguments) + [
            CertificateCheck.look(arguments, now: WallClock.now().unixSeconds)
        ]
    }

    private static func unseen(_ why: String) -> CommandFailure {
        Console.note("islet doctor: \(why)")
        return .notSeen
    }

    /// Counting what waits of a large installation takes a while.
    private static let statementMillisMax = 60_000
    /// Reading waits only for somebody who has locked a whole table, whom the check `locks` names.
    private static let lockMillisMax = 1_000
}

extension [Doctor.Report] {
    fileprivate var hasSchema: Bool {
        contains { report in
            guard report.name == "schema", case .fine = report.outcome else { return false }
            return true
        }
    }
}
