//! TurboKV 0.6 with the settings of its own published ingest table: `Engine`, WAL preset `durable`, 64 MiB memtable,
//! no block cache, no compression, flush and compaction timers of one hour (so that its flush is deferred to the drain).
//!
//! Its calls are futures. An uncontended call is ready at its first poll, so it is polled once in place, inside the
//! runtime's context and without the cost of `block_on`; only a call that is not ready is handed to the runtime.

use crate::peer::{Entry, Options, Outcome, Peer, Promise};
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Runtime;
use turbokv::storage::sstable::CompressionType;
use turbokv::{Engine, StorageConfig, WriteBatch};

struct TurboKv {
    // Declared before the runtime: the engine must go first.
    engine: Engine,
    runtime: Runtime,
    batch: WriteBatch,
    settings: String,
}

fn run<F: Future>(runtime: &Runtime, future: F) -> F::Output {
    let mut future = pin!(future);
    let entered = runtime.enter();
    if let Poll::Ready(output) = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        return output;
    }
    drop(entered);
    runtime.block_on(future)
}

pub fn fit(promise: Promise) -> (std::ffi::c_int, &'static str) {
    match promise {
        Promise::None => (0, "fast: no WAL"),
        Promise::ProcessCrash => (0, "durable: mapped WAL, no sync"),
        Promise::PowerLoss => (0, "paranoid: sync_all per group"),
    }
}

pub fn open(path: &Path, options: &Options) -> Outcome<Box<dyn Peer>> {
    let directory = path.to_path_buf();
    let (mut config, preset) = match options.promise {
        Promise::None => (StorageConfig::fast(directory), "fast"),
        Promise::ProcessCrash => (StorageConfig::durable(directory), "durable"),
        Promise::PowerLoss => (StorageConfig::paranoid(directory), "paranoid"),
    };
    config.memtable_config.max_size = usize::try_from(options.write_buffer_bytes)?;
    config.sstable_config.compression = CompressionType::None;
    config.block_cache_size = usize::try_from(options.cache_bytes)?;
    config.flush_interval = Duration::from_secs(3600);
    config.compaction_interval = Duration::from_secs(3600);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let engine = runtime.block_on(Engine::open(config))?;
    let settings = format!(
        "Engine, {preset}, memtable {} MiB, cache {} MiB, no compression, flush and compaction interval 1 h (its published settings), futures polled in place",
        options.write_buffer_bytes >> 20, options.cache_bytes >> 20
    );
    Ok(Box::new(TurboKv {
        engine,
        runtime,
        batch: WriteBatch::new(),
        settings,
    }))
}

impl Peer for TurboKv {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()> {
        Ok(run(&self.runtime, self.engine.insert(key, value))?)
    }

    fn write(&mut self, entries: &[Entry]) -> Outcome<()> {
        self.batch.clear();
        for entry in entries {
            self.batch.put(entry.key(), entry.value());
        }
        Ok(run(&self.runtime, self.engine.write_batch(&self.batch))?)
    }

    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        match run(&self.runtime, self.engine.get(key))? {
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
        if limit == 0 {
            return Ok(0);
        }
        // The end bound is mandatory and exclusive: no key of this benchmark reaches 64 bytes of 0xff.
        let iterator = run(&self.runtime, self.engine.range_iter(from, &[0xff; 64]))?;
        for entry in iterator {
            let entry = entry?;
            sink(entry.key(), entry.value());
            seen += 1;
            if seen == limit {
                break;
            }
        }
        Ok(seen)
    }

    fn remove(&mut self, key: &[u8]) -> Outcome<()> {
        Ok(run(&self.runtime, self.engine.delete(key))?)
    }

    /// There is no sync call: flush is the only way to push what the WAL holds to the disk.
    fn sync(&mut self) -> Outcome<()> {
        Ok(run(&self.runtime, self.engine.flush())?)
    }

    /// Flush, then compaction only where its own trigger (four tables in level 0) asks for it.
    fn drain(&mut self) -> Outcome<()> {
        run(&self.runtime, self.engine.flush())?;
        if self.engine.physical_stats().sstables.level_zero_files >= 4 {
            run(&self.runtime, self.engine.compact())?;
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Outcome<()> {
        run(&self.runtime, self.engine.shutdown())?;
        let TurboKv {
            engine, runtime, ..
        } = *self;
        drop(engine);
        runtime.shutdown_timeout(Duration::from_secs(10));
        Ok(())
    }
}
