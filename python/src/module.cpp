#include <new>
#include <taut/base/require.hpp>

#include "convert.hpp"

namespace nb = nanobind;

namespace {

/// taut.Error, and below it the caller's mistake, a ValueError, and a run that did not get where it should, a RuntimeError.
void add_errors(nb::module_& module) {
  const auto made = [&](const char* name, const char* whole, nb::object bases, const char* doc) {
    nb::object type = nb::steal(PyErr_NewExceptionWithDoc(whole, doc, bases.ptr(), nullptr));
    module.attr(name) = type;
    return type;
  };
  const nb::object base =
      made("Error", "taut.Error", nb::borrow(PyExc_Exception), "What taut has to say against something.");
  static nb::object input;
  input = made("InputError", "taut.InputError", nb::make_tuple(base, nb::borrow(PyExc_ValueError)),
               "A mistake in what was given: subject, what was given, what was expected, a way out.");
  made("RunError", "taut.RunError", nb::make_tuple(base, nb::borrow(PyExc_RuntimeError)),
       "A run that failed or diverged; `result` has everything up to there.");
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const taut::InputError& error) {
      PyErr_SetString(input.ptr(), error.what());
    }
  });
  // Lives as long as the process; the interpreter may be gone before static objects are.
  module.def("_forget", [] { input.reset(); });
  nb::module_::import_("atexit").attr("register")(module.attr("_forget"));
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "What taut does in C++.";
  module.attr("version") = TAUT_VERSION;
  add_errors(module);
  taut::python::add_sections(module);
  taut::python::add_model(module);
  taut::python::add_runs(module);
  taut::python::add_studies(module);
  taut::python::add_hand_runs(module);
  taut::python::add_equations(module);
}
