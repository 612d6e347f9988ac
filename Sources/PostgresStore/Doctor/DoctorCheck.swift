public import EventStore
public import Postgres

/// One question about a deployment. A check is a file with a value of this type, which
/// `DatabaseChecks.checks` lists; what it concludes from what it saw is a function of its own.
public struct DoctorCheck: Sendable {
    public enum Answer: Hashable, Sendable {
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

    /// What must be well for an answer to say something; each takes what the one before takes.
    enum Ground {
        /// A host that takes writes.
        case server
        /// This program's tables.
        case tables
        /// Nodes can work: the database takes writes, and the log is not held.
        case work
    }

    /// One or two lower-case words.
    public var name: String
    let ground: Ground
    /// Reads, and changes nothing.
    public var look: @Sendable (DoctorScene) async throws(PostgresError) -> Answer

    init(
        _ name: String, needs ground: Ground = .server,
        look: @escaping @Sendable (DoctorScene) async throws(PostgresError) -> Answer
    ) {
        self.name = name
        self.ground = ground
        self.look = look
    }
}

/// What one check said.
public struct DoctorReport: Hashable, Sendable {
    public var name: String
    public var answer: DoctorCheck.Answer

    public init(name: String, answer: DoctorCheck.Answer) {
        self.name = name
        self.answer = answer
    }
}
