//! Threads for large arrays, also in a process that was forked.
//!
//! A forked process has a copy of the pool without its threads, and would wait for them forever. So a pool belongs to the
//! process that made it, and another process makes its own. No lock is held that a fork could leave closed.

use std::num::NonZero;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

struct Pool {
    process: u32,
    count: usize,
    threads: ThreadPool,
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
/// Bytes of a thread's stack, as many as the first thread of a process has on most systems: without optimization, kernels of
/// declarations need more than the 2 MiB that other threads get.
const STACK: usize = 8 << 20;
/// How many threads are wanted, 0 for as many as the machine has (or `RAYON_NUM_THREADS` says).
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Asks for a number of threads, at most as many as the machine has: more of them would wait for each other. 0 asks for all.
pub(crate) fn set_count(count: usize) {
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    WANTED.store(count.min(most), Ordering::Relaxed);
}

/// How many threads large arrays are shared by.
pub(crate) fn count() -> usize {
    pool().map_or(1, ThreadPool::current_num_threads)
}

/// The pool of this process; `None` if it would have one thread or none, and work is done by the caller then.
pub(crate) fn pool() -> Option<&'static ThreadPool> {
    started().filter(|pool| pool.current_num_threads() > 1)
}

fn started() -> Option<&'static ThreadPool> {
    let count = WANTED.load(Ordering::Relaxed);
    // This pairs with the release below, so that a pool is seen whole.
    let known = POOL.load(Ordering::Acquire);
    #[allow(unsafe_code, reason = "a pool is never freed once it stands here")]
    // SAFETY: the pointer is null or that of a pool that was leaked below.
    if let Some(pool) = unsafe { known.as_ref() }
        && pool.process == process::id()
        && pool.count == count
    {
        return Some(&pool.threads);
    }
    let name = |i| format!("gaussform-{i}");
    let builder = ThreadPoolBuilder::new().num_threads(count).stack_size(STACK).thread_name(name);
    let threads = builder.build().ok()?;
    // A pool of another process cannot be ended, and one that is still in use must not be.
    let pool = Box::leak(Box::new(Pool { process: process::id(), count, threads }));
    POOL.store(pool, Ordering::Release);
    Some(&pool.threads)
}
