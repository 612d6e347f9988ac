import API
import EventLoop

/// Whether a node's threads get round to what is handed to them.
enum LoopCheck {
    /// A loop that takes longer to begin with something is stuck: an iteration takes milliseconds.
    private static let iterationSecondsMax: Double = 5

    static func check(_ loops: [EventLoop]) -> HealthCheck {
        HealthCheck(name: "loops") {
            let stuck = await names(ofStuck: loops, withinSeconds: iterationSecondsMax)
            return stuck.isEmpty
                ? .healthy("turning") : .unhealthy("stuck: \(stuck.joined(separator: ", "))")
        }
    }

    static func names(ofStuck loops: [EventLoop], withinSeconds seconds: Double) async -> [String] {
        let names = await inParallel(loops) { loop -> String? in
            let isTurning = await firstOf(withinSeconds: seconds, otherwise: false) {
                await loop.submit { true }
            }
            return isTurning == true ? nil : loop.name
        }
        return names.compactMap(\.self).sorted()
    }
}
