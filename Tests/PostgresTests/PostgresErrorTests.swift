import Testing

@testable import Postgres

struct `An error of Postgres` {
    private func serverError(_ state: String) -> ServerError {
        ServerError(sqlState: state, message: "of \(state)")
    }

    @Test(arguments: [
        "40001", "40P01", "55P03", "57014", "25006", "26000", "57P01", "57P02", "57P03", "57P05",
        "25P03", "08000", "08006", "08P01", "53000", "53100", "53200", "53300",
    ])
    func `may pass by itself if its state says so`(state: String) {
        #expect(SQLState.isTransient(state))
        #expect(PostgresError.server(serverError(state)).isTransient)
        #expect(PostgresError.notAdmitted(serverError(state)).isTransient)
    }

    @Test(arguments: [
        "00000", "22001", "22P02", "23503", "23505", "25P02", "28P01", "3D000", "42501",
        "42601", "42P01", "57P04", "XX000", "", "IS503", "0A000",
    ])
    func `does not pass by itself otherwise`(state: String) {
        #expect(!SQLState.isTransient(state))
        #expect(!PostgresError.server(serverError(state)).isTransient)
        #expect(!PostgresError.notAdmitted(serverError(state)).isTransient)
    }

    /// A value that is too long for an index has the same state.
    @Test func `passes by itself where Postgres waits for vacuum, which only its function tells`() {
        #expect(ServerError.isOutOfIDs("54000", function: "GetNewTransactionId"))
        #expect(ServerError.isOutOfIDs("54000", function: "GetNewMultiXactId"))
        #expect(!ServerError.isOutOfIDs("54000", function: "_bt_check_third_page"))
        #expect(!ServerError.isOutOfIDs("54000", function: nil))
        #expect(!ServerError.isOutOfIDs("25000", function: "GetNewTransactionId"))
        var used = serverError("54000")
        #expect(!PostgresError.server(used).isTransient)
        used.isOutOfIDs = true
        #expect(PostgresError.server(used).isTransient)
    }

    private static let without: [(PostgresError, Bool)] = [
        (.cannotConnect(detail: ""), true), (.connectionLost(detail: ""), true),
        (.notReplicated, true), (.timedOut, true), (.poolTimedOut(detail: ""), true),
        (.poolQueueFull, true), (.cancelled, false), (.closed, false), (.sharedSession, false),
        (.decoding(column: "n", expected: "text"), false), (.privateServer(detail: ""), false),
        (.migration(.changed(number: 1, name: "t")), false),
    ]

    @Test(arguments: 0..<12)
    func `of this program passes by itself if waiting may help`(place: Int) {
        let (error, isTransient) = Self.without[place]
        #expect(error.isTransient == isTransient)
        #expect(error.sqlState == nil)
    }

    /// A user that was not let in has no statement that was refused.
    @Test func `has the state of a statement that was refused`() {
        #expect(PostgresError.server(serverError("23505")).sqlState == SQLState.uniqueViolation)
        #expect(PostgresError.notAdmitted(serverError("53300")).sqlState == nil)
    }

    @Test func `leaves out what quotes a value`() {
        #expect(["22001", "22P02", "22003"].allSatisfy(SQLState.quotesValues))
        #expect(["23505", "42P01", "2", "", "12200"].allSatisfy { !SQLState.quotesValues($0) })
    }
}

struct `A refusal to migrate` {
    @Test func `names the migration and what to do`() {
        #expect(
            "\(MigrationRefusal.changed(number: 7, name: "channel"))"
                == "migration 7 (channel) was applied to this database with other content; "
                + "migrations are never edited, add a new one instead")
        #expect(
            "\(MigrationRefusal.databaseIsNewer(database: 9, program: 7))"
                == "the database is at migration 9, this program knows only 7: use a newer version "
                + "of the program")
        #expect(
            "\(MigrationRefusal.databaseIsOlder(database: 5, program: 7))"
                == "the database is at migration 5, this program needs 7: migrate first")
        let other = MigrationRefusal.otherHistory(number: 2, database: "orders", program: "event")
        #expect("\(other)".contains("(its migration 2 is orders, this program's is event)"))
    }

    /// Databases have these written down: another way to count would refuse every one of them.
    @Test(arguments: [
        ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
    ])
    func `depends on checksums that stay as they are`(sql: String, checksum: String) {
        #expect(Migration(number: 1, name: "t", sql: sql).checksum == checksum)
        #expect(Migration(number: 2, name: "u", sql: sql).checksum == checksum)
    }
}

struct `A budget of connections` {
    @Test func `says of two limits the one that is too small for all`() {
        let budget = ConnectionBudget(
            serverMax: 100, reserved: 3, roleMax: 30, databaseMax: 20, othersOpen: 90,
            roleOthersOpen: 5, databaseOthersOpen: 1)
        #expect(
            budget.verdict(wanting: 25)
                == .tooMuch(
                    sum: "this node may open 25 connections, and the database's limit of 20 leaves "
                        + "20 for all"))
        #expect(
            budget.verdict(wanting: 8)
                == .tight(
                    sum: "this node may open 8 connections, and max_connections 100 less 3 "
                        + "reserved, less 90 that others have open, leaves 7"))
        #expect(budget.verdict(wanting: 7) == .fits)
    }

    @Test func `never leaves less than nothing`() {
        let none = ConnectionBudget(serverMax: 2, reserved: 3, othersOpen: 0)
        #expect(
            none.verdict(wanting: 1)
                == .tooMuch(
                    sum: "this node may open 1 connections, and max_connections 2 less 3 reserved "
                        + "leaves 0 for all"))
        let full = ConnectionBudget(
            serverMax: 10, reserved: 0, roleMax: 4, othersOpen: 4, roleOthersOpen: 6)
        #expect(
            full.verdict(wanting: 2)
                == .tight(
                    sum: "this node may open 2 connections, and the role's limit of 4, less 6 that "
                        + "others have open, leaves 0"))
        #expect(none.verdict(wanting: 0) != .fits)
    }
}
