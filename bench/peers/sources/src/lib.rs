//! Nothing is compiled here: the manifest pins the registry packages whose C and C++ sources `../native` builds.
