#!/usr/bin/env python3
"""What Python costs: the table of docs/python.md, as processor time. Needs the installed package (a release build) and, for C++, the folder in which it was built:

    python benchmarks/python_cost.py [build/wheel]
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import taut

ROOT = pathlib.Path(__file__).resolve().parents[1]

CPP = r"""
#include <malloc.h>

#include <ctime>
#include <iostream>
#include <taut/model/recorder.hpp>
#include <taut/taut.hpp>

int main() {
  taut::System pendulum(taut::Points{.count = 2, .dim = 2, .mass = 1.0});
  pendulum.add(taut::Gravity{.g = 9.81});
  pendulum.add(taut::Pin{.point = 0, .at = {0.0, 0.0}, .length = 1.0});
  pendulum.add(taut::Distance{.from = 0, .to = 1, .length = 1.0});
  const auto start = taut::at_rest(pendulum, taut::Vector{{1.0, 0.0, 2.0, 0.0}});
  for (const bool records : {true, false}) for (const auto& name : {"midpoint", "rk4"}) {
    double best = 1e9;
    for (int round = 0; round < 20; ++round) {
      malloc_trim(0);  // runs begin on fresh memory in Python, where the last one has been given back
      taut::Certifier certifier(pendulum, 50.0);
      taut::SimulateOptions options{.step = 0.001, .end = 50.0};
      options.keep = false;
      if (!records) options.every = 0;
      taut::MemoryRecorder recorder;  // what a run keeps in Python
      taut::RunHeader header;
      header.coordinates.resize(4);
      header.constraints.resize(2);
      header.records = 50000;
      recorder.begin(header);
      options.observers.emplace_back([&](const taut::Progress& p) {
        const taut::Measured now = certifier.add(taut::instant(p.state), p.done, p.invariant);
        if (records) recorder.record({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), nullptr, now.kinetic, now.potential,
                         now.position_residual, now.velocity_residual, p.report.solve.newton_iterations});
      });
      const std::clock_t before = std::clock();
      const auto path = taut::simulate(pendulum, start, taut::integrator_named(name, {}), taut::Multipliers{}, options);
      best = std::min(best, double(std::clock() - before) / CLOCKS_PER_SEC / 50000 * 1e6);
    }
    std::cout << name << (records ? "-all " : "-last ") << best << "\n";
  }
}
"""


def best(action, rounds=20):
    """The least processor time of several rounds [s]."""
    out = np.inf
    for _ in range(rounds):
        before = time.process_time()
        action()
        out = min(out, time.process_time() - before)
    return out


def double_pendulum():
    m = taut.Model("Double pendulum", gravity=9.81)
    m.point("O", [0, 0])
    m.mass("A", mass=1, at=[1, 0])
    m.mass("B", mass=1, at=[2, 0])
    m.rod("O", "A")
    m.rod("A", "B")
    return m


def drag(v):
    return -0.1 * np.sqrt(v @ v + 1e-12) * v


def cpp(build):
    """The same run in C++, linked with the libraries of a build."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "run.cpp", pathlib.Path(folder) / "run"
        source.write_text(CPP)
        libraries = [str(next(build.rglob("libtaut.a")))] + "-lcholmod -lklu -lbtf -lamd -lcolamd -lccolamd -lcamd -lsuitesparseconfig -llapack -lblas -lasmjit".split()
        subprocess.run(["g++", "-std=c++20", "-O3", "-DNDEBUG", f"-I{ROOT}/src", "-I/usr/include/eigen3", "-I/usr/include/suitesparse", str(source), "-o", str(program), *libraries], check=True)
        return dict(line.split() for line in subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines())


def main():
    m, steps = double_pendulum(), 50000
    there = cpp(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else {}
    for which, every, told in (("all", 1, "all steps recorded"), ("last", 0, "the last step recorded")):
        for name in ("midpoint", "rk4"):
            here = best(lambda: m.solve(50, step=0.001, integrator=name, every=every)) / steps * 1e6
            beside = float(there[f"{name}-{which}"]) if there else 0.0
            print(f"double pendulum, {name}, {told}: {here:.3f} µs a step" + (f"; in C++ {beside:.3f}, ratio {here / beside:.3f}" if there else ""))

    traced, text, called = double_pendulum(), double_pendulum(), double_pendulum()
    traced.force("B")(lambda t, q, v: drag(v))
    text.force({"B.x": "-0.1*sqrt(B.x'^2 + B.y'^2 + 1e-12)*B.x'", "B.y": "-0.1*sqrt(B.x'^2 + B.y'^2 + 1e-12)*B.y'"})
    called.force("B", call=True)(lambda t, q, v: drag(v))
    for name in ("midpoint", "rk4"):
        one, other = (best(lambda: which.solve(20, step=0.001, integrator=name, every=0)) / 20000 * 1e6 for which in (traced, text))
        slow = best(lambda: called.solve(1, step=0.001, integrator=name, every=0), 3) / 1000 * 1e6
        print(f"force, {name}: traced {one:.2f} µs a step, as text {other:.2f}, ratio {one / other:.2f}; called {slow:.1f}")

    tiny = taut.Model("Pendulum", gravity=9.81)
    tiny.point("O", [0, 0])
    tiny.mass("A", mass=1, at=[1, 0])
    tiny.rod("O", "A")
    print(f"solve of one step of a pendulum: {best(lambda: [tiny.solve(0.01, step=0.01, integrator='midpoint') for _ in range(100)]) * 10:.3f} ms")

    code = "import time; import numpy; t = time.perf_counter(); import taut; print(time.perf_counter() - t)"
    took = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    print(f"import taut, beyond NumPy: {took:.3f} s")


if __name__ == "__main__":
    main()
