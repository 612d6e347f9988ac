import DatabaseAccess
import Domain
import EventLoop
import EventStore
import Postgres
public import PostgresStore
public import Terminal

/// Connects without changing anything, and has the checks look.
public enum DoctorRun {
    /// - Parameter foldVersions: of this program, by the kind's name.
    public static func look(
        _ arguments: Arguments, foldVersions: [String: Int]
    ) async throws(CommandFailure) -> [DoctorReport] {
        // Once: it says what is wrong with how a password is given.
        let address = try DatabaseAddress.of(arguments)
        // This machine may be why the database cannot be reached.
        return await look(at: address, arguments, foldVersions) + MachineCheck.look(address)
            + [CertificateCheck.look(arguments, now: WallClock.now().unixSeconds)]
    }

    private static func look(
        at address: DatabaseAddress, _ arguments: Arguments, _ foldVersions: [String: Int]
    ) async -> [DoctorReport] {
        switch address {
        case .given(let url):
            let visitor = arguments.text(Database.visitorOption.name)
            return await look(url, visitor, arguments, foldVersions)
        case .directory(let path):
            if let complaint = DataDirectory(path: path).complaint { return unseen(complaint) }
            let server: SharedPostgres
            do { server = try await SharedPostgres.start(dataDirectory: path) } catch {
                return unseen(Database.explanation(of: error, in: DataDirectory(path: path)))
            }
            let reports = await look(server.url, DatabaseRoles.visitor, arguments, foldVersions)
            await server.leave(log: Log(lowest: .warning))
            return reports.map { $0.leading(by: server.psql) }
        }
    }

    private static func look(
        _ url: String, _ visitor: String?, _ arguments: Arguments, _ foldVersions: [String: Int]
    ) async -> [DoctorReport] {
        let loop = EventLoop(name: "doctor")
        var hosts = await SeenHost.look(at: ConnectionString.hosts(of: url), on: loop)
        guard let asked = hosts.examined else {
            if hosts.contains(where: \.refuses) {
                return [
                    DoctorReport(name: "hosts", answer: .findings(HostsCheck.findings(hosts)))
                ]
            }
            let silent = HostsCheck.findings(hosts).map(\.what).joined(separator: "; ")
            return unseen(
                "no host of the database answers (\(silent)); see whether Postgres runs there, and "
                    + "lets this machine in, before you check --database-url")
        }
        let address = hosts[asked].host.url
        func pool(_ user: String?) -> Pool {
            Pool(
                PoolConfiguration(
                    connection: ConnectionConfiguration(
                        url: address, user: user, applicationName: "islet doctor",
                        statementTimeoutMillis: statementMillisMax,
                        lockTimeoutMillis: lockMillisMax, isReadOnly: true),
                    connectionsMax: 1),
                loop: loop)
        }
        let (service, visitors) = (pool(nil), visitor.map { pool($0) })
        await hosts[asked].compare(with: service)
        if let visitors { await hosts[asked].compare(with: visitors) }
        var reports = await DatabaseChecks.look(
            at: DoctorScene(
                pool: service, visitors: visitors, hosts: hosts, nodes: arguments.integer("nodes"),
                connectionsPerNode: ConnectionPlan(arguments).perNode(hasVisitors: visitor != nil),
                lagSecondsMax: Double(arguments.integer("lag-seconds-max") ?? 30),
                foldVersions: foldVersions, now: WallClock.now))
        if case .fine? = reports.first(where: { $0.name == "schema" })?.answer {
            let store = EventStore.postgres(pool: service)
            reports.append(await AppsCheck.look(store))
            reports.append(await AppleCheck.look(arguments, store.apps))
        }
        await visitors?.close()
        await service.close()
        return reports
    }

    /// Of a database that nothing can be asked.
    private static func unseen(_ why: String) -> [DoctorReport] {
        [DoctorReport(name: "database", answer: .unseen(why))]
    }

    /// Counting what waits of a large installation takes a while.
    private static let statementMillisMax = 60_000
    /// Reading waits only for somebody who has locked a whole table, whom the check `locks` names.
    private static let lockMillisMax = 1_000
}
