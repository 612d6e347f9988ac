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
        var request: BroadcastRequest

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

    typealias Answer = @Sendable (BroadcastRequest) async -> BroadcastResult?

    private struct State {
        var broadcasts: [Broadcast] = []
        var managed: [BroadcastRequest] = []
        var existing: Set<String> = []
        var made = 0
        var answer: Answer = { _ in nil }

        mutating func manage(_ request: BroadcastRequest) -> BroadcastResult {
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
                return .answered(BroadcastResponse(status: 200, channelIDs: existing.sorted()))
            }
        }
    }

    private let state = Lock(State())

    /// In the order in which they came, with those that were not accepted.
    var broadcasts: [Broadcast] { state.withLock { $0.broadcasts } }
    var managed: [BroadcastRequest] { state.withLock { $0.managed } }
    var existing: Set<String> { state.withLock { $0.existing } }

    /// How everything from now on is answered; nil for what a working APNs answers.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// As when the capability is disabled.
    func loseAll() { state.withLock { $0.existing = [] } }

    var transport: BroadcastTransport {
        BroadcastTransport(
            send: { [self] app, request in
                let broadcast = Broadcast(environment: app.app.environment, request: request)
                state.withLock { $0.broadcasts.append(broadcast) }
                if let answer = await special(request) { return answer }
                let isThere = existing.contains(broadcast.channelID ?? "")
                return isThere ? .done(200) : .refused(400, .channelNotRegistered)
            },
            manage: { [self] _, request in
                state.withLock { $0.managed.append(request) }
                if let answer = await special(request) { return answer }
                return state.withLock { $0.manage(request) }
            })
    }

    private func special(_ request: BroadcastRequest) async -> BroadcastResult? {
        await state.withLock { $0.answer }(request)
    }
}

extension BroadcastResult {
    static func done(_ status: Int, channelID: String? = nil) -> BroadcastResult {
        .answered(BroadcastResponse(status: status, channelID: channelID))
    }

    static func refused(_ status: Int, _ reason: BroadcastReason.Known) -> BroadcastResult {
        .answered(BroadcastResponse(status: status, reason: .known(reason)))
    }

    static let away = BroadcastResult.notAnswered(reason: "no answer", mayHaveBeenDone: true)
}
