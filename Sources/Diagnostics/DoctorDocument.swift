import EventStore
public import PostgresStore

/// What the checks found, for programs.
public struct DoctorDocument: Encodable {
    public struct Check: Encodable {
        public var name: String
        /// `fine`, `findings` or `unseen`.
        public var status: String
        public var detail: String?
        var findings: [Finding]
    }

    public var status: String
    public var checks: [Check]

    public init(_ reports: [Doctor.Report]) {
        status = DoctorVerdict(reports).rawValue
        checks = reports.map { report in
            switch report.outcome {
            case .fine(let detail):
                Check(name: report.name, status: "fine", detail: detail, findings: [])
            case .unseen(let why):
                Check(name: report.name, status: "unseen", detail: why, findings: [])
            case .findings(let findings):
                Check(name: report.name, status: "findings", detail: nil, findings: findings)
            }
        }
    }
}
