//! The Rust rivals behind one small C interface, declared for C++ in `../rust_peers.h`.
//!
//! Every engine gets the same eleven calls; what differs lives in one file per engine. A call that fails returns -1
//! and leaves its message in `ashpeer_error`. Handles belong to one thread at a time.

mod fjall2;
mod fjall3;
mod peer;
mod redb2;
mod redb4;
mod sled0;
mod turbokv0;

use peer::{Entry, Options, Outcome, Peer, Promise};
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::Path;
use std::slice;

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

type OpenFn = fn(&Path, &Options) -> Outcome<Box<dyn Peer>>;
type FitFn = fn(Promise) -> (c_int, &'static str);

struct Engine {
    name: &'static CStr,
    package: &'static str,
    major: &'static str,
    open: OpenFn,
    fit: FitFn,
}

const ENGINES: &[Engine] = &[
    Engine {
        name: c"turbokv",
        package: "turbokv",
        major: "0.",
        open: turbokv0::open,
        fit: turbokv0::fit,
    },
    Engine {
        name: c"fjall2",
        package: "fjall",
        major: "2.",
        open: fjall2::open,
        fit: fjall2::fit,
    },
    Engine {
        name: c"fjall2_published",
        package: "fjall",
        major: "2.",
        open: fjall2::open_published,
        fit: fjall2::fit,
    },
    Engine {
        name: c"fjall3",
        package: "fjall",
        major: "3.",
        open: fjall3::open,
        fit: fjall3::fit,
    },
    Engine {
        name: c"redb2",
        package: "redb",
        major: "2.",
        open: redb2::open,
        fit: redb2::fit,
    },
    Engine {
        name: c"redb2_published",
        package: "redb",
        major: "2.",
        open: redb2::open_published,
        fit: redb2::fit_published,
    },
    Engine {
        name: c"redb4",
        package: "redb",
        major: "4.",
        open: redb4::open,
        fit: redb4::fit,
    },
    Engine {
        name: c"sled",
        package: "sled",
        major: "0.",
        open: sled0::open,
        fit: sled0::fit,
    },
    Engine {
        name: c"sled_buffered",
        package: "sled",
        major: "0.",
        open: sled0::open_buffered,
        fit: sled0::fit_buffered,
    },
];

thread_local! {
    static ERROR: RefCell<CString> = RefCell::new(CString::default());
    static TEXT: RefCell<CString> = RefCell::new(CString::default());
}

pub struct Handle {
    peer: Box<dyn Peer>,
    settings: CString,
}

#[repr(C)]
pub struct COptions {
    promise: u32,
    write_buffer_bytes: u64,
    cache_bytes: u64,
}

type ValueFn = unsafe extern "C" fn(*mut c_void, *const u8, usize);
type EntryFn = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize);

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).expect("NULs were replaced")
}

fn fail(message: &str) -> c_int {
    ERROR.with(|e| *e.borrow_mut() = c_string(message));
    -1
}

fn finish(outcome: Outcome<()>) -> c_int {
    match outcome {
        Ok(()) => 0,
        Err(e) => fail(&e.to_string()),
    }
}

unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 {
        &[]
    } else {
        unsafe { slice::from_raw_parts(data, size) }
    }
}

fn promise_of(code: u32) -> Promise {
    match code {
        0 => Promise::None,
        1 => Promise::ProcessCrash,
        _ => Promise::PowerLoss,
    }
}

fn find(name: *const c_char) -> Option<&'static Engine> {
    let name = unsafe { CStr::from_ptr(name) };
    ENGINES.iter().find(|e| e.name == name)
}

#[no_mangle]
pub extern "C" fn ashpeer_count() -> usize {
    ENGINES.len()
}

#[no_mangle]
pub extern "C" fn ashpeer_name(index: usize) -> *const c_char {
    ENGINES[index].name.as_ptr()
}

#[no_mangle]
pub extern "C" fn ashpeer_error() -> *const c_char {
    ERROR.with(|e| e.borrow().as_ptr())
}

