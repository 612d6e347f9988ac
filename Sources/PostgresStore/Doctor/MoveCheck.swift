public import EventStore
import Postgres

/// Tenants whose move to another cell broke off and that nobody moves now.
public enum MoveCheck {
    static let check = DoctorCheck("moves", needs: .tables) {
        (scene) async throws(PostgresError) in
        let moves = try MovingTenant.moves(
            await scene.pool.query(MovingTenant.all), await scene.pool.query(MovingTenant.all))
        return .init(
            findings(moves), fine: moves.isEmpty ? "none" : "\(moves.count) under way")
    }

    public static func findings(_ moves: [MovingTenant]) -> [Finding] {
        moves.filter { !$0.isUnderWay }.map(finding)
    }

    /// Of one that stands still.
    public static func finding(_ move: MovingTenant) -> Finding {
        let (name, cell) = (move.name, move.cell)
        let goOn =
            "islet tenants move \(name.inShell) --to-url-file FILE, with the URL of \(cell)'s "
            + "database in FILE"
        return switch move.state {
        case .leaving:
            Finding(
                what: "the move of \(name) to cell \(cell) stands still",
                meaning: (move.isClosed ? closed : "The tenant works here as before.")
                    + " Each change of its rows is noted for the move, and the notes pile up.",
                remedy: "\(goOn), goes on with it; --cancel ends it")
        case .gone where move.isOpen:
            Finding(
                what: "the move of \(name) to cell \(cell) stands still",
                meaning: "The tenant works there. Its rows here are not removed yet.",
                remedy: "\(goOn), removes them")
        case .gone:
            Finding(
                what: "\(name) has left for cell \(cell), and is perhaps not open there",
                meaning: "Its callers get 503 here. Unless it is open there already, it is in no "
                    + "cell, and nothing is sent for it.",
                remedy: "\(goOn), opens it there if it is not")
        case .arriving:
            Finding(
                what: "the move of \(name) from cell \(cell) stands still",
                meaning: "If it has left that cell it is in none; islet doctor there says so.",
                remedy: "in cell \(cell): islet tenants move \(name.inShell) --to-url-file FILE, "
                    + "with the URL of this database in FILE")
        }
    }

    private static let closed =
        "Nothing is sent for the tenant, and its callers may get 503, for "
        + "\(Int(Limits.moveFencedSeconds)) s at most. Then it works here as before."
}
