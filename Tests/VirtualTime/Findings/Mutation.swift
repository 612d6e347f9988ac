import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation

/// A bug that is put in on purpose, between a node and its store or its connection to APNs, to see
/// that it is found.
public enum Mutation: String, CaseIterable, Sendable {
    /// The checkpoint passes over events that were not folded.
    case skippedEvents
    /// A phone is sent the first state again and again.
    case oldBody
    /// A rotation is answered and not noted.
    case forgottenRotation
    /// Seconds since 2001 where those since 1970 belong.
    case wrongEpoch
    /// An accepted push is noted as a failed one.
    case alertTwice
    /// A connection that closes before it has answered is taken for an acceptance.
    case lostAnswer
    /// A token is given up because APNs did not take a push just then.
    case prunedToken
    /// A token that APNs does not know is sent the next state as well.
    case pushedBadToken
    /// An update follows the end.
    case pushAfterEnd
    /// The state of another tenant's activity of the same name.
    case crossedTenants
    /// A connection that got a GOAWAY is used on.
    case ignoredGoAway
    /// What is held for the pace is completed when its time comes, and not sent.
    case droppedHeldUpdate
    /// New words of a delay, for those who have not heard of it, are sent to all.
    case delayToldAgain
    /// Who stands still keeps what it owns.
    case keptLocks
    /// What is taken over goes on with the timestamp it had.
    case repeatedStamps
    /// An old owner of a checkpoint commits its fold.
    case unlockedFolds
    /// Who has stood still pushes on as if nothing had been.
    case lateSender
    /// An append of which nobody knows whether it was carried out is acknowledged.
    case unknownAcknowledged
    /// Such an append is repeated as another one.
    case unknownReportedAnew
    /// A restored database is taken for the log that it was.
    case sameEpoch

    func store(_ store: EventStore) -> EventStore {
        switch self {
        case .skippedEvents: store.skippingEvents
        case .forgottenRotation: store.forgettingRotations
        case .alertTwice:
            store.noting { result, now in
                result.acceptedVersion == nil ? nil : .retry(at: now, reason: "mutation")
            }
        case .prunedToken:
            store.noting { result, now in
                guard case .retry(_, let reason) = result.effect else { return nil }
                return .dead(reason: reason, since: nil, retryAt: now)
            }
        case .pushedBadToken:
            store.noting { result, _ in
                guard case .unfit(let reason) = result.effect else { return nil }
                return .givenUp(reason: reason)
            }
        case .crossedTenants: store.crossingTenants
        case .droppedHeldUpdate: store.droppingHeld
        case .delayToldAgain: store.repeatingDelays
        case .lateSender: store.trustingAllClaims
        case .unknownAcknowledged:
            store.appending { (_, events, _) async throws(EventStoreError) in
                events.indices.map { .recorded(position: Int64($0) + 1, version: 1) }
            }
        case .unknownReportedAnew:
            store.appending { (tenant, events, append) async throws(EventStoreError) in
                try await append(
                    tenant,
                    events.map { event in
                        var event = event
                        event.id += "-again"
                        return event
                    })
            }
        case .oldBody, .wrongEpoch, .lostAnswer, .pushAfterEnd, .ignoredGoAway, .keptLocks,
            .repeatedStamps, .unlockedFolds, .sameEpoch:
            store
        }
    }

    /// Where the database itself has it.
    var flaw: MemoryFlaw? {
        switch self {
        case .keptLocks: .keptLocks
        case .repeatedStamps: .repeatedStamps
        case .unlockedFolds: .unlockedFolds
        case .skippedEvents, .oldBody, .forgottenRotation, .wrongEpoch, .alertTwice, .lostAnswer,
            .prunedToken, .pushedBadToken, .pushAfterEnd, .crossedTenants, .ignoredGoAway,
            .droppedHeldUpdate, .delayToldAgain, .lateSender, .unknownAcknowledged,
            .unknownReportedAnew, .sameEpoch:
            nil
        }
    }

