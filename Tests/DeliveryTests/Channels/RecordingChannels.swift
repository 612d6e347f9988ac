import APNs
import Delivery
import Domain
import EventLoop
import Foundation

/// Takes what is asked about channels where APNs would, keeps channels, and remembers every
/// broadcast.
final class RecordingChannels: Sendable {
    struct Broadcast: Sendable {
        var environment: APNsEnvironment
        var request: APNsRequest

        var headers: [String: String] {
            Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        }
        var channelID: String? { headers["apns-channel-id"] }
        var text: String { String(decoding: request.body, as: UTF8.self) }
        var timestamp: Int64? {
            text.firstMatch(of: /"timestamp":(\d+)/).flatMap { Int64($0.1) }
        }
        var isEnd: Bool { text.contains(#""event":"end""#) }
    }

    typealias Answer = @Sendable (APNsRequest) async -> PushResult?

    private struct State {
        var broadcasts: [Broadcast] = []
        var managed: [APNsRequest] = []
        var existing: Set<String> = []
        var made = 0
        var answer: Answer = { _ in nil }

        mutating func manage(_ request: APNsRequest) -> PushResult {
            switch request.method {
            case .post:
                made += 1
                existing.insert("channel-\(made)==")
                return .done(201, channelID: "channel-\(made)==")
            case .delete:
                let id = request.headers.first { $0.name == "apns-channel-id" }?.value ?? ""
                return existing.remove(id) == nil
                    ? .refused(400, .channelNotRegistered) : .done(204)
            case .get:
                return .answered(PushResponse(status: 200, channelIDs: existing.sorted()))
            }
        }
    }

    private let state = Lock(State())

    /// In the order in which they came, with those that were not accepted.
    var broadcasts: [Broadcast] { state.withLock { $0.broadcasts } }
    var managed: [APNsRequest] { state.withLock { $0.managed } }
    var existing: Set<String> { state.withLock { $0.existing } }

    /// How everything from now on is answered; nil for what a working APNs answers.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// As when the capability is disabled.
    func loseAll() { state.withLock { $0.existing = [] } }

    var transport: BroadcastTransport {
        return { [self] app, request in
            guard request.service == .broadcast else {
                state.withLock { $0.managed.append(request) }
                if let answer = await special(request) { return answer }
                return state.withLock { $0.manage(request) }
            }
            let broadcast = Broadcast(environment: app.app.environment, request: request)
            state.withLock { $0.broadcasts.append(broadcast) }
            if let answer = await special(request) { return answer }
            let isThere = existing.contains(broadcast.channelID ?? "")
            return isThere ? .done(200) : .refused(400, .channelNotRegistered)
        }
    }

    private func special(_ request: APNsRequest) async -> PushResult? {
        await state.withLock { $0.answer }(request)
    }
}

extension PushResult {
    static func done(_ status: Int, channelID: String? = nil) -> PushResult {
        .answered(PushResponse(status: status, channelID: channelID))
    }
}
