// ns-3's side of the contest; ns3.go compiles and runs it.
//
//     hold SCHEDULER N EVENTS    N timers, each set again 1 to 2^20 ns after it fired
//
// prints the processor time per event, ns, and the checksum of the instants of all
// events, N of which warm the queue up before the measured ones.

#include <ns3/object-factory.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

uint64_t luck = 1, sum = 0;
long warm, last, done = 0;
double start, stop;

double CpuNs() {
  timespec ts;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
  return 1e9 * ts.tv_sec + ts.tv_nsec;
}

// splitmix64, as in hold.go
int64_t Gap() {
  uint64_t z = luck += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return 1 + static_cast<int64_t>(z >> 44);
}

void Fire();

void Set() { ns3::Simulator::Schedule(ns3::NanoSeconds(Gap()), &Fire); }

void Fire() {
  sum = (sum ^ static_cast<uint64_t>(ns3::Simulator::Now().GetNanoSeconds())) * 0x100000001B3;
  Set();
  if (++done == warm) {
    start = CpuNs();
  } else if (done == last) {
    stop = CpuNs();
    ns3::Simulator::Stop();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  ns3::ObjectFactory scheduler;
  scheduler.SetTypeId(argv[1]);
  ns3::Simulator::SetScheduler(scheduler);
  warm = std::atol(argv[2]);
  last = warm + std::atol(argv[3]);
  for (long i = 0; i < warm; i++) Set();
  ns3::Simulator::Run();
  std::printf("%.3f %llu\n", (stop - start) / (last - warm), static_cast<unsigned long long>(sum));
  ns3::Simulator::Destroy();
}
