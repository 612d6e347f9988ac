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

    /// What may be done now. What has never failed goes first.
    var nextItem: WorkItem? {
        let now = timing.now()
        return items.filter { backoffs.notBefore($0) <= now }
            .min { failures(of: $0) < failures(of: $1) }
    }

    private func failures(of item: WorkItem) -> Int { backoffs[item]?.failures ?? 0 }

    func work() {
        if worker == nil, !isStopped, hasWork { worker = Task { await self.run() } }
        if worker == nil { settled() }
    }

    private func run() async {
        while !Task.isCancelled, hasWork {
            keep.tidy(at: timing.now())
            guard let item = nextItem else {
                settled()
                await pauseUntilNext()
                continue
            }
            do throws(ClientError) {
                try await carryOut(item)
                backoffs[item] = nil
                save()
            } catch {
                if !Task.isCancelled { putOff(item, error) }
            }
        }
        if !hasWork { backoffs = [:] }
        worker = nil
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

    private func pauseUntilNext() async {
        guard let first = items.min(by: { backoffs.notBefore($0) < backoffs.notBefore($1) })
        else { return }
        let due = backoffs.notBefore(first)
        // No longer, whatever is done to the phone's clock meanwhile.
        let seconds = min(
            max(due.timeIntervalSince(timing.now()), 0), Limits.pauseSecondsMax)
        let timing = timing
        let sleeper = Task { try await timing.sleep(.seconds(seconds)) }
        pause = sleeper
        let result = await withTaskCancellationHandler {
            await sleeper.result
        } onCancel: {
            sleeper.cancel()
        }
        pause = nil
        // Unless it is to wait for something else by now.
        if case .success = result, backoffs.notBefore(first) == due { backoffs.release(first) }
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
