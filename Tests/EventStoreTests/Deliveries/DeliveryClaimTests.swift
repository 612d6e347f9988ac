import Domain
import EventStore
import Testing

struct `A claim to deliver` {
    private func decision(_ version: Int64, after second: Int64? = nil) -> Decision {
        Made.decision(
            version, order: PushOrder(sendAfter: second.map { Made.moment($0) }))
    }

    private func versions(_ claim: DeliveryClaim) -> [Int64] { claim.pending.map(\.version) }

    @Test func `takes all that is pending once one of it is due`() {
        let claim = Made.claim(
            pending: [decision(3, after: 2_000), decision(4, after: 1_000)],
            lastCompleted: decision(2))
        #expect(versions(claim) == [3, 4])
        #expect(claim.upcoming == nil)
        #expect(claim.completesUpTo == 4 && claim.newest?.version == 4)
    }

    @Test func `takes nothing of what waits for its time, and knows what is to come`() {
        let claim = Made.claim(
            pending: [decision(3, after: 1_001), decision(4, after: 2_000)],
            lastCompleted: decision(2))
        #expect(versions(claim) == [])
        #expect(claim.upcoming?.version == 4 && claim.newest?.version == 4)
        #expect(claim.completesUpTo == 0)
    }

    @Test func `is for owed phones alone if nothing is pending`() {
        let claim = Made.claim(pending: [], lastCompleted: decision(2))
        #expect(claim.upcoming == nil && claim.completesUpTo == 0)
        #expect(claim.newest?.version == 2)
        #expect(Made.claim(pending: []).newest == nil)
    }

    @Test func `has no time to wait for in a decision without an order`() {
        #expect(versions(Made.claim(pending: [Made.decision(7)])) == [7])
        #expect(versions(Made.claim(pending: [decision(7)])) == [7])
    }

    /// What was decided since goes along, and is completed by a fan-out of its own.
    @Test func `goes on with what a fan-out has begun, whatever is due`() {
        let progress = RecordedProgress(
            completesUpTo: 3, afterRegistrationID: 17, accepted: 5, failed: 0, timestamp: 990)
        let claim = Made.claim(
            pending: [decision(3, after: 2_000), decision(4, after: 2_000)], progress: progress)
        #expect(versions(claim) == [3, 4])
        #expect(claim.completesUpTo == 3 && claim.newest?.version == 4)
    }

    @Test func `may make cards appear only for an audience or for fresh cards`() {
        var claim = Made.claim(pending: [decision(3)])
        #expect(!claim.mayStartCards)
        claim.audience = ClaimedAudience(putVersion: 1, cursor: 0, isDue: false)
        claim.openRestartVersion = 3
        #expect(!claim.mayStartCards)
        claim.audience?.isDue = true
        #expect(claim.mayStartCards)
        claim.audience = nil
        claim.isRestartDue = true
        #expect(claim.mayStartCards)
        var order = PushOrder()
        order.restarts = true
        #expect(Made.claim(pending: [Made.decision(3, order: order)]).mayStartCards)
        order.sendAfter = Made.moment(2_000)
        #expect(!Made.claim(pending: [Made.decision(3, order: order)]).mayStartCards)
    }
}

struct `The result of one phone` {
    private func result(
        _ effect: PhoneResult.Effect, wasCovered: Bool = false
    ) -> PhoneResult {
        PhoneResult(
            registrationID: 1, tokenVersion: 1, effect: effect,
            wasCoveredByEarlierPush: wasCovered)
    }

    @Test(arguments: AppSuspension.allCases)
    func `waits for its app only if it is tried again for that reason`(why: AppSuspension) {
        let retryAt = Made.moment(5)
        #expect(result(.retry(at: retryAt, reason: why.rawValue)).waitsForApp)
        #expect(!result(.retry(at: retryAt, reason: why.rawValue + "s")).waitsForApp)
        #expect(!result(.unfit(reason: why.rawValue)).waitsForApp)
        #expect(!result(.givenUp(reason: why.rawValue)).waitsForApp)
        let dead = PhoneResult.Effect.dead(
            reason: why.rawValue, since: nil, retryAt: retryAt)
        #expect(!result(dead).waitsForApp && !result(dead).isAccepted)
    }

    @Test func `was pushed if APNs accepted it in this fan-out`() {
        #expect(result(.accepted(version: 1)).wasPushed)
        let covered = result(.accepted(version: 1), wasCovered: true)
        #expect(covered.isAccepted && !covered.wasPushed)
        #expect(!result(.unfit(reason: "BadDeviceToken")).wasPushed)
    }

    @Test func `counts for the outcome of its decision`() {
        func outcome(_ timestamp: Int64?, _ accepted: Int, _ failed: Int) -> LedgerRow.Outcome {
            LedgerRow.Outcome(
                carriedBy: 1, timestamp: timestamp, accepted: accepted, failed: failed,
                completedAt: Made.moment(1))
        }
        #expect(outcome(9, 3, 2).phones == 5)
        #expect(outcome(nil, 3, 0).wasCoveredByEarlierPush)
        // Nobody was there.
        #expect(!outcome(nil, 0, 0).wasCoveredByEarlierPush)
        #expect(!outcome(9, 3, 0).wasCoveredByEarlierPush)
    }
}

struct `A batch to fold` {
    @Test(arguments: [nil, 1, 2, 3] as [Int?])
    func `leaves to the next one what an outcome is not about`(count: Int?) {
        let events = [Made.event(5), Made.event(6), Made.event(7)]
        let batch = FoldBatch(tenant: Made.tenant, events: events, snapshots: [:])
        let folded = FoldedBatch(batch) { _ in
            var outcome = FoldResult(snapshots: [], decisions: [], parked: [])
            outcome.foldedCount = count
            return outcome
        }
        #expect(folded.batch.events == Array(events.prefix(count ?? 3)))
        #expect(folded.count == count ?? 3)
    }
}
