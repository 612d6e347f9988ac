import DeliveryRules
import Domain
import EventStore
import Projections
import Simulator

/// Somebody with a phone and a shop's app on it.
struct Person {
    static let topics = ["team:one", "team:two"].compactMap { AudienceTopic(rawValue: $0) }

    var name: String
    var phone: PhoneID
    var shop: Int
    /// The app never runs in the background.
    var isKilled: Bool
    /// The phone allows frequent updates.
    var isFrequent: Bool
    /// The app was removed.
    var isGone = false
}

/// A person's card of one activity, whatever tokens it has had.
struct CardName: Hashable {
    var person: String
    var activity: ActivityID
}

extension Simulation {
    func addPerson(_ number: Int) {
        let isKilled = thread.chance(oneIn: 8)
        let isFrequent = thread.chance(oneIn: 3)
        let name = "person-\(number)"
        guard
            let phone = try? world.addPhone(
                named: name,
                with: PhoneTraits(isAppKilled: isKilled, allowsFrequentUpdates: isFrequent))
        else { return }
        people.append(
            Person(
                name: name, phone: phone, shop: number % shops.count, isKilled: isKilled,
                isFrequent: isFrequent))
    }

    private func isGone(_ person: Person) -> Bool {
        people.contains { $0.phone == person.phone && $0.isGone }
    }

    func person(_ phone: PhoneID) -> Person? { people.first { $0.phone == phone } }

    /// The app is opened and begins a card.
    func startCard() {
        let person = thread.pick(people)
        let subject = thread.pick(shops[person.shop].activities)
        let cards = world.phone(person.phone)?.cards ?? []
        guard !person.isGone, !world.isAway(person.phone),
            !cards.contains(where: { $0.activity == subject.id })
        else { return }
        let start = ActivityStart(kind: subject.kind.name, activity: subject.id)
        guard let token = try? world.start(start, on: person.phone, now: thread.now).token else {
            return
        }
        log("\(person.name) starts \(subject.id)")
        book.own(token, .init(person: person.name, activity: subject.id))
        // Some builds are of the other environment; a later one is right again.
        register(token, subject.id, person, isMistaken: thread.chance(oneIn: 12))
    }

    func register(
        _ token: PushToken, _ activity: ActivityID, _ person: Person, isMistaken: Bool = false
    ) {
        var wish = CardWish(
            token: token, environment: isMistaken ? .sandbox : .production,
            bundleID: Self.bundleID, installation: person.name,
            frequentUpdates: person.isFrequent)
        send(.register(wish), activity, person)
        guard isMistaken else { return }
        log("\(person.name) has a build of the wrong environment")
        wish.environment = .production
        Task { [self, wish] in
            await thread.sleep(thread.seconds(1...300))
            send(.register(wish), activity, person)
        }
    }

    func rotate() {
        let person = thread.pick(people)
        guard !person.isGone, !person.isKilled, !world.isAway(person.phone),
            let card = world.phone(person.phone)?.cards.last(where: { !$0.phase.isOver }),
            let change = try? world.rotate(card.activity, on: person.phone, now: thread.now)
        else { return }
        log("\(person.name) has another token for \(card.activity)")
        book.own(change.to, .init(person: person.name, activity: card.activity))
        send(.rotate(from: change.from, to: change.to), card.activity, person)
    }

    func dismiss() {
        let person = thread.pick(people)
        guard let card = world.phone(person.phone)?.cards.last(where: { $0.phase != .dismissed }),
            let events = try? world.dismiss(card.activity, on: person.phone, now: thread.now)
        else { return }
        log("\(person.name) swipes \(card.activity) away")
        for event in events { noticed(event) }
    }

    func removeApp() {
        guard let index = people.indices.randomElement(using: &thread.random),
            !people[index].isGone
        else { return }
        log("\(people[index].name) removes the app")
        people[index].isGone = true
        try? world.killTokens(of: people[index].phone, .unregistered, now: thread.now)
    }

    func toggleAway() {
        let person = thread.pick(people)
        setAway(!world.isAway(person.phone), person)
    }

    func setAway(_ isAway: Bool, _ person: Person) {
        log("\(person.name) is \(isAway ? "away" : "back")")
        if isAway { book.wasAway.insert(person.name) }
        let events = try? world.setAway(isAway, person.phone, now: thread.now)
        for event in events ?? [] { noticed(event) }
    }

