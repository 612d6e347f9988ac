import APNs
import APNsClient
import AppKeys
import Domain
import EventLoop
import EventStore
import PostgresStore
import Terminal

/// Whether APNs can be reached from here and takes each key.
enum AppleCheck {
    static func look(_ arguments: Arguments, _ store: any AppStore) async -> DoctorReport {
        let answer: DoctorCheck.Answer
        do throws(CommandFailure) { answer = try await ask(arguments, store) } catch {
            answer = .findings([
                Finding(
                    what: error.text, meaning: "A server with these options does not start.",
                    remedy: "islet config check says what is wrong with them")
            ])
        }
        return DoctorReport(name: "APNs", answer: answer)
    }

    private static func ask(
        _ arguments: Arguments, _ store: any AppStore
    ) async throws(CommandFailure) -> DoctorCheck.Answer {
        let loop = EventLoop(name: "apns")
        guard let setup = try APNsSetup.make(arguments, loop: loop) else {
            return .fine("not asked: neither --master-key-file nor --apns-key-file is given")
        }
        let records: [AppKeyRecord]
        do throws(EventStoreError) { records = try await store.keys() } catch {
            return .init(error)
        }
        let trials = await KeyTrial.run(setup, records)
        let url = arguments.text("apns-url")
        let findings = trials.compactMap { finding($0, at: url) }
        if !findings.isEmpty { return .findings(findings) }
        return .fine(
            trials.isEmpty
                ? "there is no key yet"
                : "takes each key from here (\(trials.count) pushes to no one)")
    }

    /// - Parameter url: nil for Apple's own.
    private static func finding(_ trial: KeyTrial, at url: String?) -> Finding? {
        let name = "the key \(trial.keyID) in \(trial.environment.rawValue)"
        switch trial.result {
        case .sealed:
            return Finding(
                what: "\(name) cannot be opened with --master-key-file",
                meaning: "A sender with these options does not start.",
                remedy: "give the file that the key was added with, or islet apps rotate")
        case .tried(.deferred): return nil
        case .tried(.notAnswered(let reason, _)):
            return Finding(
                what: "APNs does not answer for \(name): \(reason)",
                meaning: "Nothing gets to phones from here.", remedy: remedy(of: reason, at: url))
        case .tried(.answered(let response)):
            guard response.verdict == .credentialsRefused || response.verdict == .connectionUnfit,
                response.reason != .known(.topicDisallowed), response.reason != .known(.badTopic)
            else { return nil }
            return Finding(
                what: "APNs refuses \(name): \(response.failure)",
                meaning: "Nothing is sent for the apps that it is for.",
                remedy: "check its key id and team id on Apple's developer site, and this "
                    + "machine's clock; islet apps rotate gives an app another key")
        }
    }

    private static func remedy(of reason: String, at url: String?) -> String {
        if reason.hasPrefix("TLS: ") {
            return "find out what answers there: it is not APNs, or this machine does not trust "
                + "the authority of its certificate (apt-get install ca-certificates, or "
                + "--apns-authority-file for a simulator), or its clock is wrong"
        }
        if let url { return "see that \(url) runs, or leave out --apns-url to ask Apple" }
        return "let this machine out to api.push.apple.com and api.sandbox.push.apple.com at port "
            + "443, or give it --apns-proxy"
    }
}
