// Outputs are whole or not there, wherever their paths lead, and so are pairs of them.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "data/file_lock.hpp"
#include "data/output_file.hpp"
#include "tests/temporary_directory.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class output_files : public testing::Test {
 protected:
  static constexpr auto nothing = output_file::over::nothing,
                        anything = output_file::over::anything;

  fs::path at(const std::string& name) const { return folder_ / name; }
  fs::path old(const std::string& name) const { return folder_.file(name, "old"); }
  static std::string text(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(output_file& file) { file.write(0, std::as_bytes(std::span("new", 3))); }
  static void write(const fs::path& path, output_file::over over) {
    output_file file(path, over);
    put(file);
    file.commit();
  }
  static std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const data_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      all.push_back(entry.path().filename());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  static struct stat status(const fs::path& path) {
    struct stat s {};
    EXPECT_EQ(::stat(path.c_str(), &s), 0) << path;
    return s;
  }

  tests::temporary_directory folder_;
};

TEST_F(output_files, links_are_followed_and_stay) {
  fs::create_directory(at("far"));
  (void)folder_.file("far/target", "old");
  fs::create_symlink("far/target", at("one"));
  fs::create_symlink(at("one"), at("two"));
  fs::create_symlink("far/not_yet", at("dangling"));
  EXPECT_THAT(refusal([&] { write(at("two"), nothing); }), HasSubstr("exists already"));
  write(at("two"), anything);
  EXPECT_EQ(text(at("far/target")), "new");
  write(at("dangling"), nothing);
  EXPECT_EQ(text(at("far/not_yet")), "new");
  for (const char* link : {"one", "two", "dangling"}) EXPECT_TRUE(fs::is_symlink(at(link))) << link;
  EXPECT_THAT(names(), ElementsAre("dangling", "far", "one", "two"));
}

TEST_F(output_files, what_leads_nowhere_is_refused) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  fs::create_symlink("/proc/self/fd/1", at("descriptor"));
  fs::create_symlink("..", at("up"));
  const auto refused = [&](const fs::path& path) {
    return refusal([&] { output_file(path, anything); });
  };
  EXPECT_THAT(refused(at("a")), HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(refused(at("descriptor")), HasSubstr("give the file's own name"));
  EXPECT_THAT(refused("/proc/self/fd/0"), HasSubstr("give the file's own name"));
  for (const fs::path& folder : {at("up"), at("."), at(".."), at(""), folder_.path()}) {
    EXPECT_THAT(refused(folder), HasSubstr("is not a regular file")) << folder;
  }
  EXPECT_THAT(refused(at("no/folder")),
              HasSubstr("written: No such file or directory; check the path"));
  EXPECT_THAT(refused(at(std::string(300, 'x'))), HasSubstr("File name too long"));
  EXPECT_THAT(names(), ElementsAre("a", "b", "descriptor", "up"));
}

TEST_F(output_files, a_place_is_the_same_by_any_spelling) {
  fs::create_directory(at("sub"));
  fs::create_directory_symlink("sub", at("link"));
  fs::create_symlink("sub/x", at("x"));
  const auto same = [&](const fs::path& a, const fs::path& b) {
    return folder_entry(a).is_same(folder_entry(b));
  };
  EXPECT_TRUE(same(at("sub/x"), at("./sub/../sub//x")));
  EXPECT_TRUE(same(at("sub/x"), at("link/x")));
  EXPECT_TRUE(same(at("sub/x"), at("x")));
  EXPECT_TRUE(same(at("sub/x"), fs::relative(at("sub/x"))));
  EXPECT_FALSE(same(at("sub/x"), at("sub/y")));
  EXPECT_FALSE(same(at("sub/y"), at("y")));
}

