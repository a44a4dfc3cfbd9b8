#include "tensors.h"

#include <algorithm>

#include "ggml.h"

namespace stenobox {

void Tensors::readRows(const std::string & name, size_t first, size_t count, size_t width, float * target) const {
  const ggml_tensor * tensor = tensors_.at(name);
  const ggml_type type = tensor->type;
  const size_t rowBytes = ggml_row_size(type, static_cast<int64_t>(width));
  const char * from = static_cast<const char *>(tensor->data) + first * rowBytes;
  const auto numbers = static_cast<int64_t>(count * width);
  if (type == GGML_TYPE_F32) std::copy_n(reinterpret_cast<const float *>(from), numbers, target);
  else ggml_get_type_traits(type)->to_float(from, target, numbers);
}

size_t Tensors::size(const std::string & name) const {
  return static_cast<size_t>(ggml_nelements(tensors_.at(name)));
}

std::vector<float> Tensors::read(const std::string & name, float factor) const {
  const size_t count = size(name);
  std::vector<float> numbers(count);
  readRows(name, 0, 1, count, numbers.data());
  if (factor != 1.0f) {
    for (float & number : numbers) number *= factor;
  }
  return numbers;
}

std::vector<float> joined(std::vector<float> a, const std::vector<float> & b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Norm readNorm(const Tensors & tensors, const std::string & name) {
  return {tensors.read(name + ".weight"), tensors.read(name + ".bias")};
}

}  // namespace stenobox
