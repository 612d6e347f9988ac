import APNs
import APNsClient
import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore

/// What a node counts while it works. Each part is written from one thread or two, and read when
/// somebody asks for metrics.
///
/// A batch is noted at once, under one lock: noting an event allocates nothing.
final class NodeMeters: Sendable {
    let appends = Lock(AppendMeter())
    let folds = Lock(FoldMeter())
    let pushes = Lock(PushMeter())
    let webhooks = Lock(WebhookMeter())
    /// Activities that another node had claimed and not finished.
    let takeOvers = Lock(0)
    /// How far the node's clock is ahead of the database's, as the last look found it.
    let clockAheadSeconds = Lock<Double?>(nil)

    /// What a sender says, as far as it is counted.
    func note(_ diagnostic: Sender.Diagnostic) {
        if case .tookOver(let count, _) = diagnostic { takeOvers.withLock { $0 += count } }
    }
}

struct AppendMeter {
    var recorded = 0
    /// Of those that were sent again.
    var known = 0
    /// Those that contradict the log.
    var refused = 0
    /// Callers that wait for a commit.
    var waiting = 0
    var seconds = Histogram()

    mutating func note(_ results: [AppendResult], _ taken: Duration) {
        for result in results {
            switch result {
            case .recorded: recorded += 1
            case .alreadyKnown: known += 1
            case .contentConflict, .batchConflict, .versionConflict, .notRecorded: refused += 1
            }
        }
        seconds.note(taken / .seconds(1))
    }
}

struct FoldMeter {
    /// By the activity's kind.
    var verdicts: [String: [Verdict: Int]] = [:]
    var treatments: [PushOrder.Treatment: Int] = [:]
    var silences: [Silence: Int] = [:]
    var parked = 0
    /// From the recording of an event to the commit of what follows from it.
    var seconds = Histogram()

    mutating func note(_ result: FoldResult) {
        parked += result.parked.count
        // Snapshots are in the order of their ids, and most batches have few.
        var names: [ActivityID: String] = [:]
        if result.snapshots.count > 1 {
            names.reserveCapacity(result.snapshots.count)
            for snapshot in result.snapshots { names[snapshot.activityID] = snapshot.kind }
        }
        for decision in result.decisions {
            let name = names[decision.activityID] ?? result.snapshots.first?.kind ?? "unknown"
            verdicts[name, default: [:]][decision.verdict, default: 0] += 1
            if let order = decision.order { treatments[order.treatment, default: 0] += 1 }
            if let silence = decision.alertContext?.silence { silences[silence, default: 0] += 1 }
        }
    }
}

struct PushMeter {
    /// What was asked of APNs and what it answered.
    struct Answer: Hashable {
        /// `push`, `broadcast` or `channel`.
        var request: String
        var outcome: String
        /// As Apple spells it; `other` for what Apple has added since.
        var reason: String
    }

    var answers: [Answer: Int] = [:]
    var underWay = 0
    /// From the recording of a change until its push leaves, and until APNs accepts it.
    var sentSeconds = Histogram()
    var acceptedSeconds = Histogram()
    /// Until all pushes of a page are answered.
    var answerSeconds = Histogram()
    var fanOuts = SenderMeasure.FanOuts()

    mutating func note(_ measure: SenderMeasure) {
        switch measure {
        case .fanOuts(let fanOuts): self.fanOuts = fanOuts
        case .answered: break
        case .sent(let sending):
            answerSeconds.note(
                sending.answeredAt.seconds(since: sending.sentAt), times: sending.count)
            guard let changedAt = sending.changedAt else { return }
            sentSeconds.note(sending.sentAt.seconds(since: changedAt), times: sending.count)
            acceptedSeconds.note(
                sending.answeredAt.seconds(since: changedAt), times: sending.accepted)
        }
    }

    mutating func note(_ results: [PushResult], to request: String, renewed: Int) {
        underWay -= results.count
        for result in results {
            if let answer = Answer(result, request) { answers[answer, default: 0] += 1 }
        }
        if renewed > 0 { answers[Answer(expired: request), default: 0] += renewed }
    }
}

extension NodeMeters: APNsObserver {
    func asking(_ count: Int) { pushes.withLock { $0.underWay += count } }

    func answered(_ results: [PushResult], to requests: [APNsRequest], renewed: Int) {
        // A client is for one service.
        guard let service = requests.first?.service else { return }
        pushes.withLock { $0.note(results, to: service.rawValue, renewed: renewed) }
    }
}

struct WebhookMeter {
    /// By the class of the status, or `none` without an answer.
    var answers: [String: Int] = [:]
    var underWay = 0
    var seconds = Histogram()

    mutating func note(_ answer: WebhookAnswer?, _ taken: Duration) {
        underWay -= 1
        guard let answer else { return }
        let name =
            switch answer {
            case .answered(let status, _): "\(min(max(status / 100, 1), 5))xx"
            case .notAnswered: "none"
            }
        answers[name, default: 0] += 1
        seconds.note(taken / .seconds(1))
    }
}

extension PushMeter.Answer {
    /// A token had expired, and another one went out in its place.
    fileprivate init(expired request: String) {
        self.init(
            request: request, outcome: "expired-token",
            reason: Reason.Known.expiredProviderToken.rawValue)
    }

    /// Nil for what never left.
    fileprivate init?(_ result: PushResult, _ request: String) {
        self.request = request
        switch result {
        case .deferred: return nil
        case .notAnswered: (outcome, reason) = ("unanswered", "none")
        case .answered(let response):
            outcome =
                switch response.verdict {
                case .accepted: "accepted"
                case .retryLater: "retry"
                case .tokenDead: "dead-token"
                case .tokenUnfit: "unfit-token"
                case .requestRefused, .channelGone, .limitReached, .featureDisabled: "refused"
                case .credentialsRefused: "key-refused"
                case .connectionUnfit: request == "push" ? "connection-unfit" : "retry"
                }
            reason =
                switch response.reason {
                case nil: "none"
                case .known(let reason): reason.rawValue
                case .unknown: "other"
                }
        }
    }
}
