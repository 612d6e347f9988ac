import EventStore
public import PostgresStore

/// What the checks found, for people.
public enum DoctorText {
    public static func text(_ reports: [Doctor.Report]) -> String {
        let width = reports.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for report in reports {
            let name = report.name + String(repeating: " ", count: width - report.name.count)
            switch report.outcome {
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