TEST_F(output_files, permissions_and_owner_pass_on) {
  ::umask(022);
  ::chmod(old("private").c_str(), 0600);
  ::chmod(old("shared").c_str(), 0664);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(at("shared").c_str(), 1234, 2345), 0);
  }
  for (const char* name : {"private", "shared"}) {
    const auto before = status(at(name));
    write(at(name), anything);
    const auto after = status(at(name));
    EXPECT_EQ(text(at(name)), "new");
    EXPECT_NE(after.st_ino, before.st_ino);
    EXPECT_EQ(after.st_mode, before.st_mode) << name;
    EXPECT_EQ(after.st_uid, before.st_uid) << name;
    EXPECT_EQ(after.st_gid, before.st_gid) << name;
  }
  write(at("fresh"), nothing);
  EXPECT_EQ(status(at("fresh")).st_mode & 0777, 0644);
}

TEST_F(output_files, an_access_list_passes_on) {
  // Version 2; the owner rw, user 1234 rw, the group nothing, the mask rw, others nothing.
  const unsigned char list[] = {2, 0,   0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  6,
                                0, 210, 4,   0,   0,   4,   0,  0, 0,   255, 255, 255, 255, 16, 0,
                                6, 0,   255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
  const char* const key = "system.posix_acl_access";
  const std::string path = old("listed");
  if (::setxattr(path.c_str(), key, list, sizeof list, 0) != 0) GTEST_SKIP() << "no access lists";
  write(path, anything);
  unsigned char kept[sizeof list + 1];
  ASSERT_EQ(::getxattr(path.c_str(), key, kept, sizeof kept), ssize_t{sizeof list});
  EXPECT_TRUE(std::equal(list, list + sizeof list, kept));
}

TEST_F(output_files, a_pair_is_there_or_not) {
  for (const auto& [what, over] : {std::pair{"", nothing}, {"old", anything}}) {
    if (over == anything) (void)old("first");
    output_file first(at("first"), over), second(at("second"), over);
    put(first), put(second);
    output_file* const both[] = {&first, &second};
    fs::create_directory(at("second"));  // so that it can't take its name
    EXPECT_THROW(output_file::commit(both), data_error);
    EXPECT_EQ(fs::exists(at("first")), over == anything);
    EXPECT_EQ(text(at("first")), what);
    fs::remove(at("second"));
  }
  {
    output_file first(at("first"), anything), second(at("second"), nothing);
    put(first), put(second);
    output_file* const both[] = {&first, &second};
    output_file::commit(both);
  }
  EXPECT_EQ(text(at("first")) + text(at("second")), "newnew");
  EXPECT_THAT(names(), ElementsAre("first", "second"));
}

TEST_F(output_files, what_a_kill_left_is_removed_and_what_is_worked_on_is_not) {
  char host[65] = {};
  ::gethostname(host, sizeof host - 1);
  const auto hidden = [&](const std::string& end) {
    return ".warpfold-" + std::string(host) + end;
  };
  for (const char* end : {"-999999999-0.tmp", "-999999999-1.tmp", "-999999999-2.txt"})
    (void)old(hidden(end));
  (void)old(".warpfold-elsewhere.example-999999999-0.tmp");
  const int busy = ::open(at(hidden("-999999999-1.tmp")).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(busy, LOCK_EX), 0);
  write(old("a"), anything);
  EXPECT_FALSE(fs::exists(at(hidden("-999999999-0.tmp"))));
  EXPECT_TRUE(fs::exists(at(hidden("-999999999-1.tmp"))));
  ::close(busy);
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(output_files, a_lock_keeps_others_out_and_is_gone_afterwards) {
  const folder_entry place(at("sum"));
  (void)folder_.file(".sum.lock", "");  // as a kill leaves it
  int inside = 0, most = 0;
  const auto enter = [&] {
    for (int i = 0; i < 50; ++i) {
      const file_lock lock(place, {});
      most = std::max(most, ++inside);
      std::this_thread::yield();
      --inside;
    }
  };
  { const std::jthread a(enter), b(enter), c(enter); }
  EXPECT_EQ(most, 1);
  EXPECT_THAT(names(), testing::IsEmpty());
  const file_lock lock(place, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(file_lock(place, stop.get_token()), interrupted);
}

}  // namespace
}  // namespace warpfold::data
