import Foundation
import Testing

@testable import ObjectStorage

struct `A bucket` {
    private static let credentials =
        BucketCredentials(keyID: "AKISLET", secret: "very/secret+", sessionToken: "token")

    private func bucket(
        _ name: String = "archive", _ endpoint: String? = nil, region: String = "eu-central-1",
        allowsPlainHTTP: Bool = false
    ) throws -> Bucket {
        try Bucket(
            name, endpoint: endpoint, region: region, credentials: #require(Self.credentials),
            allowsPlainHTTP: allowsPlainHTTP)
    }

    @Test func `is asked by path, each byte escaped as the signature wants it`() throws {
        #expect(
            try bucket().url(of: "a/b c+ü=1.ndjson")
                == "https://s3.eu-central-1.amazonaws.com/archive/a/b%20c%2B%C3%BC%3D1.ndjson")
        #expect(
            try bucket("archive", "http://127.0.0.1:9000/").url(of: "a")
                == "http://127.0.0.1:9000/archive/a")
        #expect(
            try bucket("archive", "https://[2001:db8::1]:9000").url(of: "a")
                == "https://[2001:db8::1]:9000/archive/a")
    }

    @Test(arguments: [
        "http://minio.example:9000", "http://10.0.0.7", "http://127.evil.example",
        "http://localhost.example",
    ])
    func `is asked without TLS only on this machine, unless that is allowed`(endpoint: String)
        throws
    {
        #expect(throws: BucketError.self) { try bucket("archive", endpoint) }
        #expect(throws: Never.self) { try bucket("archive", endpoint, allowsPlainHTTP: true) }
    }

    @Test(arguments: [
        "ftp://a.example", "https://", "a.example", "https://key:secret@a.example",
        "https://a.example/path", "https://a.example?x=1", "",
    ])
    func `has no endpoint that could mean something else`(endpoint: String) throws {
        do {
            _ = try bucket("archive", endpoint)
            Issue.record("\(endpoint) was taken")
        } catch {
            #expect("\(error)".contains("--s3-endpoint"))
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test(arguments: [
        "ab", "Archive", "a/b", "a..b", ".ab", "a b", String(repeating: "a", count: 64),
    ])
    func `has a name that S3 takes`(name: String) {
        #expect(throws: BucketError.self) { try bucket(name) }
    }

    @Test(arguments: ["", "eu:central", "eu central", "EU"])
    func `has a region that cannot break out of a signature`(region: String) {
        #expect(throws: BucketError.self) { try bucket(region: region) }
    }

    @Test func `is written with a prefix of plain names`() throws {
        let path = try BucketPath("s3://archive/shops/pizzeria/")
        #expect(path.bucket == "archive" && path.prefix == "shops/pizzeria")
        #expect(path.text == "s3://archive/shops/pizzeria")
        #expect(try BucketPath("s3://archive").text == "s3://archive")
        for text in ["s3://", "s3:///a", "s3://a//b", "s3://a/../b", "s3://a/./b", "s3://a/b\u{1}"]
        {
            #expect(throws: BucketError.self, "\(text)") { try BucketPath(text) }
        }
        #expect(!BucketPath.isMeant(by: "/archive/s3://x"))
    }
}

struct `Credentials of a bucket` {
    @Test func `come from the variables and files that AWS's tools read`() throws {
        let variables = BucketCredentials(environment: [
            "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "se:cret",
            "AWS_SESSION_TOKEN": "token",
        ])
        #expect(
            variables == BucketCredentials(keyID: "AK", secret: "se:cret", sessionToken: "token"))
        let file = """
            # ours
            [other]
            aws_access_key_id = OTHER
            aws_secret_access_key = other
            [default]
            aws_access_key_id = AK
            aws_secret_access_key=se=cret\r
            """
        #expect(
            BucketCredentials(file: Array(file.utf8))
                == BucketCredentials(keyID: "AK", secret: "se=cret"))
        let plain = "AWS_ACCESS_KEY_ID=AK\nAWS_SECRET_ACCESS_KEY=s\naws_session_token=\n"
        #expect(
            BucketCredentials(file: Array(plain.utf8))
                == BucketCredentials(keyID: "AK", secret: "s"))
    }

    @Test(arguments: [
        "", "AK secret", "[other]\naws_access_key_id=A\naws_secret_access_key=B",
        "aws_access_key_id=A", "aws_access_key_id=A\naws_secret_access_key=a b",
    ])
    func `are none where a file does not say them`(text: String) {
        #expect(BucketCredentials(file: Array(text.utf8)) == nil)
    }

    @Test func `are in no text, whatever prints them`() throws {
        let credentials = try #require(
            BucketCredentials(keyID: "AK", secret: "verysecret", sessionToken: "verytoken"))
        let bucket = try Bucket(
            "archive", endpoint: nil, region: "us-east-1", credentials: credentials)
        var dumped = ""
        dump(bucket, to: &dumped)
        for text in ["\(bucket)", String(reflecting: bucket), "\(credentials)", dumped] {
            #expect(!text.contains("very"), "\(text)")
        }
        #expect(dumped.contains("AK"))
    }
}
