import Domain
import Foundation
import VirtualTime

/// `islet-simulate [first seed] [count] [bug]`: runs seeds one after the other until one finds
/// something, if wanted with a bug that is put in on purpose.
private func run(from first: UInt64, count: UInt64, with bug: Mutation?) -> Int32 {
    let began = ContinuousClock.now
    var pushes = 0
    for number in first..<(first + count) {
        let seed = Seed.runHere(number, with: bug)
        pushes += seed.pushes
        guard let finding = seed.finding else { continue }
        print(seed.trace.suffix(count == 1 ? .max : 40).joined(separator: "\n"))
        print(
            """

            Seed \(number), step \(finding.step) of \(seed.steps), \(finding.at.rfc3339):
            \(finding.sentence)

            It comes out the same each time: make simulate SEED=\(number) COUNT=1
            """)
        return 1
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    print(
        "\(count) seeds from \(first) on, \(pushes) pushes: nothing found "
            + "in \(String(format: "%.1f", seconds)) s")
    return 0
}

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.prefix(2).map { UInt64($0) }
let bugs = arguments.dropFirst(2).map { Mutation(rawValue: $0) }
guard !numbers.contains(nil), !bugs.contains(nil), bugs.count <= 1 else {
    print(
        """
        usage: islet-simulate [first seed] [count] [bug]
        Seed and count are whole numbers; bugs are \
        \(Mutation.allCases.map(\.rawValue).joined(separator: ", ")).
        """)
    exit(64)
}
let first = numbers.first.flatMap(\.self) ?? 1
let count = numbers.dropFirst().first.flatMap(\.self) ?? 1
let bug = bugs.first.flatMap(\.self)
let thread = Thread { exit(run(from: first, count: count, with: bug)) }
thread.stackSize = 8 << 20
thread.start()
while true { sleep(1_000) }
