//! What every Rust rival offers to the benchmark.

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Nothing acknowledged need survive.
    None,
    /// An acknowledged write survives the death of the process.
    ProcessCrash,
    /// An acknowledged write survives a power cut.
    PowerLoss,
}

pub struct Options {
    pub promise: Promise,
    pub write_buffer_bytes: u64,
    pub cache_bytes: u64,
}

#[repr(C)]
pub struct Entry {
    key: *const u8,
    key_size: usize,
    value: *const u8,
    value_size: usize,
}

impl Entry {
    /// # Safety of use
    /// The caller of the C interface keeps the bytes alive for the call.
    pub fn key(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.key, self.key_size) }
    }
    pub fn value(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.value, self.value_size) }
    }
}

pub trait Peer {
    fn settings(&self) -> String;
    fn put(&mut self, key: &[u8], value: &[u8]) -> Outcome<()>;
    /// All entries or none.
    fn write(&mut self, entries: &[Entry]) -> Outcome<()>;
    fn get(&mut self, key: &[u8], sink: &mut dyn FnMut(&[u8])) -> Outcome<bool>;
    fn scan(&mut self, from: &[u8], limit: u64, sink: &mut dyn FnMut(&[u8], &[u8]))
        -> Outcome<u64>;
    fn remove(&mut self, key: &[u8]) -> Outcome<()>;
    /// Everything acknowledged so far survives a power cut when this returns.
    fn sync(&mut self) -> Outcome<()>;
    /// Waits for what the engine put off: flush and compaction.
    fn drain(&mut self) -> Outcome<()>;
    fn close(self: Box<Self>) -> Outcome<()>;
}
