#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <taut/base/require.hpp>
#include <taut/diagnostics/certificate.hpp>

namespace taut {
namespace {

/// Two digits and a unit.
std::string figure(double value, const char* unit, bool units) {
  return in_digits(value, 2) + (units ? std::string(" ") + unit : "");
}

/// What is off by less than this share of the motion nobody sees; beyond the second it is another motion.
constexpr double invisible = 1e-2, another = 0.1;

/// What is off by more than this is not the motion, whatever else may be kept or unknown.
constexpr double lost = 0.5;

/// A step that leads this many times farther than velocities make of it leaps.
constexpr double leap = 10.0;

/// Promised exactly is kept to this: round-off of many steps.
constexpr double exact = 1e-8;

Grade worse(Grade a, Grade b) { return std::max(a, b); }

struct Judgement {
  Grade grade = Grade::good;
  std::string text{};
  void add(Grade one, const std::string& words) {
    grade = worse(grade, one);
    text += (text.empty() ? "" : ", ") + words;
  }
};

void judge_energy(const Certificate& c, const Promise& promise, Judgement& out) {
  const bool own = !c.own_energy.name.empty();
  const Conserved& energy = own ? c.own_energy : c.energy;
  const double off = energy.relative();
  const std::string size = figure(energy.deviation, "J", c.units) + " of " + figure(energy.scale, "J", c.units);
  const std::string name = own ? c.own_energy.name : "energy";
  if (!std::isfinite(energy.deviation)) return out.add(Grade::poor, name + " is not finite");
  if (promise.energy && !own) {
    if (off <= exact) return out.add(Grade::good, name + " within " + size);
    return out.add(Grade::poor, name + " off by " + size + ", though the scheme keeps it exactly");
  }
  const double enough = promise.rtol > 0.0 ? std::clamp(1e4 * promise.rtol, 1e-6, invisible) : invisible;
  // An energy of the scheme's own may be kept by a motion that has little to do with the energy there is: then it begins as another.
  if (own && off <= enough && !(std::abs(energy.start - c.energy.start) <= another * c.energy.scale))
    return out.add(Grade::poor, name + " within " + size + ", but that is " + figure(energy.start, "J", c.units) +
                                    " where the model has " + figure(c.energy.start, "J", c.units) + ": halve the step");
  // What swings back, as at impacts between the places where such schemes have their velocities, is not lost.
  if (own && off <= enough && !(std::abs(c.energy.drift) <= lost * c.energy.scale))
    return out.add(Grade::poor, name + " within " + size + ", but energy itself changed by " +
                                    figure(c.energy.drift, "J", c.units) + " of " + figure(c.energy.scale, "J", c.units) +
                                    ": halve the step");
  if (off <= enough) return out.add(Grade::good, name + " within " + size);
  const std::string mend = promise.rtol > 0.0 ? "; a smaller rtol mends it" : "; halve the step";
  if (promise.dissipates && energy.drift <= 0.0)
    return out.add(off <= another ? Grade::good : (off <= lost ? Grade::fair : Grade::poor),
                   name + " lost " + size + ", as this scheme takes it");
  out.add(off <= another ? Grade::fair : Grade::poor, name + " off by " + size + mend);
}

/// Where forces do work: energy less work. Whether something could be said; the sum of the work may not be known well enough.
bool judge_balance(const Certificate& c, const Promise& promise, Judgement& out) {
  if (c.balance.name.empty() || !std::isfinite(c.balance.deviation)) return false;
  const double off = c.balance.relative(), surely = c.balance.scale > 0.0 ? c.unbalanced / c.balance.scale : 0.0;
  const std::string size = figure(c.balance.deviation, "J", c.units) + " of " + figure(c.balance.scale, "J", c.units);
  if (off <= invisible) {
    out.add(Grade::good, c.balance.name + " within " + size);
    return true;
  }
  if (!(surely > invisible)) return false;
  if (promise.dissipates && c.balance.drift <= 0.0) {
    const Grade grade = surely <= another && off <= another ? Grade::good : (off <= lost ? Grade::fair : Grade::poor);
    out.add(grade, c.balance.name + " lost " + size + ", as this scheme takes it");
  } else {
    out.add(surely <= another && off <= lost ? Grade::fair : Grade::poor,
            c.balance.name + " off by " + size + (promise.rtol > 0.0 ? "; a smaller rtol mends it" : "; halve the step"));
  }
  return true;
}

/// Some schemes keep an energy with any step, and what only turns keeps it with any scheme. What tells whether they follow the motion is how much of it one
/// step turns: of each turn they miss some shareᵖ/12, with p the order.
void judge_resolution(const Certificate& c, const Promise& promise, Judgement& out) {
  constexpr int few = 5;           // from rest, some steps are all there is
  constexpr double skipped = 0.6;  // of the velocity: half a period of a vibration in a step
  if (c.slip > leap) return;       // that is told
  if (promise.rtol > 0.0 || c.states <= few) return;
  if (!(c.motion > 1e-3 * c.energy.scale)) return;  // round-off of what rests
  const double share = c.turn > 0.0 ? std::sqrt(c.turn / c.motion) : 0.0, missed = std::pow(share, promise.order);
  // Velocities at the ends of a step may be alike although there are periods between; places then are not where they lead.
  if (missed <= 0.25 && c.slip > skipped)
    return out.add(c.slip > 1.5 * skipped ? Grade::poor : Grade::fair,
                   "but places change otherwise than velocities say, as with periods within one step: halve it");
  if (!(missed > 0.25)) return;
  out.add(missed > 2.25 ? Grade::poor : Grade::fair,
          message("but velocities change by {} % of the largest in one step, and then kept energy proves nothing: halve it",
                  std::round(100.0 * share)));
}

/// No motion leaps; what holds it may, where it changes by place or at a moment.
void judge_leaps(const Certificate& c, Judgement& out) {
  if (c.slip > leap)
    out.add(Grade::poor,
            "but places leap within a step, by more than ten times what velocities make of it: what holds them "
            "jumps there");
}

/// Impacts take energy, if anything.
void judge_impacts(const Certificate& c, Judgement& out) {
  if (!c.only_loses || !(c.energy.rise > invisible * c.energy.scale)) return;
  out.add(c.energy.rise > another * c.energy.scale ? Grade::poor : Grade::fair,
          "energy grew by " + figure(c.energy.rise, "J", c.units) + " of " + figure(c.energy.scale, "J", c.units) +
              ", though impacts only take it; halve the step");
}

/// Equal steps that keep being divided are not the ones that were asked for.
void judge_retries(const Certificate& c, const Promise& promise, Judgement& out) {
  if (promise.rtol > 0.0 || c.counts.retried <= c.counts.steps / 10) return;
  out.add(Grade::fair,
          message("{} steps failed and were divided, with {} taken; take smaller ones", c.counts.retried, c.counts.steps));
}

void judge_momenta(const Certificate& c, const Promise& promise, Judgement& out) {
  if (!promise.momentum) return;
  for (const Conserved& one : c.momenta)
    if (!(one.relative() <= exact || one.deviation <= 1e-12))
      out.add(Grade::poor, one.name + " off by " + figure(one.deviation, "", false) + ", though the scheme keeps it");
}

void judge_constraints(const Certificate& c, bool penalised, Judgement& out) {
  if (c.gap == 0.0 && c.position_residual == 0.0 && c.penetration == 0.0) return;
  const double share = c.size > 0.0 ? c.gap / c.size : c.gap;
  const std::string size = figure(c.gap, "m", c.units);
  if (penalised) {
    out.add(share <= invisible ? Grade::good : (share <= another ? Grade::fair : Grade::poor),
            "constraints, held by springs, within " + size);
  } else if (share <= exact) {
    out.add(Grade::good, "constraints within " + size);
  } else {
    out.add(Grade::poor, message("'{}' violated by ", c.worst) + size);
  }
  // Schemes that hold positions leave something in the velocities, which should be little.
  // They swing about what is held, and do not add up.
  constexpr double swings = 0.05;
  if (penalised || !(c.velocity_share > swings)) return;
  out.add(c.velocity_share <= 0.5 ? Grade::fair : Grade::poor,
          "velocities violate their constraints by " + figure(c.velocity_gap, "m/s", c.units) + ", " +
              figure(100.0 * c.velocity_share, "", false) + " % of what they are; halve the step");
}

}  // namespace

const char* name_of(Grade grade) {
  switch (grade) {
    case Grade::good:
      return "good";
    case Grade::fair:
      return "fair";
    case Grade::poor:
      return "poor";
    case Grade::unverified:
      return "unverified";
    case Grade::bad:
      return "bad";
  }
  return "";
}

void judge(Certificate& c, const Promise& promise, bool penalised) {
  if (!good(c.verdict)) {
    c.grade = Grade::bad;
    c.summary = std::string(name_of(c.verdict)) + ": " + c.message;
    return;
  }
  Judgement found;
  bool verified = c.conservative;
  if (c.conservative) {
    judge_energy(c, promise, found);
    if (!penalised) judge_resolution(c, promise, found);  // springs for constraints are not meant to be resolved
  } else {
    verified = judge_balance(c, promise, found);
  }
  judge_momenta(c, promise, found);
  judge_constraints(c, penalised, found);
  judge_leaps(c, found);
  judge_impacts(c, found);
  judge_retries(c, promise, found);
  std::string more;
  if (!c.singular.empty()) {
    found.grade = worse(found.grade, Grade::fair);
    more = message("; passed a singular position at t = {}", c.singular.front());
    if (c.singular.size() > 1) more += message(" and {} more", c.singular.size() - 1);
    more += ", where the motion may branch: check that it went where it should";
  }
  c.grade = found.grade;
  if (verified || found.grade != Grade::good) {
    c.summary = std::string(name_of(c.grade)) + ": " + (found.text.empty() ? "nothing is off" : found.text) + more;
    if (c.grade != Grade::good || !more.empty()) return;
    // The sum of the work says less of an error than the energy of a conservative model.
    if (promise.rtol > 0.0)
      c.summary += message(c.conservative ? ", as expected at rtol = {}" : "; local errors below rtol = {}", promise.rtol);
    else if (c.conservative)
      c.summary += ", as expected of this scheme at this step";
    return;
  }
  c.grade = Grade::unverified;
  c.summary = "unverified: " + (found.text.empty() ? "" : found.text + "; ") +
              (promise.rtol > 0.0 ? message("local errors below rtol = {}; ", promise.rtol) : "") +
              "energy is not conserved here and so tells no error; `taut verify` finds it";
}

void doubt(Certificate& c, const std::string& why) {
  if (!good(c.verdict)) return;
  c.grade = Grade::poor;
  c.summary = "poor: " + why;
}

std::ostream& operator<<(std::ostream& out, const Certificate& c) {
  std::ostringstream text;
  const auto line = [&](const std::string& name) -> std::ostream& {
    return text << "  " << std::left << std::setw(28) << name << std::right;
  };
  const auto conserved = [&](const Conserved& quantity, const char* unit) {
    const std::string in = c.units && *unit != '\0' ? std::string(" ") + unit : "";
    line(quantity.name) << std::setprecision(10) << quantity.start << in << std::setprecision(3) << ", off by at most "
                        << quantity.deviation << in;
    if (quantity.scale > 0.0) text << " (" << quantity.relative() << " of what moves)";
    text << ", drift " << quantity.drift << in << "\n";
  };
  text << c.summary << "\n";
  text << "certificate: " << c.integrator << ", " << c.solver << ", t = " << c.t_start << " to " << c.t_end
       << (c.units ? " s, " : ", ") << c.states << " states\n";
  line("run") << (c.verdict == Verdict::reached ? "reached the end" : name_of(c.verdict)) << "\n";
  if (c.verdict != Verdict::reached) line("") << c.message << "\n";
  conserved(c.energy, "J");
  if (!c.conservative) line("") << "(forces, driven constraints or impacts do work: energy need not be constant)\n";
  if (!c.balance.name.empty()) conserved(c.balance, "J");
  if (!c.own_energy.name.empty()) conserved(c.own_energy, "J");
  for (const Conserved& momentum : c.momenta) conserved(momentum, "");
  text << std::setprecision(3);
  line("constraints, position") << c.position_residual;
  if (c.gap > 0.0)
    text << (c.units ? "; as a distance " : "; over its slope ") << c.gap << (c.units ? " m" : "") << ", '" << c.worst
         << "'";
  text << "\n";
  line("constraints, velocity") << c.velocity_residual;
  if (c.velocity_gap > 0.0)
    text << (c.units ? "; as a velocity " : "; over its slope ") << c.velocity_gap << (c.units ? " m/s" : "");
  text << "\n";
  if (c.penetration > 0.0) line("penetration") << c.penetration << "\n";
  constexpr std::size_t shown = 5;
  for (std::size_t k = 0; k < std::min(shown, c.singular.size()); ++k)
    line(k == 0 ? "singular positions" : "") << "t = " << c.singular[k] << "\n";
  if (c.singular.size() > shown) line("") << "and " << c.singular.size() - shown << " more\n";
  const double steps = double(std::max(1L, c.counts.steps));
  line("steps") << c.counts.steps << ", " << c.counts.retried << " retried";
  if (c.counts.rejected > 0) text << ", " << c.counts.rejected << " of them for the tolerance";
  if (c.counts.largest_step > c.counts.smallest_step * (1.0 + 1e-9))
    text << "; from " << c.counts.smallest_step << " to " << c.counts.largest_step;
  text << "\n";
  if (c.counts.jumps > 0)
    line("jumps") << c.counts.jumps << " met by small steps, the first near t = " << c.counts.first_jump
                  << "; those by time alone cost nothing under `breaks`\n";
  if (c.counts.projection_energy != 0.0) line("energy by projections") << c.counts.projection_energy << "\n";
  line("Newton per step") << double(c.counts.newton_iterations) / steps << ", at most " << c.counts.newton_most
                          << "; matrices per step " << double(c.counts.factorizations) / steps << "\n";
  line("force evaluations") << c.counts.evaluations << "\n";
  if (c.counts.multiplier_updates > 0)
    line("updates per step") << double(c.counts.multiplier_updates) / steps << ", at most " << c.counts.updates_most << "\n";
  for (const std::string& name : c.dependent) line("depends on others") << name << "\n";
  return out << text.str();
}

}  // namespace taut
