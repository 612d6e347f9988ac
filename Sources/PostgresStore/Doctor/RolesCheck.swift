import Postgres

/// Whether the tables are one user's, and users may do no more than they must.
public enum RolesCheck {
    static let check = DoctorCheck("roles") { (scene) async throws(PostgresError) in
        var findings = findings(try await read(scene.pool), isVisitor: false)
        findings += Self.findings(try await StrayObject.look(scene.pool))
        if let walled = try await WalledUser.look(scene.pool) {
            findings += Self.findings(walled)
        }
        if let visitors = scene.visitors {
            do throws(PostgresError) {
                findings += Self.findings(try await read(visitors), isVisitor: true)
            } catch .notAdmitted(let serverError) {
                findings.append(refusal(serverError, of: visitors.configuration.connection.user))
            }
        }
        findings += Self.findings(try await SpareRights.look(scene.pool))
        return .init(
            findings, fine: "the tables have one owner, and nobody may do more than is needed")
    }

    public struct Role: Hashable, Sendable {
        public var name: String
        public var isSuperuser: Bool
        public var passesWalls: Bool
        public var makesRoles: Bool
    }

    public static func findings(_ role: Role, isVisitor: Bool) -> [Finding] {
        var powers: [String] = []
        if role.isSuperuser { powers.append("SUPERUSER") }
        if role.passesWalls, !role.isSuperuser { powers.append("BYPASSRLS") }
        if isVisitor, role.makesRoles, !role.isSuperuser { powers.append("CREATEROLE") }
        guard !powers.isEmpty else { return [] }
        return [
            Finding(
                what: "the user \(role.name) has \(powers.joined(separator: " and "))",
                meaning:
                    "A mistake in one query could show or change what belongs to others, or to "
                    + "the whole server.",
                remedy: "have an administrator run Sources/PostgresStore/Roles/roles.sql in this "
                    + "database, and log in as \(isVisitor ? "islet_visitor" : "islet_service")")
        ]
    }

    /// - Parameter user: who logs in for what tenants ask; nil for the URL's.
    static func refusal(_ serverError: ServerError, of user: String?) -> Finding {
        Finding(
            what: "the user for what tenants ask is not let in: \(serverError.sqlState) "
                + serverError.message,
            meaning: "Reads and registrations are answered 503. Events are recorded, folded and "
                + "sent to the phones that there are.",
            remedy: remedy(
                ofVisitor: user ?? DatabaseRoles.visitor, refusedWith: serverError.sqlState))
    }

    /// What lets the user of `--database-visitor` in.
    public static func remedy(ofVisitor user: String, refusedWith state: String) -> String {
        switch state {
        case SQLState.invalidPassword:
            "give \(user) the password that PGPASSFILE or the URL has for it, as an administrator "
                + "with psql -c \("\\password \(user)".inShell), or correct it there"
        case SQLState.tooManyConnections:
            "end sessions of \(user) that are not needed, give it a higher CONNECTION LIMIT, or "
                + "let each node open fewer (--visitor-connections-max)"
        default:
            "see that --database-visitor names a user that roles.sql has made, that it may log in "
                + "(psql -c \("ALTER ROLE \(user) LOGIN".inShell)), and that pg_hba.conf lets it "
                + "in from this machine"
        }
    }

    public static func findings(_ rights: SpareRights) -> [Finding] {
        var findings: [Finding] = []
        var makes: [String] = []
        if rights.makesTemporaryTables { makes.append("temporary tables in the database") }
        if rights.makesObjects { makes.append("anything in the tables' schema") }
        if !makes.isEmpty {
            findings.append(
                Finding(
                    what: "the users for tenants' questions may make "
                        + makes.joined(separator: ", and "),
                    meaning: "What they lay there under the right name, Islet's statements may "
                        + "find instead of their own.",
                    remedy: "have an administrator run Sources/PostgresStore/Roles/roles.sql in "
                        + "this database again"))
        }
        func add(_ definers: [SpareRights.Definer], _ what: String, _ remedy: (String) -> String) {
            guard !definers.isEmpty else { return }
            let names = definers.map(\.routine).joined(separator: ", ")
            let closing = definers.map(\.closing).joined(separator: "; ").inShell
            findings.append(
                Finding(
                    what: "\(what) \(names)",
                    meaning: "It works with its owner's rights, for all who may execute it.",
                    remedy: remedy("psql -c \(closing)")))
        }
        add(
            rights.definers.filter(\.isOwn), "not only the owner of the tables may execute"
        ) { "as the owner of the tables: \($0)" }
        add(
            rights.definers.filter { !$0.isOwn },
            "others may execute what is SECURITY DEFINER and not Islet's:"
        ) { "see what it is, and drop it if nobody needs it; or as an administrator: \($0)" }
        return findings
    }

    /// One for each user who owns what should be another's.
    static func findings(_ strays: [StrayObject]) -> [Finding] {
        Dictionary(grouping: strays, by: \.owner).sorted { $0.key < $1.key }.map { owner, strays in
            let rightful = strays[0].rightfulOwner
            let hasTable = strays.contains { $0.kind == .table }
            return Finding(
                what: "\(owner) owns \(Finding.listed(strays.map(\.name))), and \(rightful) the "
                    + "rest",
                meaning: hasTable
                    ? "\(rightful) may not use these tables, or is shown no rows of them: requests "
                        + "are answered 500, and nothing is folded or sent. Events look lost: "
                        + "restore no backup before this is repaired."
                    : "No later version can change them, and what works as their owner may lack "
                        + "rights.",
                remedy: "as an administrator, and again if it says lock timeout: "
                    + Finding.psql(["SET lock_timeout = 900"] + strays.map(\.returning)))
        }
    }

    /// Where the user owns the other tables, the finding about the stray one says what to do.
    static func findings(_ walled: WalledUser) -> [Finding] {
        guard !walled.isOwner else { return [] }
        return [
            Finding(
                what: "row-level security hides the tenants' rows from the user \(walled.name)",
                meaning: "Lists are empty, and what the other checks do not find may be there.",
                remedy: "log in as \(walled.owner), who owns the tables")
        ]
    }

    private static func read(_ pool: Pool) async throws(PostgresError) -> Role {
        let row = try await pool.query(
            """
            SELECT rolname::text, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles
            WHERE rolname = session_user
            """
        ).row(with: "rolname")
        return Role(
            name: try row.get(0), isSuperuser: try row.get(1), passesWalls: try row.get(2),
            makesRoles: try row.get(3))
    }
}
