import Delivery
import Domain
import EventStore
import Foundation
import Simulator
import TestSupport

/// Everything from intake to phones, whose course one seed decides.
// @unchecked: everything is touched on the virtual thread only.
final class Simulation: @unchecked Sendable {
    static let bundleID = "com.example.islet"
    private static let keyID = "ABCDEFGHIJ"
    private static let teamID = "TEAM123456"

    let thread: VirtualThread
    let database: MemoryDatabase
    let mutation: Mutation?
    var world: World
    var weather = Weather.calm
    /// In the places of two machines.
    var nodes: [SimulatedNode] = []
    var shops: [Shop] = []
    var people: [Person] = []
    var book = PushBook()
    var followers: [Follower] = []
    private let isRestored: Bool
    var data: RandomData
    private(set) var step = 0
    private(set) var finding: Finding?
    private(set) var course = Course()

    init(_ thread: VirtualThread, seed: UInt64, _ mutation: Mutation?) {
        self.thread = thread
        self.mutation = mutation
        isRestored = Self.isRestored(seed)
        database = MemoryDatabase(flaw: mutation?.flaw, clock: { thread.now })
        data = RandomData(seed: seed)
        world = World(
            apns: .init(
                environment: .production, bundleIDs: [Self.bundleID],
                keys: [ProviderKey(keyID: Self.keyID, teamID: Self.teamID)],
                isSigned: { _, _, _ in true }),
            kinds: CardKind.catalog, seed: seed)
    }

    /// Signed with nothing: the simulated Apple believes it.
    static func providerToken(issuedAt seconds: Int64) -> String {
        let parts = [
            #"{"alg":"ES256","kid":"\#(keyID)"}"#, #"{"iss":"\#(teamID)","iat":\#(seconds)}"#, "x",
        ]
        return parts.map { part in
            Data(part.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }.joined(separator: ".")
    }

    /// Goes through `steps` of whatever may happen, then lets everything come to rest.
    func play(steps: Int) async {
        await open()
        for number in 1...steps where finding == nil {
            step = number
            act()
            // Near the end: a later report brings everybody up to date, whatever went wrong.
            if isRestored, number == steps - 3 { await restore() }
            await thread.sleep(pause())
            settle()
            checkAfterStep()
        }
        if finding == nil { await comeToRest() }
        if finding == nil { isRestored ? checkRestored() : checkAtRest() }
        for node in nodes { node.kill() }
        isOver = true
        // They refer to it, and it to them.
        thread.atEnd = { [self] in (nodes, shops) = ([], []) }
    }

    private(set) var isOver = false
    /// While the database is set back nobody starts a node.
    var isSettingBack = false

    private func open() async {
        let (_, store) = database.makeNode()
        for name in ["north", "south"] {
            guard let tenant = try? await store.tenants.ensure(name).id else { continue }
            shops.append(Shop(tenant: tenant, self))
            followers.append(Follower(of: tenant))
        }
        for place in 0..<2 { startNode(in: place) }
        for number in 0..<(4 + thread.below(5)) { addPerson(number) }
    }

    func startNode(in place: Int) {
        let node = SimulatedNode(self)
        if place < nodes.count {
            // Nobody could end it any more, and it would never rest.
            nodes[place].kill()
            nodes[place] = node
        } else {
            nodes.append(node)
        }
        node.begin()
    }

    /// Mostly moments, and now and then hours.
    private func pause() -> Double {
        switch thread.below(100) {
        case 0..<55: thread.seconds(0...2)
        case 55..<85: thread.seconds(2...30)
        case 85..<96: thread.seconds(30...900)
        default: thread.seconds(900...9_000)
        }
    }

    /// What time has brought about on the phones.
    func settle() {
        for event in world.settle(at: thread.now) { noticed(event) }
    }

    private func comeToRest() async {
        weather = .calm
        step += 1
        for person in people where world.isAway(person.phone) { setAway(false, person) }
        for place in nodes.indices {
            nodes[place].kill()
            startNode(in: place)
        }
        // Retries come after five minutes at the latest, starts after ten.
        for _ in 0..<5 {
            await thread.sleep(300)
            settle()
            checkAfterStep()
            if finding != nil { return }
        }
        // What waits for its time, and what that brings.
        for _ in 0..<20 where unrest != nil {
            await thread.sleep(120)
            settle()
        }
        checkAfterStep()
    }

    /// The first thing that is wrong; what follows from it says nothing.
    func find(_ sentence: String) {
        guard finding == nil else { return }
        log("found: \(sentence)")
        finding = Finding(step: step, at: thread.now, sentence: sentence)
    }

    func log(_ line: @autoclosure () -> String) {
        course.append("\(step) \(thread.now.rfc3339) \(line())")
    }

    func note(_ error: EventStoreError) {
        if !error.isTransient { find("the store refused: \(error)") }
    }

    func note(_ diagnostic: Sender.Diagnostic) {
        if case .store(let error) = diagnostic { note(error) }
    }

    func makeUUID() -> String {
        let digits = (0..<4).map { _ in
            String(UInt32.random(in: 0...(.max), using: &thread.random), radix: 16)
        }
        .map { String(repeating: "0", count: 8 - $0.count) + $0 }.joined()
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            let start = digits.index(digits.startIndex, offsetBy: range.lowerBound)
            return String(digits[start..<digits.index(start, offsetBy: range.count)])
        }
        return parts.joined(separator: "-")
    }
}
