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

    public init(_ reports: [DoctorReport]) {
        status = DoctorVerdict(reports).rawValue
        checks = reports.map { report in
            switch report.answer {
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

/// What the checks found, for people.
public enum DoctorText {
    public static func text(_ reports: [DoctorReport]) -> String {
        let width = reports.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for report in reports {
            let name = report.name + String(repeating: " ", count: width - report.name.count)
            switch report.answer {
            case .fine(let detail): lines.append("ok    \(name)  \(detail)")
            case .unseen(let why): lines.append("?     \(name)  could not look: \(why)")
            case .findings(let findings):
                for finding in findings {
                    lines += [
                        "FAULT \(name)  \(finding.what)", "        It means: \(finding.meaning)",
                        "        Remedy:   \(finding.remedy)",
                    ]
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// What all checks come to: the exit code.
public enum DoctorVerdict: String, Sendable {
    case fine
    case needsAHand = "needs a hand"
    /// No check found anything, and some could not look.
    case notSeen = "could not look"

    public init(_ reports: [DoctorReport]) {
        var verdict = DoctorVerdict.fine
        for report in reports {
            switch report.answer {
            case .fine: break
            case .findings: verdict = .needsAHand
            case .unseen: if verdict == .fine { verdict = .notSeen }
            }
        }
        self = verdict
    }
}
