import EventStore
import PostgresStore

/// What the checks found, for programs.
struct DoctorDocument: Encodable {
    struct Check: Encodable {
        var name: String
        /// `fine`, `findings` or `unseen`.
        var status: String
        var detail: String?
        var findings: [Finding]
    }

    var status: String
    var checks: [Check]

    init(_ reports: [Doctor.Report]) {
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
