import Testing

@testable import HTTP

struct `Bytes that wait` {
    @Test func `are given back as they are taken, however long some are left`() {
        var queue = ByteQueue()
        var largest = 0
        var sum = 0
        for round in 0..<10_000 {
            queue.append([UInt8](repeating: UInt8(round % 251), count: 100))
            if round == 0 { continue }
            sum += Int(queue.bytes[queue.start])
            queue.take(100)
            largest = max(largest, queue.bytes.count)
            #expect(queue.count == 100)
        }
        #expect(largest <= 300)
        #expect(sum == (0..<9_999).reduce(0) { $0 + $1 % 251 })
        queue.take(1_000)
        #expect(queue.isEmpty && queue.bytes.isEmpty && queue.start == 0)
    }

    @Test func `are not copied if they came in one piece`() {
        let whole = [UInt8](repeating: 7, count: 1_000)
        var queue = ByteQueue()
        queue.append(whole)
        var output: [UInt8] = []
        for _ in 0..<9 { queue.move(100, to: &output) }
        #expect(output.count == 900 && queue.count == 100)
        let place = whole.withUnsafeBufferPointer { $0.baseAddress }
        #expect(queue.bytes.withUnsafeBufferPointer { $0.baseAddress } == place)
        queue.append([8])
        queue.move(200, to: &output)
        #expect(output == whole + [8] && queue.isEmpty)
    }
}

/// Reserves for some accounts.
private final class Owner {
    private var reservation: BodyReservation

    init(
        _ accounts: BodyAccounts, _ owners: [BodyAccounts.Account],
        _ kind: BodyAccounts.Kind = .request
    ) {
        reservation = BodyReservation(kind, in: accounts)
        reservation.join(owners)
    }

    var hasRoom: Bool { reservation.hasRoom }

    func reserve(_ count: Int) -> Bool { reservation.reserve(count) }

    func end() { reservation.end() }
}

struct `The accounting of bodies` {
    private let limits = ServerLimits(bodyBytesMax: 10, reservedBytesMax: 100)

    @Test func `reserves all or nothing`() {
        let accounts = BodyAccounts(limits)
        let one = accounts.open(.named("one"), bytesMax: 50)
        let two = accounts.open(.named("two"), bytesMax: 20)
        let both = Owner(accounts, [one, two])
        let first = Owner(accounts, [one])
        let rest = Owner(accounts, [])
        #expect(both.reserve(20))
        #expect(!both.hasRoom)
        #expect(!both.reserve(21))
        #expect(one.bytes[.request] == 20)
        #expect(first.reserve(30))
        #expect(!first.reserve(31))
        #expect(rest.reserve(50))
        #expect(!rest.reserve(51))
        #expect(first.reserve(10))
        #expect(one.bytes[.request] == 30)
        for owner in [both, first, rest] { owner.end() }
        #expect(accounts.bytes[.request] == 0 && one.bytes[.request] == 0)
        #expect(two.bytes[.request] == 0)
    }

    @Test func `lets the largest body in, however small a share is`() {
        let accounts = BodyAccounts(limits)
        #expect(Owner(accounts, [accounts.open(.named("small"), bytesMax: 1)]).reserve(10))
    }

    @Test func `counts answers apart from requests, and lets a long one in if it is the only one`()
    {
        let accounts = BodyAccounts(limits)
        let account = accounts.open(.named("a"), bytesMax: 20)
        #expect(Owner(accounts, [account], .answer).reserve(90))
        #expect(!Owner(accounts, [account], .answer).reserve(1))
        #expect(!Owner(accounts, [], .answer).reserve(11))
        #expect(Owner(accounts, [account]).reserve(20))
    }

    @Test func `counts heads apart from bodies, and up to a quarter of them`() {
        let accounts = BodyAccounts(limits)
        let account = accounts.open(.named("a"), bytesMax: 40)
        #expect(Owner(accounts, [account], .head).reserve(10))
        #expect(!Owner(accounts, [account], .head).reserve(1))
        #expect(Owner(accounts, [], .head).reserve(15))
        #expect(!Owner(accounts, [], .head).reserve(1))
        #expect(Owner(accounts, [account]).reserve(40))
    }

