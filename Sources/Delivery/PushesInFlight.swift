import APNsClient

/// Pushes to each of `targets`, several at a time.
/// - Returns: the answers; nil for those that the task's cancellation kept from being sent.
func pushInFlight<Target: Sendable>(
    to targets: [Target], _ push: @escaping @Sendable (Target) async -> PushResult
) async -> [(Target, PushResult?)] {
    var answers: [(Target, PushResult?)] = []
    answers.reserveCapacity(targets.count)
    await withTaskGroup(of: (Target, PushResult?).self) { group in
        var waiting = targets.makeIterator()
        func sendNext() {
            guard let next = waiting.next() else { return }
            if Task.isCancelled {
                group.addTask { (next, nil) }
                return
            }
            // In a task of its own, since a push under way is worth waiting for.
            let sent = Task { await push(next) }
            group.addTask { (next, await sent.value) }
        }
        for _ in 0..<Limits.pushesInFlightMax { sendNext() }
        for await answer in group {
            answers.append(answer)
            sendNext()
        }
    }
    return answers
}
