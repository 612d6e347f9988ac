import Foundation
import IsletActivities

extension CardKeeper {
    /// Does the next thing about one item.
    /// - Throws: only what is temporary; what is refused for good is noted and reported.
    func carryOut(_ item: WorkItem) async throws(ClientError) {
        switch item {
        case .card(let id):
            if keep.cards.contains(where: { $0.id == id && $0.isGone == true }) { lookForCards() }
            guard let card = keep.cards.first(where: { $0.id == id }),
                let step = keep.next(card, profile)
            else { return }
            try await carryOut(step, of: card)
        case .startToken(let kind):
            guard let kept = keep.startTokens.first(where: { $0.token.kind == kind }) else {
                return
            }
            do throws(ClientError) { try await handOver(kept.token) } catch {
                guard error.isFinal else { throw error }
                // Not tried again before the next launch, unless the keeper hears it again.
                let others = Set(keep.startTokens.map(\.token))
                refusedTokens = refusedTokens.intersection(others).union([kept.token])
                newsSink.yield(.notTaken(kind: kind, error))
            }
        case .leftToken(let token):
            do throws(ClientError) { try await give(token) } catch {
                // The person whom the backend does not know just now comes back; this one does not.
                guard error.isFinal || error.isRefusalByStatus else { throw error }
                leftRefusals += 1
                newsSink.yield(.notTaken(kind: token.kind, error))
            }
            keep.leftTokens.removeAll { $0 == token }
        case .earlier:
            do { try readEarlier() } catch {
                throw .unreachable("what was kept cannot be read yet: \(type(of: error))")
            }
        }
    }

    private func give(_ token: StartToken) async throws(ClientError) {
        guard let takeStartToken else { return }
        do {
            try await timing.within(Limits.requestSeconds) { try await takeStartToken(token) }
        } catch {
            // It carries no token, and says why.
            if let error = error as? ClientError { throw error }
            throw .unreachable(
                "the backend did not take a start token: \(ClientError.reason(error))")
        }
    }

    private func handOver(_ token: StartToken) async throws(ClientError) {
        try await give(token)
        // It counts for the person who is here now. One that was under way when another person
        // signed out does not: what it brought is still to be taken back.
        if !token.topics.isEmpty, token.installation.hasBytes(of: keep.installation) {
            keep.leftTokens.removeAll { $0.kind == token.kind && $0.token == token.token }
        }
        // Another one may have come meanwhile.
        if let index = keep.startTokens.firstIndex(where: { $0.token == token }) {
            keep.startTokens[index].isHandedOver = true
            keep.startTokens[index].handedOverAt = timing.now()
            newsSink.yield(.handedOver(kind: token.kind))
        }
    }

    private func carryOut(_ step: KeptCard.Step, of card: KeptCard) async throws(ClientError) {
        let answer: Answer
        do throws(ClientError) {
            switch step {
            case .register(let token, let profile):
                let body = TokenBody(
                    pushToken: token, profile: profile, installation: keep.installation)
                answer = try await tell(of: card, [], try Server.body(body))
            case .rotate(let from, let to):
                answer = try await tell(
                    of: card, ["rotation"], try Server.body(["from": from, "to": to]))
            case .report(let state, let token):
                answer = try await tell(
                    of: card, ["report"], try Server.body(report(state, token, of: card)))
            }
        } catch {
            try treat(error, step, of: card)
            return
        }
        note(answer, step, of: card)
    }

    private func report(
        _ state: CardState, _ token: Secret?, of card: KeptCard
    ) -> [String: String] {
        var body = ["state": state.rawValue]
        if let token {
            body["pushToken"] = token.value
        } else {
            body["installation"] = card.installation ?? keep.installation
            // By it Islet remembers a card that it has never heard of.
            if state == .dismissed { body["bundleId"] = profile.bundleID }
        }
        return body
    }

    private struct Answer: Decodable {
        var outcome: String
        var closedBy: String?
    }

    private func note(_ answer: Answer, _ step: KeptCard.Step, of card: KeptCard) {
        let now = timing.now()
        update(card) {
            $0.refusals = nil
            switch step {
            case .register(let token, let profile):
                ($0.registered, $0.registeredAs, $0.answeredAt) = (token, profile, now)
            case .rotate(_, let token): ($0.registered, $0.answeredAt) = (token, now)
            case .report(let state, _): $0.reported = state
            }
            if answer.outcome == "closed" {
                $0.close(by: answer.closedBy, step)
            } else if $0.registered == $0.token {
                $0.wasReplaced = nil
            }
        }
        // It is not for good yet.
        if answer.outcome == "closed", waitsToTryAgain(card.id) { return }
        newsSink.yield(news(of: answer, step, of: card))
    }

    func waitsToTryAgain(_ id: String) -> Bool {
        keep.cards.contains { $0.id == id && $0.waitsToTryAgain }
    }

