#pragma once

#include <taut/model/draft.hpp>

/// What readers of sections put into the picture of a model: see scene.hpp.
namespace taut {

struct Obstacle;

/// A place by expressions of t and coordinates; returns its number in the scene.
int draw_place(Draft& draft, const std::string& name, Scene::Place::Kind kind, const std::array<Graph::Node, 3>& x);

void draw_link(Draft& draft, Scene::Link::Kind kind, const std::string& name, const Spot& a, const Spot& b, double length);

/// A beam through its nodes, and through places between them where these lie far apart. `place_of_point`: places that are drawn already.
void draw_beam(Draft& draft, const std::string& name, const Beam& beam, std::unordered_map<int, int>& place_of_point);
void draw_string(Draft& draft, const std::string& name, const VibratingString& string);
void draw_rail(Draft& draft, const std::string& name, const VibratingString& along,
               const std::function<double(double)>& height);

/// A beam that is so thick.
void draw_thickness(Draft& draft, const std::string& beam, double radius);

void draw_body(Draft& draft, const BodyEntry& body);

/// A solid one as a body that stands still, a hollow one by lines on its surface.
void draw_obstacle(Draft& draft, const std::string& name, const Obstacle& obstacle);

/// An expression as offset + Σ weight · q; false where it is not.
bool affine_form(Draft& draft, Graph::Node node, Scene::Affine& out);

/// The curve or surface F(x, y, z) = 0 that a mass is held on, if its equation names nothing else that moves.
void draw_surface(Draft& draft, const Item& equation, int place);

/// The force of the constraint that was added last to the system: −λ · direction, or along the line from `other`.
void draw_reaction(Draft& draft, const std::string& name, int place, int other, const std::array<double, 3>& direction = {});
/// The same of a constraint by its number among the expressions.
void draw_reaction(Draft& draft, const std::string& name, int place, int other, const std::array<double, 3>& direction,
                   std::size_t constraint);

/// Once everything is read: which places are affine, which are tracks; rows of reactions; surfaces.
void finish_scene(Draft& draft);

}  // namespace taut
