import AppKeys
import Archive
import Foundation
import ObjectStorage
import TLS
import Terminal

/// Where an archive lies, as a command's argument says: a directory or file of this machine, or
/// `s3://bucket/prefix`.
enum ArchiveLocation {
    static let options = [
        OptionSpec(
            "s3-endpoint", .text(placeholder: "URL"),
            "Server of s3://… places, such as https://minio.example:9000; Amazon's without it.",
            foreignVariable: "AWS_ENDPOINT_URL_S3"),
        OptionSpec(
            "s3-region", .text(placeholder: "NAME"), "Region of their bucket.",
            default: "us-east-1", foreignVariable: "AWS_REGION"),
        OptionSpec(
            "s3-credentials-file", .text(placeholder: "FILE"),
            "Key and secret for them, as AWS's tools keep them: aws_access_key_id = … and "
                + "aws_secret_access_key = …, a line each. Without it AWS_ACCESS_KEY_ID and "
                + "AWS_SECRET_ACCESS_KEY say it."),
        OptionSpec(
            "s3-ca-file", .text(placeholder: "FILE"),
            "Certificate authorities of that server, in PEM, instead of the system's.",
            foreignVariable: "AWS_CA_BUNDLE"),
        OptionSpec(
            "s3-allow-http", .flag,
            "Take an endpoint without TLS that is not on this machine: others on the way can read "
                + "and change everything."),
    ]

    /// - Parameter text: what an option or operand says.
    static func layout(_ text: String, _ arguments: Arguments) throws(CommandFailure) -> Layout {
        guard BucketPath.isMeant(by: text) else {
            for option in options where arguments.isTyped(option.name) {
                throw .usage(
                    "--\(option.name) is for places such as s3://bucket/prefix, and \(text) is on "
                        + "this machine; leave it out")
            }
            return Layout(text)
        }
        let credentials = try credentials(arguments)
        try TLSContext.checkTrust("s3-ca-file", arguments)
        do throws(BucketError) {
            let path = try BucketPath(text)
            return Layout(
                path.text,
                in: try Bucket(
                    path.bucket, endpoint: arguments.text("s3-endpoint"),
                    region: arguments.text("s3-region") ?? "us-east-1", credentials: credentials,
                    authorityFile: arguments.text("s3-ca-file"),
                    allowsPlainHTTP: arguments.flag("s3-allow-http")))
        } catch { throw .usage(error.description) }
    }

    /// - Parameter place: as it was noted of an archive. What options say of buckets may be meant
    ///   for others.
    static func layout(
        ofNoted place: String, _ arguments: Arguments
    ) throws(ArchiveError) -> Layout {
        guard BucketPath.isMeant(by: place) else { return Layout(place) }
        do throws(CommandFailure) { return try layout(place, arguments) } catch {
            throw .file(place, error.text)
        }
    }

    private static func credentials(
        _ arguments: Arguments
    ) throws(CommandFailure) -> BucketCredentials {
        guard let file = arguments.text("s3-credentials-file") else {
            let environment = ProcessInfo.processInfo.environment
            if let credentials = BucketCredentials(environment: environment) { return credentials }
            throw .usage(
                "--s3-credentials-file is missing; give it, or set AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY")
        }
        let text = try GivenFile.read(file, option: "s3-credentials-file")
        SecretFile.warnIfOpen(file, option: "s3-credentials-file")
        guard let credentials = BucketCredentials(file: Array(text)) else {
            throw .failed(
                "--s3-credentials-file: \(file) must have lines with aws_access_key_id = … and "
                    + "aws_secret_access_key = …, below [default] or without a heading")
        }
        return credentials
    }

    /// Where a file that belongs to the place is kept on this machine: beside it, or for one in a
    /// bucket in the directory where the command runs.
    static func file(beside text: String, _ suffix: String) -> String {
        guard BucketPath.isMeant(by: text) else {
            return (text.hasSuffix("/") ? String(text.dropLast()) : text) + suffix
        }
        return text.split(separator: "/").dropFirst().joined(separator: "-") + suffix
    }
}
