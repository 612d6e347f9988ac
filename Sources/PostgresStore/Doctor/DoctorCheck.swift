public import EventStore
public import Postgres

/// One question about a deployment. A check is a file with a value of this type, which
/// `Doctor.checks` lists; what it concludes from what it saw is a function of its own.
public struct DoctorCheck: Sendable {
    public enum Outcome: Hashable, Sendable {
        /// - Parameter detail: what was seen, in a few words.
        case fine(String)
        case findings([Finding])
        /// It could not be seen.
        case unseen(String)

        /// Fine without findings.
        public init(_ findings: [Finding], fine: String) {
            self = findings.isEmpty ? .fine(fine) : .findings(findings)
        }

        /// What was asked was not answered.
        public init(_ error: EventStoreError) {
            self =
                switch error {
                case .unavailable(let detail), .outcomeUnknown(let detail), .overloaded(let detail),
                    .moving(let detail), .schema(let detail):
                    .unseen(detail)
                case .failed(let state, let detail): .unseen("\(state) \(detail)")
                }
        }
    }

    /// One or two lower-case words.
    public var name: String
    /// Whether it asks Islet's own tables, which must then be this program's.
    public var needsSchema: Bool
    /// Reads, and changes nothing.
    public var look: @Sendable (DoctorScene) async throws(PostgresError) -> Outcome

    init(
        _ name: String, needsSchema: Bool = false,
        look: @escaping @Sendable (DoctorScene) async throws(PostgresError) -> Outcome
    ) {
        self.name = name
        self.needsSchema = needsSchema
        self.look = look
    }
}
