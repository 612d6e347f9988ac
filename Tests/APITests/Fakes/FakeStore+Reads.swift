import Domain
import EventStore

/// Lists and boards by filtering all there is, as the real store must give them by its indexes.
extension FakeStore: ReadStore {
    func activity(
        _ tenant: TenantID, _ activity: ActivityID, _ rowVersion: String?
    ) throws(EventStoreError) -> ActivityReading {
        let freshness = try freshness(tenant)
        guard let found = try all(of: tenant).first(where: { $0.activityID == activity }) else {
            return ActivityReading(finding: .absent, freshness: freshness)
        }
        let present = "\(found.hashValue)"
        return ActivityReading(
            finding: present == rowVersion ? .unchanged : .found(found, rowVersion: present),
            freshness: freshness)
    }

    func list(
        _ tenant: TenantID, _ filter: ActivityFilter, _ after: ActivityPage.Place?, _ limit: Int,
        _ now: Moment
    ) throws(EventStoreError) -> ActivityPage {
        let isSince = filter.updatedSince != nil
        let isNewest = !isSince && filter.order == .newestChange
        let isByChange = isSince || isNewest
        let isDown = !isByChange && filter.order == .idDescending
        let fitting = try changes(of: tenant).filter { change in
            change.snapshot.map { filter.fit($0, noticedAt: change.noticedAt, at: now) } == .fits
        }
        let rest = fitting.filter { change in
            switch after {
            case .id(let id): isDown ? change.activityID < id : id < change.activityID
            case .change(let place): isNewest ? change.place < place : place < change.place
            case nil: true
            }
        }.sorted {
            if isNewest { return $1.place < $0.place }
            if isSince { return $0.place < $1.place }
            return isDown ? $1.activityID < $0.activityID : $0.activityID < $1.activityID
        }
        let page = rest.prefix(limit)
        let places: [ActivityPage.Place] = page.map {
            isByChange ? .change($0.place) : .id($0.activityID)
        }
        return ActivityPage(
            snapshots: page.compactMap(\.snapshot), places: places,
            next: rest.count <= limit ? nil : places.last, freshness: try freshness(tenant))
    }

    func overview(
        _ tenant: TenantID, _: Moment, _ now: Moment
    ) throws(EventStoreError) -> Overview {
        var kinds: [String: Overview.Kind] = [:]
        for snapshot in try all(of: tenant) {
            var kind = kinds[snapshot.kind] ?? Overview.Kind(name: snapshot.kind)
            switch snapshot.phase {
            case .scheduled: kind.scheduled += 1
            case .live: kind.live += 1
            case .ended: kind.ended += 1
            }
            if snapshot.phase != .ended, snapshot.facts.isLate(snapshot.phase, at: now) {
                kind.late += 1
            }
            kinds[snapshot.kind] = kind
        }
        var overview = Overview(freshness: try freshness(tenant))
        overview.kinds = kinds.values.sorted { $0.name < $1.name }
        return overview
    }

    func scoreboard(
        _ tenant: TenantID, _ competition: String?, _ after: ScoreboardPage.Place?, _ limit: Int
    ) throws(EventStoreError) -> ScoreboardPage {
        let live = try all(of: tenant).filter {
            $0.phase == .live && $0.facts.competition != nil
                && (competition == nil || competition == $0.facts.competition)
        }
        let board = live.sorted {
            ScoreboardPage.Place($0).precedes(ScoreboardPage.Place($1))
        }
        let rest = board.filter { after?.precedes(ScoreboardPage.Place($0)) ?? true }
        let page = Array(rest.prefix(limit))
        return ScoreboardPage(
            snapshots: page,
            next: rest.count <= limit ? nil : page.last.map { ScoreboardPage.Place($0) },
            freshness: try freshness(tenant))
    }
}

extension ScoreboardPage.Place {
    fileprivate func precedes(_ other: ScoreboardPage.Place) -> Bool {
        let start = startsAt ?? .distantFuture
        let otherStart = other.startsAt ?? .distantFuture
        return start == otherStart ? activityID < other.activityID : start < otherStart
    }
}

extension Moment {
    fileprivate static let distantFuture = Moment(unixSeconds: 253_000_000_000)
}
