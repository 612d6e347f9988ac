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
        #expect(string.hasPassword == hasPassword)
    }
}
