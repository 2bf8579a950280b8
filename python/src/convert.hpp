#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <taut/base/vector.hpp>
#include <taut/model/tree.hpp>
#include <vector>

/// Python's objects and ours.
namespace taut::python {

namespace nb = nanobind;

/// What may stand in a model: None, words, numbers, truths, lists, dictionaries. Throws InputError for anything else.
Tree to_tree(nb::handle object);

/// The same back: words stay words.
nb::object to_object(const Tree& tree);

using Rows = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>;
using Row = nb::ndarray<nb::numpy, const double, nb::ndim<1>, nb::c_contig>;
using Given = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using GivenRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Read-only views into memory that the owner keeps alive.
Rows view(const std::vector<double>& numbers, std::size_t rows, std::size_t columns, nb::handle owner);
Row view(const std::vector<double>& numbers, nb::handle owner);

/// An array of its own.
nb::object array_of(std::vector<double> numbers);
nb::object array_of(std::vector<double> numbers, std::size_t columns);
nb::object array_of(const Vector& vector);

Vector to_vector(const Given& given);

nb::object number_or_none(double value);

void add_sections(nb::module_& module);
void add_model(nb::module_& module);
void add_runs(nb::module_& module);
void add_studies(nb::module_& module);
void add_hand_runs(nb::module_& module);
void add_equations(nb::module_& module);

}  // namespace taut::python
