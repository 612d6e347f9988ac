import Postgres
import TestSupport
import Testing

struct `A connection string` {
    /// As people write them wrongly.
    static let malformed = [
        "postgres//islet:s3cret@db/islet", "postgresql:/islet:s3cret@db/islet",
        "postgresql://islet:s3cret@db:54x32/islet", "postgresql://islet:s3cret/islet",
        "postgresql://islet:a/s3cret@db/islet", "postgresql://islet:a@s3cret@db/islet",
        "postgresql://islet:s3cret%zz@db/islet", "postgresql://islet:s3cret@db/islet?x=y",
        "postgresql://islet:pass@word/s3cret@db/islet", "host=db pasword=s3cret",
        "host=db password=pass s3cret", "host=db password='s3cret", "islet:s3cret@db/islet",
        "mysql://islet:s3cret@db/islet", "postgresql://islet:s3cret@[db/islet",
    ]

    @Test(arguments: malformed)
    func `that is wrong is refused without a word of it`(text: String) async throws {
        let complaint = try #require(ConnectionString(text).complaint)
        #expect(!complaint.contains("s3cret"))
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: text), acquireTimeoutSeconds: 0.2),
            loop: TestDatabase.loop)
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        #expect(!String(describing: error).contains("s3cret"))
        await pool.close()
    }

    @Test(arguments: [
        ("postgresql:///islet?host=%2Frun%2Fislet&user=islet", false),
        ("postgresql://islet:s3%2Fcr%40et@db1,db2:5433/islet?target_session_attrs=any", true),
        ("postgres://islet:s:cret@db:5432/islet", true), ("postgresql://[::1]/islet", false),
        ("host=db dbname=islet password='a b'", true), ("islet", false),
    ])
    func `that is right is taken`(text: String, hasPassword: Bool) {
        let string = ConnectionString(text)
        #expect(string.complaint == nil)
        #expect(string.refusal == nil)
        #expect(string.hasPassword == hasPassword)
    }

    /// A server that waits for its database would wait for ever.
    @Test(arguments: [
        ("postgresql://a@db:99999999/islet", "invalid port number"),
        ("postgresql://a@db1:5432,db2:70000/islet", "invalid port number"),
        ("host=db1,db2,db3 port=5432,5433", "could not match 2 port numbers to 3 hosts"),
        ("postgresql://a@db/islet?sslmode=s3cret", "invalid sslmode value"),
        ("postgresql:///islet?target_session_attrs=s3cret", "invalid target_session_attrs value"),
    ])
    func `with a value that libpq refuses is refused before any server is asked`(
        text: String, words: String
    ) throws {
        let string = ConnectionString(text)
        #expect(string.complaint == nil)
        let refusal = try #require(string.refusal)
        #expect(refusal.hasPrefix("has a value that libpq refuses: \(words)"), "\(refusal)")
        #expect(!refusal.contains("s3cret"))
    }
}
