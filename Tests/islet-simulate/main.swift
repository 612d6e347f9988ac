import Foundation
import VirtualTime

/// `islet-simulate [first seed] [count] [bug] [--jobs n] [--minutes n]`: runs seeds until one finds
/// something or time is up, if wanted with a bug that is put in on purpose.
private func read(_ arguments: [String]) -> Seeds? {
    var seeds = Seeds(first: 1, count: 1)
    var places = arguments
    while let option = places.firstIndex(where: { $0.hasPrefix("--") }) {
        guard option + 1 < places.count, let number = Int(places[option + 1]), number > 0 else {
            return nil
        }
        switch places[option] {
        case "--jobs": seeds.jobs = number
        case "--minutes": seeds.minutes = Double(number)
        default: return nil
        }
        places.removeSubrange(option...option + 1)
    }
    guard places.count <= 3 else { return nil }
    let numbers = places.prefix(2).map { UInt64($0) }
    guard !numbers.contains(nil) else { return nil }
    seeds.first = numbers.first.flatMap(\.self) ?? 1
    seeds.count = numbers.dropFirst().first.flatMap(\.self) ?? 1
    guard let bug = places.dropFirst(2).first else { return seeds }
    seeds.bug = Mutation(rawValue: bug)
    return seeds.bug == nil ? nil : seeds
}

guard let seeds = read(Array(CommandLine.arguments.dropFirst())) else {
    print(
        """
        usage: islet-simulate [first seed] [count] [bug] [--jobs n] [--minutes n]
        Seed, count, jobs (the seeds at a time) and minutes are whole numbers; bugs are \
        \(Mutation.allCases.map(\.rawValue).joined(separator: ", ")).
        """)
    exit(64)
}
exit(seeds.run())
