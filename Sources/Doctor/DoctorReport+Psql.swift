public import PostgresStore

extension DoctorReport {
    /// The same for a server that a bare `psql` does not lead to.
    /// - Parameter words: that lead there, up to the options.
    public func leading(by words: String) -> DoctorReport {
        var report = self
        switch answer {
        case .fine: break
        case .unseen(let why): report.answer = .unseen(Self.leading(why, words))
        case .findings(let findings):
            report.answer = .findings(
                findings.map { finding in
                    Finding(
                        what: finding.what, meaning: finding.meaning,
                        remedy: Self.leading(finding.remedy, words))
                })
        }
        return report
    }

    private static func leading(_ text: String, _ words: String) -> String {
        let vacuum = words.replacing("psql -h", with: "vacuumdb -h")
            .replacing(#/ postgres$/#, with: "")
        return text.replacing("psql -c", with: "\(words) -c")
            .replacing("vacuumdb --all", with: "\(vacuum) --all")
    }
}
