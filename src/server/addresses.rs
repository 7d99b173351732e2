//! Counts the connections of each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

#[derive(Clone, Default)]
pub(super) struct Addresses(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One counted connection of an address, until it is dropped.
pub(super) struct AddressSlot {
    addresses: Addresses,
    address: IpAddr,
}

// === impl Addresses ===

impl Addresses {
    /// Counts one more connection of `address`; `None` if it already has `max`.
    pub(super) fn count(&self, address: IpAddr, max: usize) -> Option<AddressSlot> {
        let address = address.to_canonical();
        let mut counts = self.0.lock();
        let count = counts.entry(address).or_default();
        if *count >= max {
            return None;
        }
        *count += 1;
        Some(AddressSlot { addresses: self.clone(), address })
    }
}

// === impl AddressSlot ===

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let counts = &self.addresses.0;
        let mut counts = counts.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}
