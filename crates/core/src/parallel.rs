//! Work shared out over scoped threads: no pool, so nothing to hang in a forked child.
//!
//! Ranges are handed out in order to whichever worker is free; the calling thread is one of the workers.
//! Results never depend on the number of threads: outputs are placed by range, and of several errors the
//! one of the lowest range is returned. A panic becomes an internal error.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::{Error, Result};

/// Ranges a worker gets on average, so that uneven ones even out.
const RANGES_A_WORKER: usize = 8;

/// The number of threads meant by `requested`: 0 stands for every core this process may use.
pub fn threads(requested: usize) -> usize {
    if requested > 0 {
        return requested;
    }
    thread::available_parallelism().map_or(1, |n| n.get())
}

/// Calls `work` once for each of the ranges that make up `0..n`, none longer than needed and, but for the
/// last, none shorter than `grain`. Runs inline for one thread or when `n <= grain`.
pub fn for_chunks<F>(n: usize, threads: usize, grain: usize, work: F) -> Result<()>
where
    F: Fn(Range<usize>) -> Result<()> + Sync,
{
    let plan = Plan::new(n, threads, grain);
    run(plan.ranges(), plan.workers, work)
}

/// Like [`for_chunks`], but collects what `work` returns, in the order of the ranges.
pub fn map_chunks<T, F>(n: usize, threads: usize, grain: usize, work: F) -> Result<Vec<T>>
where
    T: Send,
    F: Fn(Range<usize>) -> Result<T> + Sync,
{
    let plan = Plan::new(n, threads, grain);
    let mut results: Vec<Option<T>> = plan.ranges().map(|_| None).collect();
    run(plan.ranges().zip(results.iter_mut()), plan.workers, |(range, place)| {
        *place = Some(work(range)?);
        Ok(())
    })?;
    Ok(results.into_iter().flatten().collect())
}

/// Fills `out`, rows of `width` values: `work` gets a range of rows and exactly the part of `out` that
/// holds them. `out.len()` must be a multiple of `width`.
pub fn fill_chunks<T, F>(
    out: &mut [T],
    width: usize,
    threads: usize,
    grain: usize,
    work: F,
) -> Result<()>
where
    T: Send,
    F: Fn(Range<usize>, &mut [T]) -> Result<()> + Sync,
{
    if width == 0 || !out.len().is_multiple_of(width) {
        return Err(Error::internal(format!(
            "{} output values are not rows of width {width}",
            out.len()
        )));
    }
    let plan = Plan::new(out.len() / width, threads, grain);
    let parts = out.chunks_mut(plan.length * width);
    run(plan.ranges().zip(parts), plan.workers, |(range, part)| work(range, part))
}

/// Calls `work` once for each item of `tasks`, each free worker taking the next: the general form, for
/// work that is not a range (one band, one file, one pair of disjoint output slices).
pub fn run<I, F>(tasks: I, threads: usize, work: F) -> Result<()>
where
    I: Iterator + Send,
    F: Fn(I::Item) -> Result<()> + Sync,
{
    if threads <= 1 {
        let inline = || tasks.into_iter().try_for_each(&work);
        return catch_unwind(AssertUnwindSafe(inline)).unwrap_or_else(|_| Err(panicked()));
    }
    let tasks = Mutex::new(Some(tasks.enumerate()));
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    // After the first failure no further task is handed out. Every earlier one already was, so the
    // lowest failure is the same whatever the threads do.
    let fail = |index: usize, error: Error| {
        *lock(&tasks) = None;
        let mut first = lock(&first);
        if first.as_ref().is_none_or(|(seen, _)| index < *seen) {
            *first = Some((index, error));
        }
    };
    let worker = || {
        loop {
            let next = catch_unwind(AssertUnwindSafe(|| lock(&tasks).as_mut()?.next()));
            let (index, task) = match next {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(_) => return fail(usize::MAX, panicked()),
            };
            let done = catch_unwind(AssertUnwindSafe(|| work(task)));
            if let Err(error) = done.unwrap_or_else(|_| Err(panicked())) {
                fail(index, error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that cannot be had (limits of the machine) only makes the others do more.
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// How `0..n` is cut, and how many workers share the parts.
struct Plan {
    n: usize,
    length: usize,
    workers: usize,
}

impl Plan {
    fn new(n: usize, requested: usize, grain: usize) -> Self {
        let grain = grain.max(1);
        let workers = threads(requested).min(n.div_ceil(grain)).max(1);
        let parts = if workers == 1 { 1 } else { workers * RANGES_A_WORKER };
        Self { n, length: n.div_ceil(parts).max(grain), workers }
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> + Send + use<> {
        let (n, length) = (self.n, self.length);
        (0..n.div_ceil(length)).map(move |i| i * length..((i + 1) * length).min(n))
    }
}

/// Locks even after a panic elsewhere: what these mutexes guard is whole at every step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panicked() -> Error {
    Error::internal("a worker thread panicked; please report this with the input that caused it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_index_once_in_order_whatever_the_threads() {
        for threads in [0, 1, 2, 3, 8] {
            for n in [0, 1, 2, 63, 64, 65, 1000] {
                for grain in [0, 1, 7, 64, 5000] {
                    let ranges = map_chunks(n, threads, grain, Ok).unwrap();
                    let seen: Vec<usize> = ranges.into_iter().flatten().collect();
                    assert_eq!(seen, (0..n).collect::<Vec<_>>());
                    let count = AtomicUsize::new(0);
                    for_chunks(n, threads, grain, |range| {
                        count.fetch_add(range.len(), Ordering::Relaxed);
                        Ok(())
                    })
                    .unwrap();
                    assert_eq!(count.into_inner(), n);
                }
            }
        }
    }

    #[test]
    fn parts_match_their_rows() {
        for threads in [1, 2, 8] {
            let mut out = vec![0usize; 3 * 1001];
            fill_chunks(&mut out, 3, threads, 10, |rows, part| {
                for (row, cells) in rows.zip(part.chunks_mut(3)) {
                    cells.fill(row);
                }
                Ok(())
            })
            .unwrap();
            assert!(out.iter().enumerate().all(|(i, &row)| row == i / 3));
        }
        let odd = fill_chunks(&mut [0u8; 4], 3, 1, 1, |_, _| Ok(())).unwrap_err();
        assert_eq!(odd.kind(), Kind::Internal);
        fill_chunks(&mut [0u8; 0], 3, 2, 1, |_, _| Ok(())).unwrap();
    }

    #[test]
    fn the_first_error_wins_and_a_panic_is_an_error() {
        for threads in [1, 2, 8] {
            let error = for_chunks(1000, threads, 1, |range| match range.end {
                end if end > 500 => Err(Error::data(format!("row {}", range.start.max(500)))),
                _ => Ok(()),
            });
            let message = error.unwrap_err().to_string();
            assert!(message.starts_with("row 500"), "{message}");
            let panic = for_chunks(100, threads, 1, |range| {
                assert!(!range.contains(&50), "on purpose");
                Ok(())
            });
            assert_eq!(panic.unwrap_err().kind(), Kind::Internal);
        }
    }
}
