import CCurl
import Glibc

/// One request on its way. On the loop only.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var addresses: UnsafeMutablePointer<curl_slist>?
    private let body: UnsafeMutableBufferPointer<UInt8>
    private let mayBePrivate: Bool
    /// An address was refused; the reason that curl gives then says less.
    private var wasRefused = false
    /// Somebody was asked, so that what is wrong is their answer.
    private var hasConnected = false
    private var headBytes = 0
    private var headLines = 0
    /// `Retry-After` has more seconds than an `Int64` has room for.
    private var isRetryAfterTooLarge = false
    private var bodyBytes = 0
    private let keptBytesMax: Int?
    /// Of the answer's body, where it is wanted.
    private(set) var kept: [UInt8] = []

    /// - Parameters:
    ///   - entries: addresses of the host in libcurl's form; none where the host is one itself.
    ///   - millis: until the end of the answer.
    init?(
        _ request: WebRequest, _ entries: [String], within millis: Int,
        _ options: WebClient.Options
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        mayBePrivate = options.allowsPrivate
        keptBytesMax = request.answerBytesMax
        body = .allocate(capacity: max(1, request.body.count))
        _ = body.update(fromContentsOf: request.body)
        for (name, value) in request.headers {
            headers = curl_slist_append(headers, "\(name): \(value)")
        }
        for entry in entries { addresses = curl_slist_append(addresses, entry) }
        set(request, within: millis, options)
        takeAnswer()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
        curl_slist_free_all(addresses)
        body.deallocate()
    }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
        pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func set(_ request: WebRequest, within millis: Int, _ options: WebClient.Options) {
        ccurl_set_text(easy, CURLOPT_URL, request.url)
        ccurl_set_text(
            easy, CURLOPT_PROTOCOLS_STR, options.allowsPrivate ? "http,https" : "https")
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        // Not even by the environment: behind a proxy no address could be looked at.
        ccurl_set_text(easy, CURLOPT_PROXY, "")
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_addresses(easy, addresses)
        // libcurl has the addresses already. Where it should look a name up after all, it must not
        // wait for the thread that does: this is the loop of everybody's requests.
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, millis)
        ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, millis)
        if let authority = options.authorityFile {
            ccurl_set_text(easy, CURLOPT_CAINFO, authority)
        }
        if request.method != "GET" {
            ccurl_set_long(easy, CURLOPT_POST, 1)
            ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, request.body.count)
            ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
            ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
        if let signer = request.signer {
            ccurl_set_text(
                easy, CURLOPT_AWS_SIGV4, "aws:amz:\(signer.region):\(signer.service)")
            ccurl_set_text(easy, CURLOPT_USERNAME, signer.keyID)
            ccurl_set_text(easy, CURLOPT_PASSWORD, signer.secret)
        }
        ccurl_set_headers(easy, headers)
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        ccurl_set_opener(easy) { transfer, _, address in
            guard let transfer = Transfer.from(transfer), let address else {
                return CURL_SOCKET_BAD
            }
            return transfer.open(address)
        }
    }

    /// Answers are read to their end, so that connections can be used again, and dropped where
    /// nobody wants them; but not beyond their bounds.
    private func takeAnswer() {
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, me)
        ccurl_set_reader_of_head(easy) { bytes, size, count, transfer in
            guard let transfer = Transfer.from(transfer) else { return 0 }
            transfer.headBytes += size * count
            transfer.headLines += 1
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            if RetryAfter.isTooLarge(line) { transfer.isRetryAfterTooLarge = true }
            return transfer.isHeadTooLong ? 0 : size * count
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, me)
        ccurl_set_reader_of_body(easy) { bytes, size, count, transfer in
            guard let transfer = Transfer.from(transfer) else { return 0 }
            transfer.bodyBytes += size * count
            if transfer.keptBytesMax != nil, !transfer.isBodyTooLong, let bytes {
                transfer.kept.append(
                    contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            return transfer.isBodyTooLong ? 0 : size * count
        }
    }

    private var isHeadTooLong: Bool {
        headBytes > Limits.answerHeadBytesMax || headLines > Limits.answerHeadLinesMax
    }

    private var isBodyTooLong: Bool { bodyBytes > keptBytesMax ?? Limits.answerBodyBytesMax }

    /// Here as well as where the name was looked up: this is the address that is asked.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let socketAddress = ccurl_address(address) else { return CURL_SOCKET_BAD }
        guard mayBePrivate || PublicAddress.isPublic(socketAddress) else {
            wasRefused = true
            return CURL_SOCKET_BAD
        }
        hasConnected = true
        let place = address.pointee
        return socket(place.family, place.socktype | Int32(SOCK_CLOEXEC.rawValue), place.protocol)
    }

    func answer(_ result: CURLcode) -> WebAnswer {
        if isHeadTooLong || (keptBytesMax != nil && isBodyTooLong) {
            return .failed(.answerTooLong)
        }
        // The head has come where there is a body.
        guard result == CURLE_OK || isBodyTooLong else {
            if result == CURLE_UNSUPPORTED_PROTOCOL, hasConnected { return .failed(.broken) }
            return .failed(wasRefused ? .addressNotPublic : Self.failure(result))
        }
        let seconds = isRetryAfterTooLarge ? Int64.max : ccurl_retry_after(easy)
        return .answered(
            status: Int(ccurl_status(easy)), retryAfterSeconds: seconds > 0 ? Double(seconds) : nil)
    }

    private static func failure(_ result: CURLcode) -> WebFailure {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: .nameNotFound
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .tooSlow
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .notTrusted
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidURL
        default: .broken
        }
    }
}
