import APNs
import APNsClient
import Delivery
import DeliveryRules

/// What APNs or a webhook's server said to what was sent, without the phone.
struct SentAnswer {
    let name: Span.Name
    /// Nil when phones are not counted: for a broadcast or a message.
    private let phones: Int?
    fileprivate let reply: Reply
    private var webhook: String?

    fileprivate struct Reply: Hashable {
        var status: Int?
        var reason: String?
        var isAccepted = false
    }

    /// One for each different answer.
    static func counted(in results: SenderMeasure.Results) -> [SentAnswer] {
        switch results {
        case .pushes(let results): counted(.push, results)
        case .starts(let results): counted(.start, results)
        case .broadcasts(let results):
            results.map { SentAnswer(name: .broadcast, phones: nil, reply: Reply($0)) }
        case .webhook(let id, let answer):
            [SentAnswer(name: .webhook, phones: nil, reply: Reply(answer), webhook: id)]
        }
    }

    private static func counted(_ name: Span.Name, _ results: [PushResult]) -> [SentAnswer] {
        Dictionary(grouping: results) { Reply($0) }.map { reply, results in
            SentAnswer(name: name, phones: results.count, reply: reply)
        }
    }

    var attributes: [(name: String, value: Span.Value)] {
        var attributes: [(name: String, value: Span.Value)] = []
        if let status = reply.status {
            attributes.append(("http.response.status_code", .number(Int64(status))))
        }
        if let reason = reply.reason {
            let name = webhook == nil ? "islet.apns.reason" : "islet.webhook.reason"
            attributes.append((name, .text(reason)))
        }
        if let webhook { attributes.append(("islet.webhook", .text(webhook))) }
        if let phones { attributes.append(("islet.phones", .number(Int64(phones)))) }
        return attributes
    }

    /// Nil when nothing went wrong.
    var failure: String? {
        reply.isAccepted ? nil : reply.reason ?? reply.status.map { "status \($0)" } ?? ""
    }
}

extension SentAnswer.Reply {
    fileprivate init(_ result: PushResult) {
        switch result {
        case .answered(let response):
            status = response.status
            reason = response.reason?.text
            isAccepted = response.verdict == .accepted
        case .notAnswered(let why, _), .deferred(let why, _): reason = why
        }
    }

    fileprivate init(_ answer: WebhookAnswer) {
        switch answer {
        case .answered(let code, _): status = code
        case .notAnswered(let why): reason = why
        }
        isAccepted = answer.isDelivered
    }
}
