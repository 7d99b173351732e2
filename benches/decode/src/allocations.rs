//! Counts allocations.
//!
//! The counter uses neither a locked instruction nor a thread-local, so that it adds three
//! instructions to an allocation and hardly slows down a peer that allocates much. It is right as
//! long as only one thread allocates, as in this program.
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;
static COUNT: AtomicU64 = AtomicU64::new(0);

struct Counting;

impl Counting {
    #[inline(always)]
    fn count() {
        COUNT.store(COUNT.load(Relaxed) + 1, Relaxed);
    }
}

#[allow(unsafe_code)]
// SAFETY: every call is passed on unchanged to the system's allocator, which fulfils the contract.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: the caller fulfils this method's contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: as above; `pointer` came from this allocator, so from the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The number of allocations while `run` ran, including reallocations.
pub fn during(run: impl FnOnce()) -> u64 {
    let before = COUNT.load(Relaxed);
    run();
    COUNT.load(Relaxed) - before
}
