#include "art/leaf_map.h"

namespace ashlar::art {

// Makes the window at `base` the newest one; false when it is new and there is no room for it.
bool LeafMap::find_window(uintptr_t base, const char* key) {
  size_t window = 0;
  while (window < windows_used_ && windows_[window] != base) ++window;
  if (window == kWindows) return false;
  if (window == windows_used_) {
    if (windows_used_ == 0) first_line_ = reinterpret_cast<uintptr_t>(key) / kLineBytes;
    windows_[windows_used_++] = base;
  }
  newest_base_ = base;
  newest_window_ = Word{window} << kWindowShift;
  return true;
}

}  // namespace ashlar::art