    /// When a card is registered again in whose place Islet had another one; nil for one of which
    /// it has not said so, and when it has been tried again.
    func laterTry(_ item: WorkItem) -> Backoff? {
        guard case .card(let id) = item, waitsToTryAgain(id) else { return nil }
        let later = timing.now().addingTimeInterval(Limits.replacedSeconds)
        return Backoff(notBefore: later, askedUntil: later)
    }

    private func news(of answer: Answer, _ step: KeptCard.Step, of card: KeptCard) -> CardNews {
        let closed = CardNews.closed(activity: card.activity, by: answer.closedBy ?? "closed")
        switch step {
        case .register, .rotate:
            return answer.outcome == "closed" ? closed : .registered(activity: card.activity)
        case .report(let state, _):
            // What is over is closed by its own report.
            return answer.outcome == "closed" && !state.isOver
                ? closed : .reported(activity: card.activity, state)
        }
    }

    private func treat(
        _ error: ClientError, _ step: KeptCard.Step, of card: KeptCard
    ) throws(ClientError) {
        guard error.isFinal else { throw error }
        switch (step, error.problem) {
        case (.rotate, .rotationConflict), (.rotate, .unknownRegistration):
            // The phone has moved on already: what it has now is registered again. If it is over,
            // Islet knows its last token but one, so that the installation's name has to do.
            let isNewest = keep.newer(than: card) == nil
            update(card) {
                ($0.registered, $0.registeredAs) = (nil, nil)
                if $0.isOver, isNewest { $0.token = nil }
            }
        case (.report(let state, _), .unknownRegistration):
            // Islet never knew the card, so it sends nothing to it.
            update(card) { $0.reported = state }
        default:
            update(card) { $0.refusals = ($0.refusals ?? []).union([step]) }
            if card.installation != nil { leftRefusals += 1 }
            newsSink.yield(.refused(activity: card.activity, error))
        }
    }

    /// Unless what was known of the card was given up while the answer was under way.
    private func update(_ card: KeptCard, _ change: (inout KeptCard) -> Void) {
        guard let index = keep.cards.firstIndex(where: { $0.id == card.id }),
            keep.cards[index].generation == card.generation
        else { return }
        change(&keep.cards[index])
    }

    private func tell(
        of card: KeptCard, _ path: [String], _ body: Data
    ) async throws(ClientError) -> Answer {
        let path = ["v1", "activities", card.activity, "registrations"] + path
        return try await withTicket(card.activity, of: card.installation) {
            server, ticket throws(ClientError) in
            try await server.ask(
                .init(method: "POST", path: path, body: body), ticket, as: Answer.self)
        }
    }

    /// Asks with the ticket there is, and with a fresh one if that is not good any more.
    /// - Parameter installation: of a person who has signed out; nil for the present one.
    func withTicket<Value: Sendable>(
        _ activity: String, of installation: String? = nil,
        _ ask: @Sendable (Server, Secret) async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let key = TicketKey(
            activity: activity, installation: installation ?? keep.installation)
        var used: (ticket: Secret, refusal: ClientError)?
        for _ in 0..<Limits.ticketsPerStepMax {
            let wasGood = ticketOf[key]?.wasGood == true
            let ticket = try await ticket(for: key)
            // There is no other one.
            if let used, used.ticket == ticket { throw used.refusal }
            do throws(ClientError) {
                let value = try await ask(server, ticket)
                if ticketOf[key]?.ticket == ticket { ticketOf[key]?.wasGood = true }
                return value
            } catch {
                switch error.problem {
                case .expiredTicket, .invalidTicket: break
                // A ticket is good for some uses. One that never was good is refused for another
                // reason, which a fresh one does not change.
                case .rateLimited, .tooManyRegistrations:
                    guard wasGood else { throw error }
                    used = (ticket, error)
                default: throw error
                }
                ticketOf[key] = nil
            }
        }
        throw used?.refusal ?? .noTicket("the backend's tickets are not good")
    }

    private func ticket(for key: TicketKey) async throws(ClientError) -> Secret {
        if let kept = ticketOf[key] { return kept.ticket }
        let ticket: Secret
        do {
            ticket = try await timing.within(Limits.requestSeconds) { [tickets] in
                try await tickets(key.activity)
            }
        } catch { throw .noTicket(ClientError.reason(error)) }
        // They are asked for again after a restart, so there is no need to keep many.
        if ticketOf.count >= Limits.cardsMax { ticketOf.removeAll() }
        ticketOf[key] = KeptTicket(ticket: ticket)
        return ticket
    }
}

/// Each person has tickets of their own: the backend gives them by who is asking.
struct TicketKey: Hashable {
    var activity: String
    var installation: String
}

/// A ticket as long as the app runs.
struct KeptTicket {
    var ticket: Secret
    /// Islet has done something for it.
    var wasGood = false
}
