import API
import Testing

@testable import Hosting

/// What `/readyz` says of the database itself, as a metric.
struct `The database's part of readiness` {
    private let well = HealthCheck(name: "store") { .healthy("answers") }
    private let slow = HealthCheck(name: "store") {
        try? await Task.sleep(for: .seconds(60))
        return .healthy("answers")
    }

    @Test func `is well while a key is looked up, though appends fail as with a locked table`()
        async
    {
        let appends = HealthCheck(name: "appends") { .unhealthy("the database answers 55P03") }
        let (isReady, checks) = await NodeMetrics.readiness(
            well, [appends], hasStoreWorked: false)
        #expect(!isReady)
        #expect(checks.map(\.key) == ["store", "appends"] && checks.map(\.value) == [1, 0])
        #expect(await NodeMetrics.readiness(well, [], hasStoreWorked: false).isReady)
    }

    @Test func `is not while the database is away, nor without an answer in time`() async {
        let away = HealthCheck(name: "store") { .unhealthy("does not answer") }
        for (store, hasWorked) in [(away, true), (slow, false)] {
            let (isReady, checks) = await NodeMetrics.readiness(
                store, [], hasStoreWorked: hasWorked)
            #expect(!isReady && checks.map(\.value) == [0])
        }
    }

    @Test func `is well while a look-up waits in a line and other calls are carried out`() async {
        let (isReady, checks) = await NodeMetrics.readiness(slow, [], hasStoreWorked: true)
        #expect(!isReady && checks.map(\.value) == [1])
    }
}
