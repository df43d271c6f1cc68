//! Pure: no I/O, no clock. Who a request really comes from.

use crate::config::TrustedProxies;
use crate::webhook::delivery::Peer;
use std::net::{IpAddr, Ipv6Addr};

/// The client's address, or none where it cannot be told, which is refused.
///
/// It is the peer's, unless the peer is a trusted proxy: then the right-most address of `X-Forwarded-For` that is no
/// trusted proxy itself. `lines_last_first` are the values of all its header lines, the last one first.
///
/// What stands to the right of that address was written by our own proxies. So a word there that is no address
/// (`unknown`, a broken proxy) hides who came before it: none. What stands to its left was written by strangers and
/// is never looked at. Empty parts are skipped (RFC 9110 §5.6.1). Without any usable address a proxy speaks for
/// itself; on the unix socket it has no address to do so.
pub fn client_address<'a>(
    peer: Peer,
    lines_last_first: impl Iterator<Item = &'a [u8]>,
    trusted: &TrustedProxies,
) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| trusted.networks.iter().any(|network| network.contains(address));
    let own = match peer {
        Peer::Tcp(socket) => Some(socket.ip().to_canonical()),
        Peer::Unix => None,
    };
    let is_proxy = own.as_ref().map_or(trusted.unix, is_trusted);
    if !is_proxy {
        return own;
    }
    lines_last_first
        .flat_map(|line| line.rsplit(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty())
        .map(address)
        .find(|address| address.as_ref().is_none_or(|address| !is_trusted(address)))
        .unwrap_or(own)
}

