import CCurl
import Glibc

/// One request on its way. On the loop only.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let body: UnsafeMutableBufferPointer<UInt8>
    private let mayBePrivate: Bool
    /// An address was refused; the reason that curl gives then says less.
    private var wasRefused = false
    private let finish: (WebAnswer) -> Void

    init?(
        _ request: WebRequest, _ options: WebClient.Options,
        _ finish: @escaping (WebAnswer) -> Void
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.finish = finish
        mayBePrivate = options.allowsPrivate
        body = .allocate(capacity: max(1, request.body.count))
        _ = body.update(fromContentsOf: request.body)
        for (name, value) in request.headers {
            headers = curl_slist_append(headers, "\(name): \(value)")
        }
        set(request, options)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
        body.deallocate()
    }

    private func set(_ request: WebRequest, _ options: WebClient.Options) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_text(easy, CURLOPT_URL, request.url)
        ccurl_set_text(
            easy, CURLOPT_PROTOCOLS_STR, options.allowsPrivate ? "http,https" : "https")
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        // Not even by the environment: behind a proxy no address could be looked at.
        ccurl_set_text(easy, CURLOPT_PROXY, "")
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(request.deadlineSeconds * 1000))
        ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(request.deadlineSeconds * 1000))
        if let authority = options.authorityFile {
            ccurl_set_text(easy, CURLOPT_CAINFO, authority)
        }
        ccurl_set_long(easy, CURLOPT_POST, 1)
        ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, request.body.count)
        ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
        ccurl_set_headers(easy, headers)
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        ccurl_set_opener(easy) { transfer, _, address in
            guard let transfer, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().open(address)
        }
        // Answers are read to their end, so that connections can be used again, and dropped.
        ccurl_set_reader_of_body(easy) { _, size, count, _ in size * count }
    }

    /// Here and not before: whoever answers for the name may answer otherwise a moment later.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let socketAddress = ccurl_address(address) else { return CURL_SOCKET_BAD }
        guard mayBePrivate || PublicAddress.isPublic(socketAddress) else {
            wasRefused = true
            return CURL_SOCKET_BAD
        }
        let place = address.pointee
        return socket(place.family, place.socktype | Int32(SOCK_CLOEXEC.rawValue), place.protocol)
    }

    func end(_ result: CURLcode) {
        guard result != CURLE_OK else {
            let seconds = ccurl_retry_after(easy)
            return finish(
                .answered(
                    status: Int(ccurl_status(easy)),
                    retryAfterSeconds: seconds > 0 ? Double(seconds) : nil))
        }
        finish(.failed(wasRefused ? .addressNotPublic : Self.failure(result)))
    }

    func cancel() { finish(.failed(.cancelled)) }

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
