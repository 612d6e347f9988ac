import DatabaseAccess
import Domain
import Postgres
import PostgresStore
import Terminal

/// The database of another cell, beside the one that `--database-url` names.
enum OtherCell {
    static let options = [
        OptionSpec(
            "to-url-file", .text(placeholder: "FILE"),
            "Has the URL of the other cell's database, on one line; only its owner should be "
                + "able to read it.", excludes: "to-data-dir"),
        OptionSpec(
            "to-data-dir", .text(placeholder: "DIR"),
            "Data directory of the other cell, whose private Postgres is on this machine."),
    ]

    /// Where its address is given.
    private static let option = "--to-url-file"

    static func address(_ arguments: Arguments) throws(CommandFailure) -> DatabaseAddress {
        if let file = arguments.text("to-url-file") { return try .given(in: file, "to-url-file") }
        if let directory = arguments.text("to-data-dir") {
            return .directory(ServerPath.absolute(directory))
        }
        throw .usage("give --to-url-file or --to-data-dir: where the other cell is")
    }

    static func with<Answer: Sendable>(
        _ arguments: Arguments, at address: DatabaseAddress, schema: Database.Schema,
        _ body: (Pool) async throws(TenantMove.Failure) -> Answer
    ) async throws(CommandFailure) -> Result<Answer, TenantMove.Failure> {
        let other: Database
        do throws(CommandFailure) {
            other = try await Database.open(
                arguments, at: address, givenBy: option, schema: schema,
                log: Log(lowest: .warning))
        } catch { throw .failed("the other cell: \(error.text)") }
        let result = await Result { () async throws(TenantMove.Failure) in
            try await body(other.pool)
        }
        await other.close()
        return result
    }

    static func failure(_ failure: TenantMove.Failure) -> CommandFailure {
        .failed(words(failure))
    }

    private static func words(_ failure: TenantMove.Failure) -> String {
        switch failure {
        case .refused(let why), .stuck(let why): why
        case .unknownTenant: "there is no such tenant"
        case .store(let error): Database.explanation(of: error)
        case .otherStore(let error):
            "the other cell: \(Database.explanation(of: error, givenBy: option))"
        case .unfinished(let cause):
            "\(words(cause)). The move is not over: islet tenants move goes on with it, and as "
                + "long as the tenant has not left, --cancel ends it"
        }
    }
}
