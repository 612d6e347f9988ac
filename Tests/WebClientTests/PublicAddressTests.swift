import Testing
import WebClient

@Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.1", "2130706433", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1",
    "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1",
    "[::1]",
    "::ffff:8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fc00::1", "fd12::1", "fe80::1",
    "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1",
])
func `addresses of this machine and its network are not public`(host: String) {
    #expect(PublicAddress.isPublic(numericHost: host) == false)
}

@Test(arguments: [
    "8.8.8.8", "1.1.1.1", "168.63.129.15", "168.63.129.17", "172.15.0.1", "172.32.0.1",
    "100.128.0.1", "192.1.0.1", "223.255.255.1",
    "2606:4700:4700::1111", "[2a00:1450:4001::1]", "2001:4860:4860::8888",
])
func `addresses of others are public`(host: String) {
    #expect(PublicAddress.isPublic(numericHost: host) == true)
}

@Test(arguments: ["localhost", "example.com", "a.1", "", "[example]"])
func `a name is no address`(host: String) {
    #expect(PublicAddress.isPublic(numericHost: host) == nil)
}
