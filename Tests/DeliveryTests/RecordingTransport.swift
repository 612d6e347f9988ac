import APNs
import Delivery
import Domain
import EventLoop
import Foundation
import TestSupport

/// Takes pushes where APNs would, answers as a test wishes, and remembers every push.
final class RecordingTransport: Sendable {
    struct Push: Sendable {
        var environment: APNsEnvironment
        var request: APNsRequest

        var tokenHex: String { String(request.path.dropFirst("/3/device/".count)) }
        var headers: [String: String] {
            Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        }
        var priority: String? { headers["apns-priority"] }
        var text: String { String(decoding: request.body, as: UTF8.self) }
        var timestamp: Int64? { aps?.timestamp }
        var event: String? { aps?.event }
        var alertBody: String? { aps?.alert?["body"] }

        /// As a stock decoder reads it.
        private var aps: Body.Aps? {
            try? JSONDecoder().decode(Body.self, from: Data(request.body)).aps
        }
    }

    private struct Body: Decodable {
        struct Aps: Decodable {
            var timestamp: Int64
            var event: String
            var alert: [String: String]?
        }
        var aps: Aps
    }

    typealias Answer = @Sendable (Push) async -> PushResult

    private struct State {
        var pushes: [Push] = []
        var answer: Answer = { _ in .accepted }
    }

    private let state = Lock(State())

    /// In the order in which they came.
    var pushes: [Push] { state.withLock { $0.pushes } }

    /// How every push from now on is answered.
    func answer(_ answer: @escaping Answer) {
        state.withLock { $0.answer = answer }
    }

    /// Every push from now on is accepted once the gate is open.
    func answer(at gate: Gate) {
        answer { _ in
            // Unstructured, because the wait must outlast a cancellation.
            await Task { await gate.pass() }.value
            return .accepted
        }
    }

    /// Forgets what came so far.
    func forget() {
        state.withLock { $0.pushes = [] }
    }

    var transport: PushTransport {
        PushTransport { [state] app, request in
            let push = Push(environment: app.app.environment, request: request)
            let answer = state.withLock { state in
                state.pushes.append(push)
                return state.answer
            }
            return await answer(push)
        }
    }
}

extension PushResult {
    static let accepted = PushResult.answered(PushResponse(status: 200))
    static let away = PushResult.notAnswered(reason: "no answer", mayHaveBeenDelivered: true)

    static func refused(
        _ status: Int, _ reason: Reason.Known, since milliseconds: Int64? = nil
    ) -> PushResult {
        .answered(
            PushResponse(
                status: status, reason: .known(reason), timestampMilliseconds: milliseconds))
    }
}
