#include <hyperplane/hyperplane.hpp>
