import Foundation

extension CardKeeper {
    /// All that is to be done, in the order in which it came.
    var items: [WorkItem] {
        let cards = keep.cards.filter { keep.next($0, profile) != nil }
            .map { WorkItem.card(id: $0.id) }
        let earlier = hasLeft ? [WorkItem.earlier] : []
        guard takeStartToken != nil else { return earlier + cards }
        let left = keep.leftTokens.map { WorkItem.leftToken($0) }
        let tokens = keep.startTokens
            .filter { !$0.isHandedOver && !refusedTokens.contains($0.token) }
            .map { WorkItem.startToken(kind: $0.token.kind) }
        return earlier + cards + left + tokens
    }

    var hasWork: Bool { !items.isEmpty }

    /// Starts what may be done now, and waits for what may not.
    func work() {
        // For both: what is due between two looks would be neither started nor waited for.
        let now = timing.now()
        if !isStopped { startQueues(at: now) }
        if running.isEmpty {
            if !hasWork { backoffs = [:] }
            settled()
        }
        waitForNext(at: now)
    }

    private func startQueues(at now: Date) {
        for item in due(at: now) {
            let queue = queue(of: item)
            let isRoom = running.count < Limits.queuesMax || isNew(item)
            if isRoom, running[queue] == nil { running[queue] = Task { await self.run(queue) } }
        }
    }

    /// What may be done now. What has never failed goes first.
    private func due(at now: Date) -> [WorkItem] {
        items.filter { backoffs.notBefore($0) <= now }
            .sorted { failures(of: $0) < failures(of: $1) }
    }

    private func failures(of item: WorkItem) -> Int { backoffs[item]?.failures ?? 0 }

    /// A card that changes only when Islet has its token. A push may have started it, and then iOS
    /// gives the app a few seconds: it waits for nothing else.
    private func isNew(_ item: WorkItem) -> Bool {
        guard case .card(let id) = item else { return false }
        return keep.cards.contains { $0.id == id && $0.isServed && $0.registered == nil }
    }

    private func queue(of item: WorkItem) -> WorkQueue {
        switch item {
        case .card(let id): .activity(keep.cards.first { $0.id == id }?.activity ?? id)
        case .startToken(let kind): .kind(kind)
        case .leftToken(let token): .kind(token.kind)
        case .earlier: .earlier
        }
    }

    private func run(_ queue: WorkQueue) async {
        let letSleep = timing.keepAwake()
        defer { letSleep() }
        while !Task.isCancelled {
            let now = timing.now()
            keep.tidy(at: now)
            guard let item = due(at: now).first(where: { self.queue(of: $0) == queue })
            else { break }
            do throws(ClientError) {
                try await carryOut(item)
                backoffs[item] = laterTry(item)
                save()
            } catch {
                if !Task.isCancelled { putOff(item, error) }
            }
        }
        running[queue] = nil
        // Something may have changed since the loop looked, and a stop may have been taken back.
        work()
    }

    private func putOff(_ item: WorkItem, _ failure: ClientError) {
        let failures = failures(of: item) + 1
        let pause = retries.pause(
            after: failures, asked: failure.retryAfter, chance: timing.chance())
        let now = timing.now()
        backoffs[item] = Backoff(
            failures: failures, notBefore: now + pause.seconds,
            askedUntil: failure.retryAfter.map {
                now + min($0.seconds, Limits.pauseSecondsMax)
            })
        newsSink.yield(.waiting(failure, pause: pause))
    }

    /// Of what has failed, what is due next.
    private func waitForNext(at now: Date) {
        pause?.cancel()
        pause = nil
        let waiting = items.filter {
            backoffs.notBefore($0) > now && running[queue(of: $0)] == nil
        }
        guard !isStopped,
            let first = waiting.min(by: { backoffs.notBefore($0) < backoffs.notBefore($1) })
        else { return }
        let due = backoffs.notBefore(first)
        // No longer, whatever is done to the phone's clock meanwhile.
        let seconds = min(due.timeIntervalSince(now), Limits.pauseSecondsMax)
        pause = Task {
            try await timing.sleep(.seconds(seconds))
            try Task.checkCancellation()
            // Unless it is to wait for something else by now.
            if backoffs.notBefore(first) == due { backoffs.release(first) }
            work()
        }
    }

    /// Until there is nothing to do just now, or the task is cancelled.
    func untilSettled() async {
        if Task.isCancelled { return }
        let name = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { settling[name] = $0 }
        } onCancel: {
            Task { await self.stopWaiting(name) }
        }
    }

    private func stopWaiting(_ name: UUID) { settling.removeValue(forKey: name)?.resume() }

    private func settled() {
        let waiting = settling
        settling = [:]
        for continuation in waiting.values { continuation.resume() }
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}
