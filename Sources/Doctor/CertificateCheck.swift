import Domain
import EventStore
public import PostgresStore
import TLS
public import Terminal

/// How long the certificate that servers show their clients is still good for.
public enum CertificateCheck {
    public static let option = OptionSpec(
        "tls-certificate", .text(placeholder: "FILE"),
        "PEM file with the certificate that clients are shown, as for islet serve. Default: it is "
            + "not looked at.")

    public static func look(_ arguments: Arguments, now: Int64) -> DoctorReport {
        DoctorReport(name: "certificate", answer: answer(arguments, now))
    }

    private static func answer(_ arguments: Arguments, _ now: Int64) -> DoctorCheck.Answer {
        guard let file = arguments.text(option.name) else {
            return .fine("not looked at: --tls-certificate is not given")
        }
        let end: Int64?
        do {
            end = try TLSContext.certificateEnd(
                chainPEM: GivenFile.text(file, option: option.name))
        } catch {
            let why = (error as? CommandFailure)?.text
            return .unseen(why ?? "\(file) is no certificate: \(error)")
        }
        guard let end else { return .fine("\(file) has no end") }
        let days = (end - now) / daySeconds
        return .init(findings(of: file, end: end, now: now), fine: "ends in \(days) days")
    }

    /// - Parameters:
    ///   - end: of the certificate, in seconds of Unix time like `now`.
    public static func findings(of file: String, end: Int64, now: Int64) -> [Finding] {
        guard end - now < daysMin * daySeconds else { return [] }
        let time = Moment(microseconds: end * 1_000_000).rfc3339
        let hasEnded = end <= now
        let days = (end - now) / daySeconds
        return [
            Finding(
                what: hasEnded
                    ? "the certificate in \(file) has expired (\(time))"
                    : "the certificate in \(file) ends in \(days) days (\(time))",
                meaning: hasEnded
                    ? "Clients refuse to connect." : "From then on clients refuse to connect.",
                remedy: "renew it, for example by certbot renew; servers read the file again by "
                    + "themselves within ten seconds")
        ]
    }

    /// Those of the alert IsletCertificateEnds. Clients of ACME renew a month before the end.
    private static let daysMin: Int64 = 14
    private static let daySeconds: Int64 = 86_400
}
