// The first steps: open, put, get, batch, scan, snapshot. Argument: the directory of the database.
//
// With CMake: see CMakeLists.txt. Without: c++ -std=c++20 quickstart.cpp $(pkg-config --cflags --libs ashlar)
#include <ashlar/ashlar.hpp>
#include <iostream>

namespace ash = ashlar;

int main(int argc, char** argv) {
  ash::Db db = ash::Db::open(argc > 1 ? argv[1] : "inventory").value();  // durable(): survives kill -9

  db.put("apple/green", "12").check();
  if (auto value =
          db.get("apple/green").value()) {  // a view into the database: no copy, pinned while it lives
    std::cout << "green apples: " << *value << '\n';
  }

  ash::Snapshot before = db.snapshot();

  ash::WriteBatch batch;
  batch.put("apple/red", "7").remove("apple/green");
  db.write(batch, ash::sync).check();  // this one survives a power cut as well

  std::cout << "now:\n";
  for (auto [key, value] : db.prefix("apple/")) std::cout << key << " = " << value << '\n';
  std::cout << "before:\n";
  for (auto [key, value] : before.prefix("apple/")) std::cout << key << " = " << value << '\n';

  db.close().check();
}
