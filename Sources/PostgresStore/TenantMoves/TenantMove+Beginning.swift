import Domain
import EventStore
import Postgres

extension TenantMove {
    /// Looks whether the tenant can move at all, and writes down that it does.
    func begin(_ name: String, _ ends: MoveEnds) async throws(Failure) -> MoveCourse {
        let cell = try await checkedCell(ends)
        if let known = try await ends.move(name) {
            guard known.state != .arriving else {
                throw .refused(
                    "tenant \"\(name)\" is arriving here: end the move that brings it first")
            }
            guard known.cell == cell else {
                throw .refused(
                    "tenant \"\(name)\" is moving to cell \(known.cell), not to \(cell): end that "
                        + "move, or cancel it, first")
            }
            try await ends.becomeMover(of: known.tenant)
            return known
        }
        let found = try await ends.ask(
            .source, "SELECT id FROM tenant WHERE name = $1", [.text(name)])
        guard let row = found.first else { throw try await absent(name, ends) }
        let id = try await asking(try row.tenant(0))
        try await ends.becomeMover(of: id)
        try await check(id, name, ends)
        _ = try await ends.ask(
            .source,
            """
            INSERT INTO tenant_move (tenant, name, move, state, cell)
            VALUES ($1, $2, gen_random_uuid()::text, 'leaving', $3)
            """, [.tenant(id), .text(name), .text(cell)])
        guard let course = try await ends.move(name) else {
            throw .refused("tenant \"\(name)\" was removed meanwhile")
        }
        try await reached(.begun)
        return course
    }

    /// The name of the target's cell.
    private func checkedCell(_ ends: MoveEnds) async throws(Failure) -> String {
        try await ends.requireTwoDatabases()
        for end in [MoveEnds.End.source, .target] {
            let hold: String? = try await ends.value(end, "SELECT log_hold()")
            if let hold {
                throw .refused(
                    "the \(end == .source ? "database" : "target's database") is held (\(hold)): "
                        + "see islet restore status there")
            }
        }
        guard try await ends.haveSameTables() else {
            throw .refused(
                "the two databases have tables of other versions: bring both up to date with "
                    + "islet migrate")
        }
        let cell: String? = try await ends.value(.target, "SELECT name FROM cell WHERE is_here")
        guard let cell else {
            throw .refused(
                "the target's database has no cell's name: give it one there, with islet cells set "
                    + "NAME --here --number N")
        }
        let own: String? = try await ends.value(.source, "SELECT name FROM cell WHERE is_here")
        guard let own, own != cell else {
            throw .refused(
                "the two databases need cells' names that differ: name this one with islet cells "
                    + "set NAME --here")
        }
        return cell
    }

    private func absent(_ name: String, _ ends: MoveEnds) async throws(Failure) -> Failure {
        let cell: String? = try await ends.value(
            .source, "SELECT cell FROM departed_tenant WHERE name = $1", [.text(name)])
        if let cell { return .refused("tenant \"\(name)\" is in cell \(cell) already") }
        return .unknownTenant
    }

    private func check(
        _ id: TenantID, _ name: String, _ ends: MoveEnds
    ) async throws(Failure) {
        let taken: String? = try await ends.value(
            .target,
            """
            SELECT t.name FROM tenant t
            WHERE (t.id = $1 OR t.name = $2)
                AND NOT EXISTS (SELECT FROM tenant_move m WHERE m.tenant = t.id)
            """, [.tenant(id), .text(name)])
        if let taken {
            throw .refused(
                taken == name
                    ? "the target has a tenant \"\(name)\" of its own"
                    : "the target has a tenant with the id \(id.rawValue), \"\(taken)\": give each "
                        + "cell a number, with islet cells set NAME --here --number N, before it "
                        + "has tenants")
        }
        let isRebuilding: Bool? = try await ends.value(
            .source, "SELECT EXISTS (SELECT FROM projection_rebuild WHERE tenant = $1)",
            [.tenant(id)])
        if isRebuilding == true {
            throw .refused("tenant \"\(name)\" is being rebuilt: let that end, or cancel it")
        }
        try await requireKeysThatFit(id, ends)
    }

    /// What the tenant brings is of use to the target's nodes.
    func requireKeysThatFit(_ tenant: TenantID, _ ends: MoveEnds) async throws(Failure) {
        try await requireOneTeam(tenant, ends)
        try await requireOneMasterKey(tenant, ends)
    }

    /// A cell's nodes do not start while there is something sealed that their file does not open.
    /// What the file has only its nodes know; what is sealed already they have opened. A part of
    /// the tenant may be there from before.
    private func requireOneMasterKey(
        _ tenant: TenantID, _ ends: MoveEnds
    ) async throws(Failure) {
        let present = try await ends.masterKeys(.target, butOf: tenant)
        let brought = try await ends.masterKeys(.source, of: tenant)
        guard !present.isEmpty, let strange = brought.first(where: { !present.contains($0) })
        else { return }
        throw .refused(
            "the tenant's keys of apps, or its webhooks' secrets, are sealed with the master key "
                + "\(strange), and in the target nothing is: put the first line of the target's "
                + "--master-key-file first into this cell's too, above its own, send SIGHUP to "
                + "this cell's nodes, run islet apps rewrap-keys here, and run the move again")
    }

    /// An app belongs to one developer account in all cells. Within one the database sees to it.
    private func requireOneTeam(_ tenant: TenantID, _ ends: MoveEnds) async throws(Failure) {
        guard let bundle = try await ends.disputedBundles(of: tenant).first else { return }
        throw .refused(
            "the tenant's app \(bundle.bundleID) belongs to team \(bundle.teamID), and in the "
                + "target to \(bundle.otherTeamID): remove the key that is wrong with islet apps "
                + "remove, and run the move again")
    }
}
