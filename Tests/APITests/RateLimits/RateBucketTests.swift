import Domain
import EventStore
import HTTP
import TestSupport
import Testing

@testable import API

private struct Taking {
    var at: Moment
    var cost: Int
}

/// A caller at random times with random costs, and what was given to it.
private struct RandomCaller {
    var generator: SeededGenerator
    let rate: RateBucket.Rate
    var now = Moment(unixSeconds: 1_800_000_000)
    var bucket: RateBucket

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        rate = RateBucket.Rate(
            perSecond: .random(in: 1...1_000, using: &generator),
            burst: .random(in: 1...2_000, using: &generator))
        bucket = RateBucket(full: rate, at: now.microseconds)
    }

    mutating func takings(_ count: Int, costAtMost costMax: Int) -> [Taking] {
        var takings: [Taking] = []
        for _ in 0..<count {
            now = now.adding(microseconds: .random(in: 0...2_000_000, using: &generator))
            let cost = Int.random(in: 1...costMax, using: &generator)
            if bucket.take(cost, rate, at: now.microseconds) == nil {
                takings.append(Taking(at: now, cost: cost))
            }
        }
        return takings
    }
}

struct `A token bucket` {
    @Test func `that is charged in full owes all of it`() {
        let rate = RateBucket.Rate(perSecond: 10, burst: 20)
        var bucket = RateBucket(full: rate, at: 0)
        bucket.chargeInFull(1_000, rate, at: 0)
        #expect(bucket.take(1, rate, at: 0) == 98_100_000)
        #expect(bucket.take(1, rate, at: 98_100_000) == nil)
    }

