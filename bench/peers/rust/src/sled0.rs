//! sled 0.34. It buffers its log in the process for up to 500 ms, so a killed process loses acknowledged writes.
//!
//! `sled` flushes (and so syncs) at every commit, which is more than the row asks for; `sled_buffered` leaves the buffer
//! alone, which is less. It has nothing between the two.

use crate::peer::{Entry, Options, Outcome, Peer, Promise};
use std::path::Path;

struct Sled {
    database: sled::Db,
    flush: bool,
    settings: String,
}

pub fn fit(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None => (0, "log buffered in the process"),
        Promise::ProcessCrash => (
            1,
            "flush with fsync per commit: sled has nothing between that and a lossy buffer",
        ),
        Promise::PowerLoss => (0, "flush with fsync per commit"),
    }
}

pub fn fit_buffered(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None => (0, "log buffered in the process"),
        _ => (
            -1,
            "log buffered in the process for up to 500 ms: a killed process loses writes",
        ),
    }
}

pub fn open(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    open_with(path, options, options.promise != Promise::None)
}

pub fn open_buffered(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    open_with(path, options, false)
}

fn open_with(path: &Path, options: &Options, flush: bool) -> Outcome<Box<dyn Peer>> {
    let cache_bytes = options.cache_bytes + options.write_buffer_bytes;
    let database = sled::Config::new()
        .path(path)
        .mode(sled::Mode::HighThroughput)
        .cache_capacity(cache_bytes)
        .open()?;
    let settings = format!(
        "HighThroughput, cache {} MiB (its write buffer), no compression, {}",
        cache_bytes >> 20,
        if flush {
            "flush per commit"
        } else {
            "flush every 500 ms"
        }
    );
    Ok(Box::new(Sled {
        database,
        flush,
        settings,
    }))
}

impl Sled {
    fn flush_if_promised(&self) -> Outcome<()> {
        if self.flush {
            self.database.flush()?;
        }
        Ok(())
    }
}

impl Peer for Sled {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()> {
        self.database.insert(key, value)?;
        self.flush_if_promised()
    }

    fn write(&mut self, entries: &[Entry]) -> Outcome<()> {
        let mut batch = sled::Batch::default();
        for entry in entries {
            batch.insert(entry.key(), entry.value());
        }
        self.database.apply_batch(batch)?;
        self.flush_if_promised()
    }

    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        match self.database.get(key)? {
            Some(value) => {
                sink(&value);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn scan(
        &mut self,
        from: &[u8],
        limit: u64,
        sink: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Outcome<u64> {
        let mut seen = 0;
        for entry in self.database.range(from..).take(usize::try_from(limit)?) {
            let (key, value) = entry?;
            sink(&key, &value);
            seen += 1;
        }
        Ok(seen)
    }

    fn remove(&mut self, key: &[u8]) -> Outcome<()> {
        self.database.remove(key)?;
        self.flush_if_promised()
    }

    fn sync(&mut self) -> Outcome<()> {
        self.database.flush()?;
        Ok(())
    }

    fn drain(&mut self) -> Outcome<()> {
        self.sync()
    }

    fn close(self: Box<Self>) -> Outcome<()> {
        self.database.flush()?;
        Ok(())
    }
}