    func transport(_ transport: PushTransport) -> PushTransport {
        switch self {
        case .oldBody: transport.repeatingFirst
        case .wrongEpoch:
            PushTransport { app, request in
                await transport.push(app, request.moved(bySeconds: -978_307_200))
            }
        case .lostAnswer:
            PushTransport { app, request in
                let result = await transport.push(app, request)
                guard case .notAnswered = result else { return result }
                return .answered(PushResponse(status: 200))
            }
        case .pushAfterEnd:
            PushTransport { app, request in
                let result = await transport.push(app, request)
                if request.isEnd {
                    _ = await transport.push(app, request.moved(bySeconds: 1).asUpdate)
                }
                return result
            }
        case .skippedEvents, .forgottenRotation, .alertTwice, .prunedToken, .pushedBadToken,
            .crossedTenants, .ignoredGoAway, .droppedHeldUpdate, .delayToldAgain, .keptLocks,
            .repeatedStamps, .unlockedFolds, .lateSender,
            .unknownAcknowledged, .unknownReportedAnew, .sameEpoch:
            transport
        }
    }
}

extension EventStore {
    fileprivate var skippingEvents: EventStore {
        var store = self
        store.projections = SkippingProjections(base: projections)
        return store
    }

    fileprivate var trustingAllClaims: EventStore {
        var store = self
        store.deliveries = TrustingDeliveries(base: deliveries)
        return store
    }

    fileprivate func appending(
        _ unknown:
            @escaping @Sendable (TenantID, [NewEvent], MisjudgingLog.Append)
            async throws(EventStoreError) -> [AppendResult]
    ) -> EventStore {
        var store = self
        store.log = MisjudgingLog(base: log, unknown: unknown)
        return store
    }

    fileprivate var forgettingRotations: EventStore {
        var store = self
        store.registrations = ForgetfulRegistrations(base: registrations)
        return store
    }

    fileprivate func noting(
        _ change: @escaping @Sendable (PhoneResult, Moment) -> PhoneResult.Effect?
    ) -> EventStore {
        var store = self
        store.deliveries = MisnotingDeliveries(base: deliveries, change: change)
        return store
    }

    fileprivate var droppingHeld: EventStore {
        var store = self
        store.deliveries = DroppingDeliveries(base: deliveries)
        return store
    }

    fileprivate var repeatingDelays: EventStore {
        var store = self
        store.deliveries = RepeatingDeliveries(base: deliveries)
        return store
    }

    fileprivate var crossingTenants: EventStore {
        var store = self
        store.deliveries = CrossingDeliveries(base: deliveries)
        return store
    }
}

extension PushTransport {
    fileprivate func push(_ app: TenantApp, _ request: APNsRequest) async -> PushResult {
        await pushAll(app, [request])[0]
    }

    fileprivate var repeatingFirst: PushTransport {
        let bodies = Lock<[String: [UInt8]]>([:])
        return PushTransport { app, request in
            var request = request
            let body = request.body
            request.body = bodies.withLock { [path = request.path] known in
                if let first = known[path] { return first }
                known[path] = body
                return body
            }
            return await push(app, request)
        }
    }
}

extension APNsRequest {
    private var text: String { String(decoding: body, as: UTF8.self) }

    fileprivate var isEnd: Bool { text.contains(#""event":"end""#) }

    fileprivate var asUpdate: APNsRequest {
        var request = self
        request.body = Array(
            text.replacing(#""event":"end""#, with: #""event":"update""#).utf8)
        return request
    }

    fileprivate func moved(bySeconds seconds: Int64) -> APNsRequest {
        var request = self
        let moved = text.replacing(/"timestamp":(\d+)/) { match in
            "\"timestamp\":\((Int64(match.1) ?? 0) + seconds)"
        }
        request.body = Array(moved.utf8)
        return request
    }
}
