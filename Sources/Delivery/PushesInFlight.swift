import APNsClient
import Synchronization

/// Pushes to each of `targets`, several at a time.
/// - Parameter executor: where the transport is at home; nil for anywhere.
/// - Returns: the answers, in the order of the targets. Those that the task's cancellation kept
///   from being sent have none; they are the last.
func pushInFlight<Target: Sendable>(
    to targets: [Target], on executor: (any TaskExecutor)?,
    _ push: @escaping @Sendable (Target) async -> PushResult
) async -> [(Target, PushResult?)] {
    let queue = PushQueue(targets)
    let answers = await withTaskCancellationHandler {
        // In a task of its own, since pushes under way are worth waiting for.
        await Task(executorPreference: executor) { await queue.sendAll(push) }.value
    } onCancel: {
        queue.stop()
    }
    return zip(targets, answers).map { ($0, $1) }
}

/// Targets that are taken one by one.
private final class PushQueue<Target: Sendable>: Sendable {
    private let targets: [Target]
    private let taken = Atomic(0)
    private let isStopped = Atomic(false)

    init(_ targets: [Target]) { self.targets = targets }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// A lane for each push that may be under way: a task for each push would cost as much as the
    /// push.
    func sendAll(
        _ push: @escaping @Sendable (Target) async -> PushResult
    ) async -> [PushResult?] {
        await withTaskGroup(of: [(Int, PushResult)].self) { group in
            for _ in 0..<min(targets.count, Limits.pushesInFlightMax) {
                group.addTask {
                    var answers: [(Int, PushResult)] = []
                    while let index = self.takeNext() {
                        answers.append((index, await push(self.targets[index])))
                    }
                    return answers
                }
            }
            var answers = [PushResult?](repeating: nil, count: targets.count)
            for await lane in group {
                for (index, answer) in lane { answers[index] = answer }
            }
            return answers
        }
    }

    private func takeNext() -> Int? {
        guard !isStopped.load(ordering: .relaxed) else { return nil }
        let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < targets.count ? index : nil
    }
}