    @Test func `that is charged for what was done owes a burst at most`() {
        let rate = RateBucket.Rate(perSecond: 10, burst: 20)
        var bucket = RateBucket(full: rate, at: 0)
        bucket.charge(25, rate, at: 0)
        #expect(bucket.take(1, rate, at: 0) == 600_000)
        bucket.charge(1_000, rate, at: 0)
        #expect(bucket.take(1, rate, at: 0) == 2_100_000)
        bucket.charge(1_000, rate, at: 0)
        #expect(bucket.take(1, rate, at: 0) == 2_100_000)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `never gives more than its burst and what time has earned`(seed: UInt64) {
        var caller = RandomCaller(seed: seed)
        let rate = caller.rate
        let takings = caller.takings(200, costAtMost: rate.burst)
        #expect(!takings.isEmpty)
        for start in takings.indices {
            var given = 0
            for taking in takings[start...] {
                given += taking.cost
                let micros = taking.at.microseconds - takings[start].at.microseconds
                let earned = Double(micros) / 1_000_000 * Double(rate.perSecond)
                #expect(Double(given) <= Double(rate.burst) + earned + 1e-6)
            }
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `gives after the wait it told, and not a microsecond sooner`(seed: UInt64) {
        var caller = RandomCaller(seed: seed)
        var refusals = 0
        for _ in 0..<200 {
            caller.now = caller.now.adding(
                microseconds: .random(in: 0...500_000, using: &caller.generator))
            let cost = Int.random(in: 1...(2 * caller.rate.burst), using: &caller.generator)
            guard let wait = caller.bucket.take(cost, caller.rate, at: caller.now.microseconds)
            else { continue }
            refusals += 1
            #expect(wait > 0)
            var early = caller.bucket
            let sooner = Moment(microseconds: caller.now.microseconds + wait - 1)
            #expect(early.take(cost, caller.rate, at: sooner.microseconds) != nil)
            var patient = caller.bucket
            let then = Moment(microseconds: caller.now.microseconds + wait)
            #expect(patient.take(cost, caller.rate, at: then.microseconds) == nil)
        }
        #expect(refusals > 0)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `gives over time what it earns, however large the costs`(seed: UInt64) {
        var caller = RandomCaller(seed: seed)
        let start = caller.now
        let takings = caller.takings(500, costAtMost: 4 * caller.rate.burst)
        let paid = takings.dropLast().reduce(0) { $0 + $1.cost }
        let seconds = Double(caller.now.microseconds - start.microseconds) / 1_000_000
        let earned = Double(caller.rate.burst) + seconds * Double(caller.rate.perSecond)
        // The last one may still be owed.
        #expect(Double(paid) <= earned + Double(4 * caller.rate.burst))
        #expect(!takings.isEmpty)
    }

    @Test func `lets a cost beyond its burst through once, and is then paid back`() {
        let rate = RateBucket.Rate(perSecond: 10, burst: 20)
        let now = Moment(unixSeconds: 1_000)
        var bucket = RateBucket(full: rate, at: now.microseconds)
        #expect(bucket.take(100, rate, at: now.microseconds) == nil)
        #expect(bucket.take(1, rate, at: now.microseconds) == 8_100_000)
        #expect(bucket.take(1, rate, at: now.adding(seconds: 8.1).microseconds) == nil)
    }

    @Test func `gives nothing for a clock that was set back, and goes on from there`() {
        let rate = RateBucket.Rate(perSecond: 1, burst: 1)
        let now = Moment(unixSeconds: 1_000_000)
        var bucket = RateBucket(full: rate, at: now.microseconds)
        #expect(bucket.take(1, rate, at: now.microseconds) == nil)
        let back = now.adding(seconds: -3_600)
        #expect(bucket.take(1, rate, at: back.microseconds) == 1_000_000)
        #expect(bucket.take(1, rate, at: back.adding(seconds: 1).microseconds) == nil)
    }

    @Test func `is full after any silence and never more than full`() {
        let rate = RateBucket.Rate(perSecond: 1_000_000_000, burst: 2_000_000_000)
        let now = Moment(microseconds: .min / 4)
        var bucket = RateBucket(full: rate, at: now.microseconds)
        #expect(bucket.take(2_000_000_000, rate, at: now.microseconds) == nil)
        #expect(!bucket.isFull(rate, at: now.microseconds))
        let later = Moment(microseconds: .max / 4)
        #expect(bucket.isFull(rate, at: later.microseconds))
        #expect(bucket.take(2_000_000_000, rate, at: later.microseconds) == nil)
        #expect(bucket.take(1, rate, at: later.microseconds) != nil)
    }

    @Test func `counts with any rate, however large`() {
        let rate = RateBucket.Rate(perSecond: .max, burst: .max)
        var bucket = RateBucket(full: rate, at: 0)
        #expect(bucket.take(1_000_000_000, rate, at: 0) == nil)
        #expect(!bucket.isFull(rate, at: 0))
        #expect(bucket.take(1, rate, at: .max / 4) == nil)
        let allowance = Allowance(.standard, TenantLimits(bytesPerSecond: .max))
        #expect(allowance.bytes.perSecond > 0 && allowance.bytes.burst > 0)
    }

    @Test func `is cut to a burst that became smaller`() {
        let now = Moment(unixSeconds: 0)
        var bucket = RateBucket(
            full: RateBucket.Rate(perSecond: 100, burst: 100), at: now.microseconds)
        let smaller = RateBucket.Rate(perSecond: 1, burst: 2)
        #expect(bucket.take(1, smaller, at: now.microseconds) == nil)
        #expect(bucket.take(1, smaller, at: now.microseconds) == nil)
        #expect(bucket.take(1, smaller, at: now.microseconds) == 1_000_000)
    }
}

struct `The tenants' meter` {
    private let now = Moment(unixSeconds: 1_000)

    private func allowance(perSecond: Int) -> Allowance {
        Allowance(
            .standard, TenantLimits(requestsPerSecond: perSecond, eventsPerSecond: perSecond))
    }

    @Test func `keeps tenants apart, and requests from events`() {
        let meter = TenantMeter()
        let small = allowance(perSecond: 1)
        func buckets(_ number: Int32) -> TenantBuckets {
            meter.buckets(of: TenantID(rawValue: number), small, at: now)
        }
        for _ in 0..<2 { #expect(buckets(1).takeRequest(at: now) == nil) }
        #expect(buckets(1).takeRequest(at: now) == 1_000_000)
        #expect(buckets(1).takeEvents(2, at: now) == nil)
        #expect(buckets(1).takeEvents(1, at: now) == 1_000_000)
        #expect(buckets(2).takeRequest(at: now) == nil)
    }

    @Test func `forgets those who used nothing lately before anybody else`() {
        let meter = TenantMeter(tenantsMax: 4)
        let busy = TenantID(rawValue: 0)
        let buckets = meter.buckets(of: busy, allowance(perSecond: 1), at: now)
        for _ in 0..<2 { _ = buckets.takeRequest(at: now) }
        for number in 1..<1_000 as Range<Int32> {
            let tenant = TenantID(rawValue: number)
            let moment = now.adding(seconds: Double(number) / 10_000)
            let buckets = meter.buckets(of: tenant, allowance(perSecond: 1_000_000), at: moment)
            _ = buckets.takeRequest(at: moment)
            #expect(meter.count <= 4)
        }
        let later = now.adding(seconds: 0.1)
        let still = meter.buckets(of: busy, allowance(perSecond: 1), at: later)
        #expect(still.takeRequest(at: later) != nil)
    }

    @Test func `stays bounded when everybody is busy, and keeps the busiest`() {
        let meter = TenantMeter(tenantsMax: 10)
        let rate = allowance(perSecond: 10)
        let busiest = TenantID(rawValue: 0)
        let buckets = meter.buckets(of: busiest, rate, at: now)
        for _ in 0..<20 { _ = buckets.takeRequest(at: now) }
        for number in 1..<1_000 as Range<Int32> {
            _ = meter.buckets(of: TenantID(rawValue: number), rate, at: now).takeRequest(at: now)
            #expect(meter.count <= 10)
        }
        #expect(meter.buckets(of: busiest, rate, at: now).takeRequest(at: now) != nil)
    }
}
