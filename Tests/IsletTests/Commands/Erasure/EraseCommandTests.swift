import Domain
import EventStore
import Terminal
import Testing

@testable import islet

struct `What an erasure says` {
    private func text(
        isDone: Bool, before: String? = nil, values: Int = 6, changesState: Bool = true,
        destroysKey: Bool = true
    ) -> String {
        ErasureDocument(
            tenant: "pizzeria", subject: "order-1042", isDone: isDone, erasedBefore: before,
            values: values, events: 3, decisions: 2, changesState: changesState,
            destroysKey: destroysKey
        ).text
    }

    @Test func `lists what would go, and how to have it go`() {
        #expect(
            text(isDone: false) == """
                This would be erased of order-1042:
                  6 values in 3 events
                  texts of 2 decisions
                  the activity's state and search words
                  all that is sealed of it in archives
                Give --yes to erase it; there is no way back.
                """)
    }

    @Test func `lists what has gone, and no more than that`() {
        #expect(
            text(isDone: true, changesState: false, destroysKey: false) == """
                Erased of order-1042:
                  6 values in 3 events
                  texts of 2 decisions
                """)
    }

    @Test func `says that there is nothing, and when something was erased before`() {
        #expect(
            text(
                isDone: true, before: "2027-01-15T08:00:00Z", values: 0, changesState: false,
                destroysKey: false)
                == "Nothing of order-1042 is there to be erased. Something was erased at "
                + "2027-01-15T08:00:00Z.")
    }

    @Test func `counts a state that shows what its events no longer say as something`() {
        #expect(
            text(isDone: true, values: 0, destroysKey: false) == """
                Erased of order-1042:
                  the activity's state and search words
                """)
    }

    @Test func `counts what is only in archives as something`() {
        let text = text(isDone: false, values: 0, destroysKey: true)
        #expect(text.contains("all that is sealed of it in archives"))
        #expect(text.contains("--yes"))
    }
}

/// Knows no activity.
private struct NoActivities: ErasureStore {
    func content(_: TenantID, _: ActivityID) -> ErasureContent {
        ErasureContent(events: [], checkpoint: 0, snapshot: nil, decisions: [])
    }

    func erase(
        _ tenant: TenantID, _ activity: ActivityID,
        _ rewrite: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) async throws(EventStoreError) -> Result<ErasureChanges, ErasureRefusal> {
        Issue.record("nothing is there to be erased")
        return .success(ErasureChanges())
    }

    func keys(_: TenantID, _: [ActivityID], isMaking: Bool) -> [ActivityID: [UInt8]] { [:] }

    func erasedCount(_: TenantID) -> Int64 { 0 }
}

private actor Tries {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// Refuses so many times.
private struct ReluctantStore: ErasureStore {
    let refusal: ErasureRefusal
    let times: Int
    let tries = Tries()

    func content(_: TenantID, _: ActivityID) -> ErasureContent {
        ErasureContent(events: [], checkpoint: 0, snapshot: nil, decisions: [], hasKey: true)
    }

    func erase(
        _ tenant: TenantID, _ activity: ActivityID,
        _ rewrite: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) async throws(EventStoreError) -> Result<ErasureChanges, ErasureRefusal> {
        await tries.next() > times ? .success(ErasureChanges()) : .failure(refusal)
    }

    func keys(_: TenantID, _: [ActivityID], isMaking: Bool) -> [ActivityID: [UInt8]] { [:] }

    func erasedCount(_: TenantID) -> Int64 { 0 }

    /// - Returns: what is said when it fails.
    func erase(pauses: Int) async -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try await ErasureDocument.make(
                self, Tenant(id: TenantID(rawValue: 1), name: "pizzeria"),
                ActivityID(rawValue: "order-1024"), isDone: true,
                pauses: [Duration](repeating: .zero, count: pauses))
            return nil
        } catch { return error }
    }
}

struct `The command erase` {
    @Test func `says why it is refused, and nothing of the database`() async {
        let store = ReluctantStore(refusal: .isBlocked, times: 1)
        #expect(
            await store.erase(pauses: 9)
                == .failed(
                    "order-1024 cannot be erased: one of its events is parked; retry or skip it "
                        + "first (islet projections parked)"))
    }

    @Test func `waits a while for what is not folded yet`() async {
        #expect(await ReluctantStore(refusal: .isBehind, times: 3).erase(pauses: 3) == nil)
        let said = await ReluctantStore(refusal: .isBehind, times: 3).erase(pauses: 2)
        #expect(
            said
                == .failed(
                    "order-1024 cannot be erased: some of its events are not folded yet; run the "
                        + "command again in a moment"))
    }

    @Test func `wants to know of whom`() async {
        #expect(
            await CommandWords("erase --yes").refusal()
                == .usage("--subject is missing; give it or set ISLET_SUBJECT"))
    }

    @Test(arguments: [false, true])
    func `takes no slip of the finger for somebody without data`(isDone: Bool) async {
        var said: CommandFailure?
        do throws(CommandFailure) {
            _ = try await ErasureDocument.make(
                NoActivities(), Tenant(id: TenantID(rawValue: 1), name: "pizzeria"),
                ActivityID(rawValue: "order-1024"), isDone: isDone)
        } catch { said = error }
        #expect(said?.exitCode == 1)
        #expect(said?.text.hasPrefix("pizzeria has no activity order-1024") == true)
        #expect(said?.text.hasSuffix("check --subject") == true)
    }
}
