import Testing

@testable import Postgres

struct `Hosts of a connection string` {
    @Test func `are asked one by one, each with its port and all the rest`() {
        let hosts = ConnectionString.hosts(
            of: "postgresql://islet:it's%20secret@a,b:6432/orders?target_session_attrs=read-write")
        #expect(hosts.map(\.name) == ["a", "b:6432"])
        #expect(
            hosts[1].url == #"dbname='orders' host='b' password='it\'s secret' port='6432' "#
                + "target_session_attrs='any' user='islet'")
        #expect(!hosts[0].url.contains("port="))
        #expect(hosts.allSatisfy { !$0.name.contains("secret") })
    }

    @Test func `share a port where there is only one`() {
        let hosts = ConnectionString.hosts(of: "host=a,b port=6000 dbname=x")
        #expect(hosts.map(\.name) == ["a:6000", "b:6000"])
    }

    @Test(
        arguments: [
            ("postgresql://x@a,b/y", ["a:5432", "b:5432"]),
            ("postgresql://x@a,b:6432/y", ["a:5432", "b:6432"]),
            ("host=a,b port=6000", ["a:6000", "b:6000"]), ("host=a", ["a:5432"]),
        ])
    func `are dialled one by one, at the usual port where a list names none`(
        text: String, names: [String]
    ) throws {
        let options = try #require(ConnectionString.options(text))
        let servers = ServerAddress.all(options)
        #expect(servers.map(\.name) == names)
        // An empty one would leave the string's own list in force.
        #expect(servers.allSatisfy { $0.port?.isEmpty != true })
    }

    @Test(arguments: ["islet", "dbname=islet"])
    func `are what libpq takes by default where none is named`(text: String) {
        let hosts = ConnectionString.hosts(of: text)
        #expect(hosts.map(\.url) == [text])
    }
}