/// Version of the engine; valid until the thread's next call of this or of `ashpeer_fit`.
#[no_mangle]
pub extern "C" fn ashpeer_version(name: *const c_char) -> *const c_char {
    let engine = find(name);
    let version = engine.and_then(|e| {
        LOCKED
            .iter()
            .find(|(n, v)| *n == e.package && v.starts_with(e.major))
    });
    TEXT.with(|t| {
        *t.borrow_mut() = c_string(version.map_or("unknown", |(_, v)| v));
        t.borrow().as_ptr()
    })
}

/// How the engine meets a promise: -1 weaker, 0 equal, 1 stronger; `text` says what it does.
#[no_mangle]
pub unsafe extern "C" fn ashpeer_fit(
    name: *const c_char,
    promise: u32,
    text: *mut *const c_char,
) -> c_int {
    let (fit, words) = find(name).map_or((-1, "unknown engine"), |e| (e.fit)(promise_of(promise)));
    TEXT.with(|t| {
        *t.borrow_mut() = c_string(words);
        unsafe { *text = t.borrow().as_ptr() };
    });
    fit
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_open(
    name: *const c_char,
    path: *const c_char,
    options: *const COptions,
) -> *mut Handle {
    let Some(engine) = find(name) else {
        fail("unknown engine");
        return std::ptr::null_mut();
    };
    let path = unsafe { CStr::from_ptr(path) }
        .to_string_lossy()
        .into_owned();
    let options = unsafe { &*options };
    let options = Options {
        promise: promise_of(options.promise),
        write_buffer_bytes: options.write_buffer_bytes,
        cache_bytes: options.cache_bytes,
    };
    match (engine.open)(Path::new(&path), &options) {
        Ok(peer) => {
            let settings = c_string(&peer.settings());
            Box::into_raw(Box::new(Handle { peer, settings }))
        }
        Err(e) => {
            fail(&e.to_string());
            std::ptr::null_mut()
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_settings(handle: *const Handle) -> *const c_char {
    unsafe { &*handle }.settings.as_ptr()
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_put(
    h: *mut Handle,
    key: *const u8,
    key_size: usize,
    value: *const u8,
    value_size: usize,
) -> c_int {
    unsafe {
        finish(
            (*h).peer
                .put(bytes(key, key_size), bytes(value, value_size)),
        )
    }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_write(
    h: *mut Handle,
    entries: *const Entry,
    count: usize,
) -> c_int {
    unsafe { finish((*h).peer.write(slice::from_raw_parts(entries, count))) }
}

/// 1 found (`sink` saw the value), 0 not found, -1 error.
#[no_mangle]
pub unsafe extern "C" fn ashpeer_get(
    h: *mut Handle,
    key: *const u8,
    key_size: usize,
    sink: ValueFn,
    context: *mut c_void,
) -> c_int {
    let outcome = unsafe {
        (*h).peer.get(bytes(key, key_size), &mut |v| {
            sink(context, v.as_ptr(), v.len())
        })
    };
    match outcome {
        Ok(found) => c_int::from(found),
        Err(e) => fail(&e.to_string()),
    }
}

/// Entries seen from `from` on, at most `limit`, in key order; -1 on error.
#[no_mangle]
pub unsafe extern "C" fn ashpeer_scan(
    h: *mut Handle,
    from: *const u8,
    from_size: usize,
    limit: u64,
    sink: EntryFn,
    context: *mut c_void,
) -> i64 {
    let outcome = unsafe {
        (*h).peer.scan(bytes(from, from_size), limit, &mut |k, v| {
            sink(context, k.as_ptr(), k.len(), v.as_ptr(), v.len())
        })
    };
    match outcome {
        Ok(seen) => seen as i64,
        Err(e) => i64::from(fail(&e.to_string())),
    }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_remove(h: *mut Handle, key: *const u8, key_size: usize) -> c_int {
    unsafe { finish((*h).peer.remove(bytes(key, key_size))) }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_sync(h: *mut Handle) -> c_int {
    unsafe { finish((*h).peer.sync()) }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_drain(h: *mut Handle) -> c_int {
    unsafe { finish((*h).peer.drain()) }
}

#[no_mangle]
pub unsafe extern "C" fn ashpeer_close(h: *mut Handle) -> c_int {
    let handle = unsafe { Box::from_raw(h) };
    finish(handle.peer.close())
}
