import Domain
import TestSupport

/// A course of everything from intake to phones, and what was found in it.
public struct Seed: Sendable {
    public let number: UInt64
    public let steps: Int
    /// Nil when all was well.
    public let finding: Finding?
    /// One line for each thing that happened.
    public let course: [String]
    /// The same for the same course.
    public let sum: UInt64
    /// Pushes that came to APNs.
    public let pushes: Int

    /// On a thread of its own.
    public static func run(_ number: UInt64, with mutation: Mutation? = nil) async -> Seed {
        await VirtualThread.run(seed: number, start: start(number)) { thread in
            await play(number, mutation, thread)
        }
    }

    /// On the calling thread, which must not belong to Swift's own pool.
    public static func runHere(_ number: UInt64, with mutation: Mutation? = nil) -> Seed {
        VirtualThread.runHere(seed: number, start: start(number)) { thread in
            await play(number, mutation, thread)
        }
    }

    /// Any hour of a day, so that quiet ones are met.
    private static func start(_ number: UInt64) -> Moment {
        Moment(unixSeconds: 1_800_000_000 + Int64(number % 24) * 3600)
    }

    private static func play(
        _ number: UInt64, _ mutation: Mutation?, _ thread: VirtualThread
    ) async -> Seed {
        let simulation = Simulation(thread, seed: number, mutation)
        let steps = 100 + thread.below(150)
        await simulation.play(steps: steps)
        return Seed(
            number: number, steps: steps, finding: simulation.finding,
            course: simulation.course.lines, sum: simulation.course.sum,
            pushes: simulation.book.pushes.values.reduce(0) { $0 + $1.count })
    }
}