    @Test func `forgets clients that have nothing reserved any more`() {
        let accounts = BodyAccounts(limits)
        let account = accounts.open(.named("a"), bytesMax: 5)
        #expect(accounts.open(.named("a"), bytesMax: 5) === account)
        let owner = Owner(accounts, [account])
        for _ in 0..<2 { accounts.close(account) }
        #expect(accounts.count == 1)
        owner.end()
        #expect(accounts.count == 0)
    }
}

struct `A client's address` {
    @Test(arguments: [
        ("127.0.0.1", "::ffff:127.0.0.1"), ("192.0.2.7:4711", "192.0.2.7"),
        ("[2001:db8::1]:80", "2001:DB8:0::1"), ("[::1]", "::1"),
    ])
    func `is the same in every form`(left: String, right: String) throws {
        let address = try #require(ClientAddress(left))
        #expect(address == ClientAddress(right))
    }

    @Test(arguments: ["", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "::1::", "[", "a:1"])
    func `is nothing else`(text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test func `counts with its network where everybody has a whole one`() throws {
        let one = try #require(ClientAddress("2001:db8::1"))
        #expect(one.share == ClientAddress("2001:db8::ffff:1")?.share)
        #expect(one.share != ClientAddress("2001:db8:0:1::1")?.share)
        #expect(ClientAddress("192.0.2.1")?.share != ClientAddress("192.0.2.2")?.share)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe00::1", false), ("::/0", "::1", true),
        ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::1", "::2", false),
        ("2001:db8:0:1::/64", "2001:db8:0:1:8000::1", true),
        ("2001:db8:0:1::/64", "2001:db8::1", false),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
    ])
    func `is in a range or not`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        let address = try #require(ClientAddress(address))
        #expect(range.contains(address) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "a/8", "/8"])
    func `has ranges that are nothing else`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(
        arguments: [
            (["x-forwarded-for": "192.0.2.1"], "192.0.2.1"),
            (["x-forwarded-for": "198.51.100.9, 192.0.2.1"], "192.0.2.1"),
            (["x-forwarded-for": "192.0.2.1, 10.0.0.2 ,10.0.0.3"], "192.0.2.1"),
            (["forwarded": "for=192.0.2.1;proto=https"], "192.0.2.1"),
            (["forwarded": #"proto=http;For="[2001:db8::1]:4711", for=10.0.0.2"#], "2001:db8::1"),
            (["forwarded": "for=unknown"], "10.0.0.1"),
            (["x-forwarded-for": "nonsense"], "10.0.0.1"),
            // One of the two is the client's own.
            (["x-forwarded-for": "192.0.2.1", "forwarded": "for=192.0.2.2"], "10.0.0.1"),
            (["x-forwarded-for": "10.0.0.7"], "10.0.0.1"), ([:], "10.0.0.1"),
        ] as [([String: String], String)])
    func `is what a trusted proxy says, and no more than that`(
        fields: [String: String], expected: String
    ) throws {
        var headers = Headers()
        for (name, value) in fields { headers.append(name, value) }
        let peer = try #require(ClientAddress("10.0.0.1"))
        let trusted = try [#require(AddressRange("10.0.0.0/8"))]
        #expect(
            ClientAddress.forwarded(headers, by: peer, trusted: trusted) == ClientAddress(expected))
    }
}

struct `What a request waits at most` {
    @Test(
        arguments: [
            (.seconds(-1), 0), (.zero, 0), (.microseconds(1_999), 1), (.seconds(2), 2_000),
            (.seconds(Int64.max), UInt64(Int64.max / 2)),
        ] as [(Duration, UInt64)])
    func `is in whole milliseconds, which can be added to any clock`(
        duration: Duration, millis: UInt64
    ) {
        #expect(duration.millis == millis)
    }
}
