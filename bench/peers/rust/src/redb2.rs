//! redb 2: one table, one transaction per put or batch.
//!
//! redb has no setting between "kept in this process" (`Durability::None`) and "synced" (`Immediate`). To give it the
//! promise of the row it runs with `Immediate` over a storage backend (a public trait) whose sync does nothing: every
//! commit is in the page cache when it returns, and nothing waits for the disk.
//! `redb2_published` keeps the built-in backend and the `Durability::Eventual` of TurboKV's table.

use crate::peer::{Entry, Options, Outcome, Peer, Promise};
use redb2::{Database, Durability, StorageBackend, TableDefinition};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("bench");

#[derive(Debug)]
struct PageCacheBackend(File);

impl StorageBackend for PageCacheBackend {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.0.metadata()?.len())
    }
    fn read(&self, offset: u64, len: usize) -> Result<Vec<u8>, io::Error> {
        let mut buffer = vec![0; len];
        self.0.read_exact_at(&mut buffer, offset)?;
        Ok(buffer)
    }
    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.0.set_len(len)
    }
    fn sync_data(&self, _eventual: bool) -> Result<(), io::Error> {
        Ok(())
    }
    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.0.write_all_at(data, offset)
    }
}

struct Redb {
    database: Database,
    /// The same file, for the syncs that the backend leaves out.
    file: File,
    durability: Durability,
    settings: String,
}

pub fn fit(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None => (0, "Durability::None"),
        Promise::ProcessCrash => (
            0,
            "Durability::Immediate over a storage backend that does not sync",
        ),
        Promise::PowerLoss => (0, "Durability::Immediate"),
    }
}

pub fn open(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    let durability = if options.promise == Promise::None {
        Durability::None
    } else {
        Durability::Immediate
    };
    open_with(
        path,
        options,
        durability,
        options.promise != Promise::PowerLoss,
    )
}

/// As in TurboKV's table: `Durability::Eventual`, which on Linux is an fdatasync per commit.
pub fn open_published(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    open_with(path, options, Durability::Eventual, false)
}

pub fn fit_published(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None | Promise::ProcessCrash => (1, "fdatasync per commit (Durability::Eventual)"),
        Promise::PowerLoss => (0, "fdatasync per commit (Durability::Eventual)"),
    }
}

fn open_with(
    path: &Path,
    options: &Options,
    durability: Durability,
    unsynced: bool,
) -> Outcome<Box<dyn Peer>> {
    std::fs::create_dir_all(path)?;
    let name = path.join("bench.redb");
    // Its cache is also its write buffer: a B-tree has no memtable, so it gets the bytes that the others spend on one.
    let cache_bytes = usize::try_from(options.cache_bytes + options.write_buffer_bytes)?;
    let mut builder = Database::builder();
    builder.set_cache_size(cache_bytes);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&name)?;
    let database = if unsynced {
        builder.create_with_backend(PageCacheBackend(file.try_clone()?))?
    } else {
        builder.create(&name)?
    };
    let transaction = database.begin_write()?;
    transaction.open_table(TABLE)?;
    transaction.commit()?;
    let settings = format!(
        "one table, one transaction per commit, {durability:?}, cache {} MiB, {}",
        cache_bytes >> 20,
        if unsynced {
            "backend whose sync does nothing"
        } else {
            "built-in file backend"
        }
    );
    Ok(Box::new(Redb {
        database,
        file,
        durability,
        settings,
    }))
}

impl Peer for Redb {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(self.durability);
        transaction.open_table(TABLE)?.insert(key, value)?;
        Ok(transaction.commit()?)
    }

    fn write(&mut self, entries: &[Entry]) -> Outcome<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(self.durability);
        {
            let mut table = transaction.open_table(TABLE)?;
            for entry in entries {
                table.insert(entry.key(), entry.value())?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        match table.get(key)? {
            Some(value) => {
                sink(value.value());
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
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let mut seen = 0;
        for entry in table.range(from..)?.take(usize::try_from(limit)?) {
            let (key, value) = entry?;
            sink(key.value(), value.value());
            seen += 1;
        }
        Ok(seen)
    }

    fn remove(&mut self, key: &[u8]) -> Outcome<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(self.durability);
        transaction.open_table(TABLE)?.remove(key)?;
        Ok(transaction.commit()?)
    }

    /// An empty durable commit writes what `Durability::None` kept back; then the file is synced for real.
    fn sync(&mut self) -> Outcome<()> {
        self.database.begin_write()?.commit()?;
        Ok(self.file.sync_data()?)
    }

    /// Nothing is compacted behind the caller's back, so what is put off is the sync.
    fn drain(&mut self) -> Outcome<()> {
        self.sync()
    }

    fn close(self: Box<Self>) -> Outcome<()> {
        let Redb { database, file, .. } = *self;
        drop(database);
        Ok(file.sync_all()?)
    }
}
