import Domain
import Foundation
import JSON
import ServerClient
import Simulator
import Terminal

/// Reports the scheduled events over HTTP at their pace, starts the phones' cards, and follows what
/// the server decides.
actor DemoPlayer {
    let client: RemoteServer
    let simulator: Simulator
    let screen: DemoScreen
    private var phones: [String: PhoneID] = [:]
    /// By activity and name of the phone: the app there with a ticket for the activity, and the
    /// card's push token.
    private var apps: [String: [String: (client: RemoteServer, token: PushToken)]] = [:]
    private var happened: Set<DemoCast.Cue> = []
    private var dismissed: [String: Set<String>] = [:]
    private var shown: [String: Int64] = [:]
    private var questions = DemoQuestions()

    init(client: RemoteServer, simulator: Simulator, screen: DemoScreen) {
        self.client = client
        self.simulator = simulator
        self.screen = screen
    }

    func play(
        _ reports: [Fixture.Report], speed: Double
    ) async throws(CommandFailure) {
        let clock = ContinuousClock()
        let begin = clock.now
        for report in reports {
            let due = begin + .milliseconds(Int64(report.seconds / speed * 1000))
            try? await clock.sleep(until: due)
            if Task.isCancelled { throw .failed("interrupted") }
            let isBeginning = DemoCast.beginnings.contains(report.type)
            let startsByPush = report.activity == DemoFans.activity
            if isBeginning && startsByPush { try await inviteFans() }
            screen.reported(report.type, report.activity, atSeconds: report.seconds)
            let version = try await patiently(try await client.post(event: report.cloudEvent))
            shown[report.activity] = shown[report.activity] ?? 0
            if isBeginning && !startsByPush {
                try await startCards(of: report.activity, at: version)
            }
            let cue = DemoCast.Cue(activity: report.activity, type: report.type)
            if let incident = DemoCast.incidents[cue], happened.insert(cue).inserted {
                try await take(incident.incident, on: incident.phone, report.activity)
                questions.happened(incident.incident, to: report.activity, after: version)
            }
        }
    }

    func followDecisions() async {
        while !Task.isCancelled {
            await showDecisions()
            try? await Task.sleep(for: .milliseconds(150))
        }
    }

    func showDecisions() async {
        for (activity, version) in shown.sorted(by: { $0.key < $1.key }) {
            guard let rows = try? await client.decisions(activity: activity, after: version) else {
                continue
            }
            for row in rows where row.version > shown[activity] ?? 0 {
                screen.decided(row, activity)
                questions.decided(row, activity)
                shown[activity] = row.version
            }
        }
    }

    /// Asks the server why, as a support agent would, about what was remarkable.
    func explain() async {
        for question in questions.asked {
            screen.step(
                "Why? \(question.about): "
                    + "GET /v1/activities/\(question.activity)/why?version=\(question.version)")
            guard
                let sentences = try? await client.why(
                    activity: question.activity, version: question.version)
            else { continue }
            for sentence in sentences { screen.sentence(sentence) }
        }
    }

    /// Activities whose card on some phone differs from what the server has folded.
    func cardsBehind() async -> [String] {
        var behind: [String] = []
        for phone in simulator.phones() {
            for card in phone.activities
            where dismissed[card.activity.rawValue]?.contains(phone.name) != true {
                let state = try? await client.activity(card.activity.rawValue)
                let isEqual =
                    state?["contentState"].map { Data($0.canonicalBytes) }
                    == WireCoder.encode(card.contentState)
                if !isEqual { behind.append("\(phone.name): \(card.activity)") }
            }
        }
        return behind
    }

    /// As an app does right after ordering: the card starts with what the server knows, and its
    /// push token is registered.
    private func startCards(
        of activity: String, at version: Int64
    ) async throws(CommandFailure) {
        // The merchant's backend gives its app a ticket; no API key lies in an app.
        let app = try await patiently(try await client.app(of: activity))
        let known = try await patiently(try await app.activity(activity, atLeast: version))
        guard let kind = known["kind"]?.text else {
            throw .failed("the server's answer for \(activity) has no kind")
        }
        let start = ActivityStart(
            kind: kind, activity: ActivityID(rawValue: activity),
            attributes: known["attributes"].map { Data($0.canonicalBytes) },
            contentState: known["contentState"].map { Data($0.canonicalBytes) })
        for name in DemoCast.followers(of: activity) {
            let token: PushToken
            do throws(SimulatorError) {
                // Only a card that listens to a channel has none.
                guard let given = try simulator.start(start, on: try phone(name)) else { continue }
                token = given
            } catch { throw .failed("\(name) cannot start the card of \(activity): \(error)") }
            apps[activity, default: [:]][name] = (app, token)
            try await register(token, of: activity, on: name, by: app)
        }
    }

    func register(
        _ token: PushToken, of activity: String, on phone: String, by app: RemoteServer
    ) async throws(CommandFailure) {
        let bundleID = simulator.configuration.bundleID
        try await patiently(
            try await app.register(
                activity: activity, pushToken: token.hex, bundleID: bundleID,
                installation: DemoFans.installation(on: phone)))
    }

    /// The phone of this name, which is switched on when it is first needed.
    func phone(_ name: String) throws(SimulatorError) -> PhoneID {
        if let phone = phones[name] { return phone }
        let phone = try simulator.addPhone(
            named: name, with: PhoneTraits(system: DemoFans.system(of: name)))
        phones[name] = phone
        return phone
    }

    /// Something happens on the phone, and its app tells the server.
    private func take(
        _ incident: DemoCast.Incident, on name: String, _ activity: String
    ) async throws(CommandFailure) {
        guard let phone = phones[name], let app = apps[activity]?[name] else { return }
        let id = ActivityID(rawValue: activity)
        do throws(SimulatorError) {
            switch incident {
            case .rotates: apps[activity]?[name]?.token = try simulator.rotate(id, on: phone).to
            case .dismisses:
                dismissed[activity, default: []].insert(name)
                try simulator.dismiss(id, on: phone)
            }
        } catch { throw .failed("\(name) cannot do that to \(activity): \(error)") }
        let token = apps[activity]?[name]?.token ?? app.token
        switch incident {
        case .rotates:
            try await patiently(
                try await app.client.rotate(
                    activity: activity, from: app.token.hex, to: token.hex))
        case .dismisses:
            try await patiently(
                try await app.client.report(
                    activity: activity, pushToken: token.hex, state: "dismissed"))
        }
        screen.step(
            "The app on \(name) reports: the card of \(activity) was \(incident.description)")
    }

    /// Repeats a request while the server is away or has not folded yet; repeating is harmless.
    @discardableResult
    func patiently<Result: Sendable>(
        _ request: @autoclosure () async throws(RemoteServer.Failure) -> Result
    ) async throws(CommandFailure) -> Result {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do throws(RemoteServer.Failure) {
                return try await request()
            } catch {
                switch error {
                case .unreachable(let detail):
                    guard ContinuousClock.now < deadline, !Task.isCancelled else {
                        throw .failed("the server is away: \(detail)")
                    }
                case .refused(status: 404, let detail):
                    guard ContinuousClock.now < deadline, !Task.isCancelled else {
                        throw .failed(detail)
                    }
                case .busy(let wait, _): try? await Task.sleep(for: wait)
                case .refused(let status, let detail):
                    throw .failed("the server refused (\(status)): \(detail)")
                }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
