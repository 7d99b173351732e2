//! Which addresses deliveries may go to.
//!
//! Whoever may create a target chooses where this machine connects to. So only addresses of the public internet are
//! dialled, and those that the operator lists.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Not of the public internet (IANA, "IPv4 Special-Purpose Address Registry", and multicast).
const SPECIAL_V4: [Ipv4Net; 15] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];

/// All that is global unicast. What lies outside of it is special, or not assigned: loopback, `::/96` and the other
/// ways to write an IPv4 address below `::/8`, unique local, link local, site local, multicast, `100::/64`, `5f00::/16`.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0], 3);

/// Within it: protocol assignments with Teredo, documentation, and 6to4.
const SPECIAL_V6: [Ipv6Net; 4] =
    [v6([0x2001, 0], 23), v6([0x2001, 0xdb8], 32), v6([0x2002, 0], 16), v6([0x3fff, 0], 20)];

/// Translated to the IPv4 address in its last 32 bits (RFC 6052): how a machine without IPv4 reaches the rest.
const NAT64: Ipv6Net = v6([0x64, 0xff9b], 96);

/// Where clouds give a machine its credentials. Azure's first one is a public address, others lie in networks that
/// operators list (`100.64.0.0/10`, `fc00::/7`) without thinking of them.
const METADATA: [IpAddr; 14] = [
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    // Tencent, and Scaleway.
    IpAddr::V4(Ipv4Addr::new(169, 254, 0, 23)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 42, 42)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42)),
    // Oracle, and OpenStack.
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe)),
    IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// The networks that deliveries may go to beside the public internet.
#[derive(Clone, Debug, Default)]
pub struct Networks(Box<[IpNet]>);

/// Whether an address may be dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// Yes: the operator lists its network.
    Listed,
    /// Yes, with TLS: it is an address of the public internet.
    Public,
    /// No.
    Refused,
}

impl Networks {
    /// These networks, and the public internet. The address of a cloud's metadata service is in none of them
    /// but one that consists of it alone. A network of addresses that stand for IPv4 addresses is that of these.
    pub fn new(listed: impl IntoIterator<Item = IpNet>) -> Self {
        let unfolded = |net: IpNet| match net {
            IpNet::V6(net) if net.prefix_len() >= 96 => match canonical(net.addr().into()) {
                IpAddr::V4(address) => {
                    Ipv4Net::new(address, net.prefix_len() - 96).map_or(net.into(), IpNet::V4)
                }
                IpAddr::V6(_) => net.into(),
            },
            net => net,
        };
        Self(listed.into_iter().map(unfolded).collect())
    }

    /// Judges one address. One that stands for an IPv4 address (`::ffff:0:0/96`, `64:ff9b::/96`) is judged as that.
    pub fn permission(&self, address: IpAddr) -> Permission {
        let address = canonical(address);
        let is_metadata = METADATA.contains(&address);
        let lists = |net: &IpNet| {
            net.contains(&address) && (!is_metadata || net.prefix_len() == net.max_prefix_len())
        };
        if self.0.iter().any(lists) {
            Permission::Listed
        } else if is_public(address) {
            Permission::Public
        } else {
            Permission::Refused
        }
    }
}

fn canonical(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(translated) if NAT64.contains(&translated) => last_v4(translated).into(),
        address => address,
    }
}

fn is_public(address: IpAddr) -> bool {
    if METADATA.contains(&address) {
        return false;
    }
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|net| net.contains(&address)),
        IpAddr::V6(address) => {
            // ISATAP (RFC 5214, section 6.1): a router may unpack what is sent to it, on any network.
            let is_isatap = matches!(address.segments()[4..6], [0 | 0x200, 0x5efe]);
            GLOBAL_V6.contains(&address)
                && !SPECIAL_V6.iter().any(|net| net.contains(&address))
                && (!is_isatap || is_public(last_v4(address).into()))
        }
    }
}

fn last_v4(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([a, b]: [u16; 2], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), prefix)
}
