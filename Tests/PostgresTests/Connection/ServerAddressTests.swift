import Testing

@testable import Postgres

struct `A server of a connection string` {
    private func servers(_ text: String) throws -> [ServerAddress] {
        ServerAddress.all(try #require(ConnectionString.options(text)))
    }

    @Test(
        arguments: [
            ("host=db", ["db:5432"]), ("host=db port=6000", ["db:6000"]),
            ("hostaddr=10.0.0.1", ["10.0.0.1:5432"]),
            ("host=db hostaddr=10.0.0.1 port=6000", ["db:6000 (10.0.0.1)"]),
            ("host=a,b hostaddr=10.0.0.1,10.0.0.2", ["a:5432 (10.0.0.1)", "b:5432 (10.0.0.2)"]),
            ("hostaddr=10.0.0.1,::1 port=1,2", ["10.0.0.1:1", "::1:2"]),
            ("host=/run/islet", ["/run/islet:5432"]),
            ("host=a,b target_session_attrs=standby", ["a:5432", "b:5432"]),
            ("host=a target_session_attrs=prefer-standby", ["a:5432"]),
        ])
    func `has a name for logs`(text: String, names: [String]) throws {
        #expect(try servers(text).map(\.name) == names)
    }

    /// Only libpq knows which one is meant.
    @Test(arguments: [
        "dbname=islet", "host=a,b port=1,2,3", "host=a,b,c port=1,2", "host=a,b hostaddr=10.0.0.1",
        "host=a,b target_session_attrs=prefer-standby", "host=a service=islet",
        "host=/one,/two hostaddr=127.0.0.1,", "host=/one,,/two",
    ])
    func `is left to libpq where its string is not plain`(text: String) throws {
        let servers = try servers(text)
        #expect(servers == [ServerAddress(host: nil, address: nil, port: nil)])
        #expect(servers.first?.settings.isEmpty == true)
        #expect(servers.first?.name == "local:5432")
    }

    @Test func `beats the string's own words with all that it has`() throws {
        let servers = try servers("host=a,b hostaddr=10.0.0.1,10.0.0.2 port=6000,")
        #expect(
            servers.map { $0.settings.map { "\($0.0)=\($0.1)" } } == [
                ["host=a", "hostaddr=10.0.0.1", "port=6000"],
                ["host=b", "hostaddr=10.0.0.2", "port=5432"],
            ])
        #expect(try self.servers("host=a").first?.settings.map(\.0) == ["host"])
    }

    @Test(arguments: ["/run/islet", "@islet", "127.0.0.1", "::1"])
    func `needs no look-up where its host is an address or a path`(host: String) {
        let server = ServerAddress(host: host, address: nil, port: "6000")
        #expect(server.resolved == [server])
    }

    @Test func `needs no look-up where its address is known`() {
        let server = ServerAddress(host: "db.example", address: "10.0.0.1", port: nil)
        #expect(server.resolved == [server])
        let local = ServerAddress(host: nil, address: nil, port: nil)
        #expect(local.resolved == [local])
    }
}

struct `The patience of a dial` {
    private func dial(_ url: String, seconds: Int = 3) throws(PostgresError) -> Dial {
        try Dial(
            ConnectionConfiguration(url: url, connectTimeoutSeconds: seconds), ConnectionRecord())
    }

    @Test(arguments: [
        ("host=db", 3), ("host=db connect_timeout=7", 7), ("host=db connect_timeout=0", 3),
        ("host=db connect_timeout=-1", 3), ("host=db connect_timeout=soon", 3),
        ("postgresql://db/islet?connect_timeout=12", 12), ("islet", 3),
    ])
    func `is the string's own, else the configuration's`(url: String, seconds: Int) throws {
        #expect(try dial(url).patience == .seconds(seconds))
    }

    @Test func `is not asked for where the string cannot be read`() {
        let error = #expect(throws: PostgresError.self) { try dial("mysql://a:5ecret@db/x") }
        guard case .cannotConnect(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.hasPrefix("the database's URL is no connection string: it must look like"))
        #expect(!detail.contains("5ecret"))
    }

    @Test func `shows nothing of the string`() {
        let configuration = ConnectionConfiguration(url: "postgresql://me:5ecret@db/x")
        #expect("\(configuration)" == "<connection to Postgres>")
        #expect(!"\(PoolConfiguration(connection: configuration))".contains("5ecret"))
    }
}