/// One part of the header: an address, perhaps with a port, IPv6 perhaps in brackets or with a zone.
fn address(part: &[u8]) -> Option<IpAddr> {
    /// The longest way to write a part: brackets, mapped IPv4, a zone, a port.
    const PART_MAX_BYTES: usize = 128;

    let text = std::str::from_utf8(part.get(..PART_MAX_BYTES.min(part.len()))?).ok()?;
    if text.len() < part.len() {
        return None;
    }
    let address = if let Some(bracketed) = text.strip_prefix('[') {
        let (address, port) = bracketed.split_once(']')?;
        (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(())?;
        IpAddr::V6(ipv6(address)?)
    } else if let Some((address, port)) = text.split_once(':').filter(|(_, port)| !port.contains(':')) {
        is_port(port).then_some(())?;
        IpAddr::V4(address.parse().ok()?)
    } else if text.contains(':') {
        IpAddr::V6(ipv6(text)?)
    } else {
        IpAddr::V4(text.parse().ok()?)
    };
    Some(address.to_canonical())
}

/// Without its zone, which means something on the machine of the proxy alone.
fn ipv6(text: &str) -> Option<Ipv6Addr> {
    text.split_once('%').map_or(text, |(address, _)| address).parse().ok()
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn trusting(networks: &[&str]) -> TrustedProxies {
        TrustedProxies { networks: networks.iter().map(|network| network.parse().unwrap()).collect(), unix: true }
    }

    fn tcp(address: &str) -> Peer {
        Peer::Tcp((address.parse::<IpAddr>().unwrap(), 4711).into())
    }

    /// What the proxy 10.0.0.1 (or another of 10.0.0.0/8 and fd00::/8) says with these header lines.
    fn through_proxy(lines: &[&str]) -> Option<IpAddr> {
        let lines = lines.iter().rev().map(|line| line.as_bytes());
        client_address(tcp("10.0.0.1"), lines, &trusting(&["10.0.0.0/8", "fd00::/8"]))
    }

    #[test]
    fn the_right_most_address_that_is_no_proxy_is_the_client() {
        let table: &[(&[&str], &str)] = &[
            (&["149.154.167.220"], "149.154.167.220"),
            (&["  149.154.167.220\t"], "149.154.167.220"),
            (&["1.1.1.1, 149.154.167.220"], "149.154.167.220"),
            (&["149.154.167.220, 1.1.1.1"], "1.1.1.1"),
            (&["149.154.167.220, 10.1.2.3, 10.9.9.9"], "149.154.167.220"),
            (&["1.1.1.1", "149.154.167.220"], "149.154.167.220"),
            (&["149.154.167.220", "10.0.0.2"], "149.154.167.220"),
            (&["149.154.167.220", "1.1.1.1", "10.0.0.2"], "1.1.1.1"),
            (&["149.154.167.220:443"], "149.154.167.220"),
            (&["149.154.167.220 , fd00::1, [fd00::2]:80"], "149.154.167.220"),
            (&["2001:db8::7"], "2001:db8::7"),
            (&["[2001:db8::7]"], "2001:db8::7"),
            (&["[2001:db8::7]:8443"], "2001:db8::7"),
            (&["fe80::1%eth0"], "fe80::1"),
            (&["[fe80::1%25eth0]:80"], "fe80::1"),
            (&["::ffff:149.154.167.220"], "149.154.167.220"),
            (&["[::ffff:149.154.167.220]:5"], "149.154.167.220"),
            (&["::ffff:95.9a.a7.dc", "149.154.167.221"], "149.154.167.221"),
            // The strangers' part of the header is never looked at.
            (&["unknown, %%%, \u{7f}, 149.154.167.220"], "149.154.167.220"),
            // A proxy written as a mapped address is the same proxy.
            (&["149.154.167.220, ::ffff:10.0.0.9"], "149.154.167.220"),
            // Empty parts are nothing.
            (&[",149.154.167.220,, ,"], "149.154.167.220"),
            (&["149.154.167.220", "", " , "], "149.154.167.220"),
            // Nothing usable: the proxy speaks for itself.
            (&[], "10.0.0.1"),
            (&[""], "10.0.0.1"),
            (&[" , ,,"], "10.0.0.1"),
            (&["10.0.0.7, fd00::1"], "10.0.0.1"),
        ];
        for (lines, client) in table {
            assert_eq!(through_proxy(lines), Some(client.parse().unwrap()), "{lines:?}");
        }
    }

    #[test]
    fn a_word_of_our_proxies_that_is_no_address_is_refused() {
        let long = format!("149.154.167.220, {}", "9".repeat(10_000));
        for line in [
            "unknown",
            "149.154.167.220, unknown",
            "149.154.167.220, _hidden, 10.0.0.2",
            "149.154.167.220:",
            "149.154.167.220:x",
            "149.154.167.220:65536",
            "149.154.167.220:+80",
            "149.154.167",
            "149.154.167.220.1",
            "0149.154.167.220",
            "149.154.167.220 1.1.1.1",
            "149.154.167.220;",
            "\"149.154.167.220\"",
            "for=149.154.167.220",
            "[149.154.167.220]",
            "[2001:db8::7",
            "2001:db8::7]",
            "[2001:db8::7]443",
            "[]",
            "[",
            "%",
            "2001:db8:::7",
            "149.154.167.220/20",
            &long,
        ] {
            assert_eq!(through_proxy(&[line]), None, "{line}");
        }
        assert_eq!(
            client_address(tcp("10.0.0.1"), std::iter::once(&b"149.154.167.220, \xff"[..]), &trusting(&["10.0.0.0/8"])),
            None
        );
    }

    #[test]
    fn a_peer_that_is_no_proxy_is_the_client_whatever_it_says() {
        let trusted = trusting(&["10.0.0.0/8"]);
        let said = || std::iter::once(&b"149.154.167.220"[..]);

        assert_eq!(client_address(tcp("203.0.113.9"), said(), &trusted), "203.0.113.9".parse().ok());
        assert_eq!(client_address(tcp("::ffff:203.0.113.9"), said(), &trusted), "203.0.113.9".parse().ok());
        assert_eq!(client_address(tcp("::ffff:10.0.0.1"), said(), &trusted), "149.154.167.220".parse().ok());
        assert_eq!(client_address(tcp("10.0.0.1"), said(), &TrustedProxies::default()), "10.0.0.1".parse().ok());
    }

    #[test]
    fn the_unix_socket_is_trusted_only_by_its_word() {
        let said = || std::iter::once(&b"149.154.167.220"[..]);
        let by_network = TrustedProxies { networks: vec!["0.0.0.0/0".parse().unwrap()], unix: false };

        assert_eq!(client_address(Peer::Unix, said(), &trusting(&[])), "149.154.167.220".parse().ok());
        assert_eq!(client_address(Peer::Unix, said(), &by_network), None);
        assert_eq!(client_address(Peer::Unix, std::iter::empty(), &trusting(&[])), None);
    }

    #[test]
    fn ten_kilobytes_of_junk_are_refused() {
        for junk in [
            "9".repeat(10_240),
            "1.1.1.1 ".repeat(1280),
            "[".repeat(10_240),
            ":".repeat(10_240),
            "%".repeat(10_240),
            ",x".repeat(5120),
            "\u{1F480}".repeat(2560),
        ] {
            assert_eq!(through_proxy(&[&junk]), None, "{}…", junk.chars().take(16).collect::<String>());
        }
    }

    /// A header line: addresses, what is nearly one, and anything at all.
    fn line() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            any::<[u8; 4]>().prop_map(|ip| IpAddr::from(ip).to_string().into_bytes()),
            any::<[u16; 8]>().prop_map(|ip| IpAddr::from(ip).to_string().into_bytes()),
            any::<([u16; 8], u16)>().prop_map(|(ip, port)| format!("[{}]:{port}", IpAddr::from(ip)).into_bytes()),
            Just(b"10.1.2.3".to_vec()),
            "[0-9a-f:.%x\\[\\] ]{0,20}".prop_map(String::into_bytes),
            vec(any::<u8>(), 0..40),
        ];
        vec(part, 0..4).prop_map(|parts| parts.join(&b", "[..]))
    }

    /// Whether some piece of `line` is `address`, however written.
    fn stands_in(line: &[u8], address: IpAddr) -> bool {
        let text = String::from_utf8_lossy(line);
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        places.iter().enumerate().any(|(index, from)| {
            places[index..]
                .iter()
                .any(|to| text[*from..*to].parse::<IpAddr>().is_ok_and(|found| found.to_canonical() == address))
        })
    }

    proptest! {
        #[test]
        fn it_never_panics_and_never_invents_an_address(lines in vec(line(), 0..4)) {
            let said = lines.iter().map(Vec::as_slice);
            if let Some(client) = client_address(tcp("10.0.0.1"), said, &trusting(&["10.0.0.0/8"])) {
                let is_peer = client == "10.0.0.1".parse::<IpAddr>().unwrap();
                prop_assert!(is_peer || lines.iter().any(|line| stands_in(line, client)), "{client}: {lines:?}");
            }
        }

        #[test]
        fn whatever_strangers_write_the_address_that_our_proxy_adds_is_the_client(
            stranger in "[ -~]{0,200}",
            client in any::<[u8; 4]>().prop_map(IpAddr::from).prop_filter("no proxy", |ip| {
                !"10.0.0.0/8".parse::<ipnet::IpNet>().unwrap().contains(ip)
            }),
            line in prop_oneof![Just(", "), Just(","), Just(" ,")],
        ) {
            let header = format!("{stranger}{line}{client}");
            prop_assert_eq!(through_proxy(&[&header]), Some(client));
            prop_assert_eq!(through_proxy(&[&stranger, &client.to_string()]), Some(client));
        }

        #[test]
        fn a_stranger_stays_itself(line in "[ -~]{0,200}") {
            let lines = std::iter::once(line.as_bytes());
            prop_assert_eq!(client_address(tcp("203.0.113.9"), lines, &trusting(&["10.0.0.0/8"])), "203.0.113.9".parse().ok());
        }
    }
}