    /// The app tells its push-to-start token and what the person follows.
    func putStartToken(isRotated: Bool) {
        let person = thread.pick(people)
        let subject = thread.pick(shops[person.shop].activities)
        guard !person.isGone, !world.isAway(person.phone) else { return }
        let kind = subject.kind.name
        if isRotated { _ = try? world.rotateStartToken(for: kind, on: person.phone) }
        guard let token = try? world.startToken(for: kind, on: person.phone) else { return }
        book.startTokens[token.hex] = person.name
        let wish = StartWish(
            installation: person.name, kind: kind, token: token, environment: .production,
            bundleID: Self.bundleID, topics: [thread.pick(Person.topics)], osMajor: 18)
        log("\(person.name) follows \(wish.topics)")
        Task { [self] in
            _ = await insist { (store) async throws(EventStoreError) in
                try await store.startTokens.putToken(shops[person.shop].tenant, wish)
            }
        }
    }

    /// What the app says of a card, one after the other, until each is answered. Some of it comes
    /// once more.
    private func send(_ request: CardRequest, _ activity: ActivityID, _ person: Person) {
        let name = CardName(person: person.name, activity: activity)
        book.unsent[name, default: []].append(request)
        guard book.unsent[name]?.count == 1 else { return }
        Task { [self] in
            while let next = book.unsent[name]?.first, !isOver, !isGone(person) {
                await thread.sleep(thread.seconds(0.05...2))
                if let answer = await ask(next, activity, person) {
                    answered(answer, next, activity, person)
                }
                book.unsent[name]?.removeFirst()
                guard thread.chance(oneIn: 10), !next.isMistaken else { continue }
                Task { [self] in
                    await thread.sleep(thread.seconds(0...60))
                    _ = await ask(next, activity, person)
                }
            }
        }
    }

    private func ask(
        _ request: CardRequest, _ activity: ActivityID, _ person: Person
    ) async -> CardChange.Answer? {
        await insist { (store) async throws(EventStoreError) in
            try await store.registrations.change(
                shops[person.shop].tenant, activity, request, CardMachine.handle
            ).change.answer
        }
    }

    private func answered(
        _ answer: CardChange.Answer, _ request: CardRequest, _ activity: ActivityID,
        _ person: Person
    ) {
        log("\(person.name) is told \(answer) about \(activity)")
        switch (request, answer) {
        case (.register(let wish), .registered), (.register(let wish), .known):
            book.served.insert(wish.token.hex)
        case (.rotate(_, let to), .rotated), (.rotate(_, let to), .alreadyRotated):
            book.served.insert(to.hex)
        case (.rotate(_, let to), .unknown): register(to, activity, person)
        default: break
        }
    }

    /// Something happened on a phone. The app, if it runs, tells of it.
    func noticed(_ event: PhoneEvent) {
        guard let person = person(event.phone) else { return }
        let activity = event.entry.activity
        log("\(person.name) \(activity): \(event.entry.outcome) \(event.entry.sentence)")
        check(event, person)
        guard !person.isGone, !person.isKilled else { return }
        let name = CardName(person: person.name, activity: activity)
        // There may be a fresh one, which this is not about.
        let over = world.phone(person.phone)?.cards.last {
            $0.activity == activity && $0.phase.isOver
        }
        switch event.entry.outcome {
        case .obtainedToken:
            guard let token = event.updateToken else { return }
            book.own(token, name)
            register(token, activity, person)
        case .dismissed, .ended:
            guard let token = over?.token, thread.chance(oneIn: 2) else { return }
            let report: CardReport = event.entry.outcome == .ended ? .ended : .dismissed
            if report == .dismissed { book.dismissed.insert(name) }
            send(.report(.token(token), report), activity, person)
        case .started, .scheduled, .shown, .ignored, .outdated, .throttled, .lost, .rotated, .stale:
            return
        }
    }
}

extension CardRequest {
    /// Of a build of the wrong environment. Nobody can tell that from a right one that comes late.
    fileprivate var isMistaken: Bool {
        if case .register(let wish) = self { wish.environment != .production } else { false }
    }
}
