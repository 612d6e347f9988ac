import Domain
import Foundation
import Simulator
import Terminal

extension Demo {
    func conclude(
        _ simulator: Simulator, behind: [String], restarts: Int
    ) async throws(CommandFailure) {
        screen.step("What the phones show at the end")
        for phone in simulator.phones() where DemoFans.isShown(phone.name) {
            for card in phone.activities {
                let shown =
                    card.shows.map { screen.card($0, of: card.activity) }
                    ?? "nothing: the card is gone"
                Console.print("\(phone.name)  \(shown)  (\(card.alerts.counted("alert")))")
            }
        }
        screen.step("islet replay verify --decisions")
        Console.print(try await run(["replay", "verify", "--decisions"]))
        let late = simulator.phones().reduce(0) { $0 + countLate(in: simulator.log(of: $1.id)) }
        if restarts > 0 { screen.step("The server was started again \(restarts) times") }
        guard behind.isEmpty else {
            throw .failed(
                "not every phone shows the final state: \(behind.joined(separator: ", "))")
        }
        let results = Set(simulator.phones().flatMap(\.activities).compactMap(DemoCast.result))
        let final = results.isEmpty ? "" : ": " + results.sorted().joined(separator: "; ")
        screen.step("Every phone shows the final state\(final)")
        screen.step("\(late) pushes came too late to be shown")
    }

    /// A broadcast that follows the start of its cards in one fan-out has the timestamp of the
    /// start: phones pass it over, and have missed nothing.
    private func countLate(in log: [PhoneLogEntry]) -> Int {
        var newest: [ActivityID: Int64] = [:]
        return log.count { entry in
            guard let timestamp = entry.timestamp else { return false }
            let known = newest[entry.activity] ?? .min
            newest[entry.activity] = max(known, timestamp)
            return entry.outcome == .outdated && timestamp < known
        }
    }

    /// Until Ctrl-C if it was asked for, until a key is pressed if there is somebody who can, or
    /// not at all.
    func stay(_ url: String) async {
        let key = (try? String(contentsOfFile: keyFile, encoding: .utf8)) ?? ""
        if stays {
            screen.step("Still serving \(url)/dashboard, key in \(keyFile); Ctrl-C ends it")
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
        } else if let terminal = KeyTerminal() {
            screen.step("Look around: \(url)/dashboard")
            screen.step("The key to sign in: \(key)")
            screen.step("Press any key to end it")
            await terminal.keyPressed()
        }
    }
}
