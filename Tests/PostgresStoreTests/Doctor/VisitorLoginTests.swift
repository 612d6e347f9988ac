import Domain
import Postgres
import TestSupport
import Testing
@testable import PostgresStore

/// The second login of a deployment, which nothing else of the doctor needs.
struct `A login for what tenants ask that is refused` {
    @Test func `is found with what lets it in, and hides no other check`() async throws {
        let database = try await TestDatabase.make()
        let visitors = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: database.url, user: "nobody_at_all"),
                connectionsMax: 1), loop: TestDatabase.loop)
        let scene = DoctorScene(
            pool: database.pool, visitors: visitors, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 16), lagSecondsMax: 30,
            now: { .timeOfDay })
        let reports = await DatabaseChecks.look(at: scene)
        guard case .findings(let found)? = reports.first(where: { $0.name == "roles" })?.answer
        else {
            Issue.record("it goes unnoticed: \(reports)")
            return
        }
        let refusal = found.first { $0.what.hasPrefix("the user for what tenants ask is not let") }
        #expect(refusal?.what.contains("28000") == true, "\(found)")
        #expect(refusal?.remedy.contains("ALTER ROLE nobody_at_all LOGIN") == true, "\(found)")
        if case .unseen(let why)? = reports.first(where: { $0.name == "connections" })?.answer {
            Issue.record("the arithmetic needs nobody else: \(why)")
        }
        await visitors.close()
    }

    @Test(
        arguments: [
            ("28P01", #"psql -c '\password islet_visitor'"#), ("28000", "pg_hba.conf"),
            ("53300", "--visitor-connections-max"),
        ])
    func `is mended by what was refused about it`(state: String, remedy: String) {
        let finding = RolesCheck.refusal(ServerError(sqlState: state, message: "no"), of: nil)
        #expect(finding.what == "the user for what tenants ask is not let in: \(state) no")
        #expect(finding.remedy.contains(remedy), "\(finding)")
        #expect(!finding.remedy.contains("--database-url"))
    }
}
