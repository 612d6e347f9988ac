import Postgres

/// Whether every table with tenants' rows is walled off, those whose rows they are can still see
/// them, and the role that asks for them is there.
public enum WallsCheck {
    static let check = DoctorCheck("walls", needs: .tables) {
        (scene) async throws(PostgresError) in
        .init(
            findings(try await TenantWalls.look(scene.pool, visitors: scene.visitors)),
            fine: "row-level security protects every table with tenants' rows")
    }

    public static func findings(_ walls: TenantWalls) -> [Finding] {
        // First: without the membership of the owner, what raises walls would do without the role.
        var findings = walls.outsiders.map(Self.finding)
        func add(_ gaps: [TenantWalls.Gap], _ what: String, _ meaning: String, _ remedy: String) {
            guard !gaps.isEmpty else { return }
            findings.append(
                Finding(
                    what: "\(what) \(Finding.listed(gaps.map(\.table)))", meaning: meaning,
                    remedy: remedy))
        }
        let open = walls.gaps.filter(\.isOpen)
        add(
            open, "row-level security does not protect",
            "If a query forgot its tenant, it would show others' rows.", raising(open))
        let hiding = walls.gaps.filter(\.isHiding)
        add(
            hiding, "row-level security hides rows of",
            "Lists are empty or lack something, activities get 404, and events look lost: restore "
                + "no backup before this is repaired.", raising(hiding))
        add(
            walls.gaps.filter(\.isRefused), "tenants' requests lack privileges on",
            "They are answered 500.", raising([]))
        let refused = walls.gaps.filter(\.isRefusedToOwner)
        let owners = Dictionary(grouping: refused, by: \.owner).sorted { $0.key < $1.key }
        for (owner, gaps) in owners {
            add(
                gaps, "\(owner) lacks privileges on its own tables:",
                "Requests are answered 500, and what is in these tables is not folded or sent.",
                granting(gaps.map(\.table).joined(separator: ", "), to: owner))
        }
        if !walls.hasRole {
            findings.append(
                Finding(
                    what: "tenants' questions are asked as the owner of the tables",
                    meaning: "The role islet_tenant is missing, so that only the forced policies "
                        + "keep them apart.",
                    remedy: "have an administrator run Sources/PostgresStore/Roles/roles.sql in "
                        + "this database, then \(raising([]))"))
        }
        return findings
    }

    private static func finding(_ outsider: TenantWalls.Outsider) -> Finding {
        let grant = "GRANT islet_tenant TO \(outsider.name)"
        return Finding(
            what: "\(outsider.name) is no member of islet_tenant",
            meaning: outsider.asksForTenants
                ? "Tenants' requests run as it, and are answered 500."
                : "The next migration of a later version would have tenants' requests run without "
                    + "that role, and they would be answered 500.",
            remedy: "before anything else that this check says, as an administrator: psql -c "
                + grant.inShell)
    }

    /// Of a user who may not even read the migrations. Its remedy gives back what names the other
    /// tables.
    /// - Parameter isStray: that table alone is not the user's.
    static func refusal(
        _ detail: String, owner: String, user: String, isStray: Bool
    ) -> Finding {
        Finding(
            what: "\(user) may not see which version the tables are of: \(detail)",
            meaning: "Requests are answered 500, and no node starts.",
            remedy: isStray
                ? "do what the check roles says of islet_migration"
                : owner == user
                    ? granting("islet_migration, tenant_access", to: owner)
                    : "log in as \(owner), who owns the tables, or have an administrator run "
                        + "Sources/PostgresStore/Roles/roles.sql in this database")
    }

    /// It makes its own policies again, and leaves all others.
    private static func raising(_ gaps: [TenantWalls.Gap]) -> String {
        let dropping = gaps.compactMap(\.dropping)
        let statements =
            (dropping.isEmpty ? [] : ["SET lock_timeout = 900"]) + dropping
            + ["CALL mend_tenant_walls()"]
        return "as the owner of the tables, and again if it says lock timeout: "
            + Finding.psql(statements)
    }

    private static func granting(_ tables: String, to owner: String) -> String {
        "as the owner of the tables: psql -c 'GRANT ALL ON \(tables) TO \(owner)'"
    }
}
