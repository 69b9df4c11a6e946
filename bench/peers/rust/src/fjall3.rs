//! fjall 3: one keyspace. Every write persists its journal record to the page cache (`PersistMode::Buffer`).

use crate::peer::{Entry, Options, Outcome, Peer, Promise};
use fjall3::config::CompressionPolicy;
use fjall3::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::path::Path;
use std::time::Duration;

struct Fjall3 {
    keyspace: Keyspace,
    database: Database,
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
    let database = Database::builder(path)
        .manual_journal_persist(manual)
        .journal_compression(CompressionType::None)
        .cache_size(options.cache_bytes)
        .open()?;
    let write_buffer = options.write_buffer_bytes;
    let keyspace = database.keyspace("bench", || {
        KeyspaceCreateOptions::default()
            .manual_journal_persist(manual)
            .max_memtable_size(write_buffer)
            .data_block_compression_policy(CompressionPolicy::disabled())
            .index_block_compression_policy(CompressionPolicy::disabled())
    })?;
    let persist = match options.promise {
        Promise::None => None,
        Promise::ProcessCrash => Some(PersistMode::Buffer),
        Promise::PowerLoss => Some(PersistMode::SyncData),
    };
    let settings = format!(
        "one keyspace, memtable {} MiB, cache {} MiB, no compression, default workers, persist {persist:?} per commit",
        write_buffer >> 20, options.cache_bytes >> 20
    );
    Ok(Box::new(Fjall3 {
        keyspace,
        database,
        persist,
        manual,
        settings,
    }))
}

impl Fjall3 {
    fn persist_by_hand(&self) -> Outcome<()> {
        match self.persist {
            Some(mode) if self.manual => Ok(self.database.persist(mode)?),
            _ => Ok(()),
        }
    }
}

impl Peer for Fjall3 {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()> {
        self.keyspace.insert(key, value)?;
        self.persist_by_hand()
    }

    fn write(&mut self, entries: &[Entry]) -> Outcome<()> {
        let mut batch =
            fjall3::OwnedWriteBatch::with_capacity(self.database.clone(), entries.len())
                .durability(self.persist);
        for entry in entries {
            batch.insert(&self.keyspace, entry.key(), entry.value());
        }
        Ok(batch.commit()?)
    }

    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        match self.keyspace.get(key)? {
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
        for guard in self.keyspace.range(from..).take(usize::try_from(limit)?) {
            let (key, value) = guard.into_inner()?;
            sink(&key, &value);
            seen += 1;
        }
        Ok(seen)
    }

    fn remove(&mut self, key: &[u8]) -> Outcome<()> {
        self.keyspace.remove(key)?;
        self.persist_by_hand()
    }

    fn sync(&mut self) -> Outcome<()> {
        Ok(self.database.persist(PersistMode::SyncData)?)
    }

    /// `rotate_memtable_and_wait` looks every 10 ms; looking more often keeps that out of the figure.
    fn drain(&mut self) -> Outcome<()> {
        self.keyspace.rotate_memtable()?;
        while self.database.outstanding_flushes() > 0
            || self.keyspace.sealed_memtable_count() > 0
            || self.database.active_compactions() > 0
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        self.sync()
    }

    fn close(self: Box<Self>) -> Outcome<()> {
        self.database.persist(PersistMode::SyncAll)?;
        Ok(())
    }
}
