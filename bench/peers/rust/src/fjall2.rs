//! fjall 2.11: one partition. Every write persists its journal record to the page cache (`PersistMode::Buffer`).
//!
//! `fjall2` gives it room for four write buffers, so that it never sleeps for want of memory and compacts like the
//! others; `fjall2_published` repeats the settings of TurboKV's table, in which the 64 MiB limit on all write buffers
//! makes every run contain one stall.

use crate::peer::{Entry, Options, Outcome, Peer, Promise};
use fjall2::{
    CompressionType, Config, Keyspace, PartitionCreateOptions, PartitionHandle, PersistMode,
};
use std::path::Path;
use std::time::{Duration, Instant};

struct Fjall2 {
    partition: PartitionHandle,
    keyspace: Keyspace,
    persist: Option<PersistMode>,
    manual: bool,
    settings: String,
}

pub fn fit(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None => (0, "journal in a process buffer, not persisted"),
        Promise::ProcessCrash => (
            0,
            "journal written to the page cache per commit (PersistMode::Buffer)",
        ),
        Promise::PowerLoss => (0, "fdatasync per commit (PersistMode::SyncData)"),
    }
}

pub fn open(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    // Persisting to the page cache is what an insert does by itself: no second call, no second journal lock.
    let manual = options.promise != Promise::ProcessCrash;
    open_with(path, options, 4 * options.write_buffer_bytes, 1, manual)
}

pub fn open_published(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    open_with(path, options, 64 << 20, 0, true)
}

fn open_with(
    path: &Path,
    options: &Options,
    all_buffers: u64,
    compaction_workers: usize,
    manual: bool,
) -> Outcome<Box<dyn Peer>> {
    let keyspace = Config::new(path)
        .manual_journal_persist(manual)
        .flush_workers(1)
        .compaction_workers(compaction_workers)
        .max_write_buffer_size(all_buffers)
        .cache_size(options.cache_bytes)
        .open()?;
    let partition = keyspace.open_partition(
        "bench",
        PartitionCreateOptions::default()
            .manual_journal_persist(manual)
            .max_memtable_size(u32::try_from(options.write_buffer_bytes)?)
            .compression(CompressionType::None),
    )?;
    let persist = match options.promise {
        Promise::None => None,
        Promise::ProcessCrash => Some(PersistMode::Buffer),
        Promise::PowerLoss => Some(PersistMode::SyncData),
    };
    let settings = format!(
        "one partition, memtable {} MiB, all write buffers {} MiB, cache {} MiB, no compression, flush_workers 1, compaction_workers {compaction_workers}, persist {persist:?} per commit (manual: {manual})",
        options.write_buffer_bytes >> 20, all_buffers >> 20, options.cache_bytes >> 20
    );
    Ok(Box::new(Fjall2 {
        partition,
        keyspace,
        persist,
        manual,
        settings,
    }))
}

impl Fjall2 {
    fn persist_by_hand(&self) -> Outcome<()> {
        match self.persist {
            Some(mode) if self.manual => Ok(self.keyspace.persist(mode)?),
            _ => Ok(()),
        }
    }
}

impl Peer for Fjall2 {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()> {
        self.partition.insert(key, value)?;
        self.persist_by_hand()
    }

    fn write(&mut self, entries: &[Entry]) -> Outcome<()> {
        let mut batch = fjall2::Batch::with_capacity(self.keyspace.clone(), entries.len())
            .durability(self.persist);
        for entry in entries {
            batch.insert(&self.partition, entry.key(), entry.value());
        }
        Ok(batch.commit()?)
    }

    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        match self.partition.get(key)? {
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
        for entry in self.partition.range(from..).take(usize::try_from(limit)?) {
            let (key, value) = entry?;
            sink(&key, &value);
            seen += 1;
        }
        Ok(seen)
    }

    fn remove(&mut self, key: &[u8]) -> Outcome<()> {
        self.partition.remove(key)?;
        self.persist_by_hand()
    }

    fn sync(&mut self) -> Outcome<()> {
        Ok(self.keyspace.persist(PersistMode::SyncData)?)
    }

    /// `rotate_memtable_and_wait` looks every 10 ms; looking more often keeps that out of the figure.
    fn drain(&mut self) -> Outcome<()> {
        self.partition.rotate_memtable()?;
        let deadline = Instant::now() + Duration::from_secs(120);
        while self.keyspace.write_buffer_size() > 0 || self.keyspace.active_compactions() > 0 {
            if Instant::now() > deadline {
                return Err("the flush did not end within two minutes".into());
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.sync()
    }

    fn close(self: Box<Self>) -> Outcome<()> {
        self.keyspace.persist(PersistMode::SyncAll)?;
        Ok(())
    }
}
