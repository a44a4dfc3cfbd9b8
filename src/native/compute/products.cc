#include "products.h"

#include <omp.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#include <dnnl.hpp>

namespace stenobox {

namespace {

using dnnl::matmul;
using dnnl::memory;
using Type = memory::data_type;

const dnnl::engine & engine() {
  // Never destroyed: worker threads may still compute while the process exits.
  static const dnnl::engine * const instance = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *instance;
}

Type typeOf(Number number) { return number == Number::Brain ? Type::bf16 : Type::f32; }

memory::dim dim(size_t count) { return static_cast<memory::dim>(count); }

memory::desc rowsOf(size_t rows, size_t columns, Type type) { return {{dim(rows), dim(columns)}, type, memory::format_tag::ab}; }

memory::desc anyOf(size_t rows, size_t columns, Type type) { return {{dim(rows), dim(columns)}, type, memory::format_tag::any}; }

/// A matrix stored by rows and read by columns.
memory::desc turned(size_t rows, size_t columns, Type type) { return {{dim(rows), dim(columns)}, type, memory::format_tag::ba}; }

memory at(const memory::desc & shape, const void * data) { return {shape, engine(), const_cast<void *>(data)}; }

dnnl::primitive_attr ownScratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::primitive_attr finishing(Finish finish) {
  dnnl::primitive_attr attributes = ownScratch();
  dnnl::post_ops after;
  if (finish == Finish::Gelu) after.append_eltwise(1.0f, dnnl::algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
  if (finish == Finish::Add) after.append_sum(1.0f);
  attributes.set_post_ops(after);
  return attributes;
}

void execute(const dnnl::primitive & primitive, std::unordered_map<int, memory> arguments, const memory::desc & wish, Scratch & scratch) {
  // One per thread: streams must not be shared.
  static thread_local dnnl::stream stream(engine());
  arguments.insert({DNNL_ARG_SCRATCHPAD, at(wish, scratch.take(wish.get_size()))});
  primitive.execute(stream, arguments);
  stream.wait();
}

void convert(const memory & from, const memory & to, Scratch & scratch) {
  const dnnl::reorder::primitive_desc description(from, to, ownScratch());
  execute(dnnl::reorder(description), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}, description.scratchpad_desc(), scratch);
}

struct Product {
  matmul::primitive_desc description;
  matmul primitive;

  explicit Product(const matmul::primitive_desc & shape) : description(shape), primitive(shape) {}

  void run(const void * rows, const void * weights, const void * bias, void * result, Scratch & scratch) const {
    std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, at(description.src_desc(), rows)},
      {DNNL_ARG_WEIGHTS, at(description.weights_desc(), weights)},
      {DNNL_ARG_DST, at(description.dst_desc(), result)}};
    if (bias != nullptr) arguments.insert({DNNL_ARG_BIAS, at(description.query_md(dnnl::query::weights_md, 1), bias)});
    execute(primitive, std::move(arguments), description.scratchpad_desc(), scratch);
  }
};

double threadSeconds() {
  timespec time {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds for a typical encoder product: the best of a few runs.
double measure(Number number) {
  constexpr size_t rows = 500;
  constexpr size_t width = 512;
  const std::vector<float> weights(width * width, 0.01f);
  const Layer layer(weights.data(), width, std::vector<float>(width, 0.0f), number, Finish::StoreFloats);
  const std::vector<float> input(rows * width, 0.0f);
  std::vector<float> result(rows * width);
  Scratch scratch;
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begin = threadSeconds();
    layer.run(input.data(), rows, result.data(), scratch);
    best = std::min(best, threadSeconds() - begin);
  }
  return best;
}

Number choose() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  if (isa == dnnl::cpu_isa::avx512_core_amx) return Number::Brain;
  if (isa != dnnl::cpu_isa::avx512_core_bf16) return Number::Float;
  useThreads(1);
  // Rounding costs accuracy, so it must be worth it; a close measurement would also make texts differ from one start to the next.
  constexpr double gain = 1.3;
  return measure(Number::Float) > gain * measure(Number::Brain) ? Number::Brain : Number::Float;
}

}  // namespace

void * Scratch::take(size_t bytes) {
  constexpr size_t alignment = 64;
  if (bytes > size_) {
    memory_.reset();
    size_ = 0;
    const size_t whole = (bytes + alignment - 1) / alignment * alignment;
    memory_.reset(std::aligned_alloc(alignment, whole));
    if (!memory_) throw std::bad_alloc();
    size_ = whole;
  }
  return memory_.get();
}

void Scratch::Free::operator()(void * memory) const {
  std::free(memory);
}

Number fastNumber() {
  static const Number number = choose();
  return number;
}

void useThreads(int threads) {
  omp_set_num_threads(threads);
}

struct Layer::Kept {
  size_t inputs;
  size_t outputs;
  Number number;
  Finish finish;
  std::vector<float> bias;
  memory weights;
  std::mutex mutex;
  std::map<size_t, Product> products;

  matmul::primitive_desc describe(size_t count, const memory::desc & shape) const {
    const Type type = typeOf(number);
    const bool floats = finish != Finish::Store && finish != Finish::Gelu;
    const matmul::desc description(
      rowsOf(count, inputs, type), shape, memory::desc({1, dim(outputs)}, Type::f32, memory::format_tag::ab),
      rowsOf(count, outputs, floats ? Type::f32 : type)
    );
    return {description, finishing(finish), engine()};
  }

  const Product & product(size_t count) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = products.find(count);
    if (found != products.end()) return found->second;
    return products.emplace(count, Product(describe(count, weights.get_desc()))).first->second;
  }
};

Layer::Layer(const float * weights, size_t inputs, const std::vector<float> & bias, Number number, Finish finish) : kept_(new Kept) {
  // The rows of a full window; what is fastest for them is fast for all.
  constexpr size_t typical = 1500;
  kept_->inputs = inputs;
  kept_->outputs = bias.size();
  kept_->number = number;
  kept_->finish = finish;
  kept_->bias = bias;
  const matmul::primitive_desc description = kept_->describe(typical, anyOf(inputs, bias.size(), typeOf(number)));
  kept_->weights = memory(description.weights_desc(), engine());
  Scratch scratch;
  convert(at(turned(inputs, bias.size(), Type::f32), weights), kept_->weights, scratch);
}

Layer::~Layer() = default;
Layer::Layer(Layer &&) noexcept = default;

void Layer::run(const void * rows, size_t count, void * result, Scratch & scratch) const {
  kept_->product(count).run(rows, kept_->weights.get_data_handle(), kept_->bias.data(), result, scratch);
}

struct Attention::Kept {
  Product scores;
  Product mixes;
  memory::desc keys;
  memory::desc values;
};

Attention::Attention(Number number, size_t queries, size_t positions, size_t width) {
  const Type type = typeOf(number);
  const auto product = [](const memory::desc & rows, const memory::desc & weights, const memory::desc & result) {
    return Product({matmul::desc(rows, weights, result), ownScratch(), engine()});
  };
  kept_.reset(new Kept {
    product(rowsOf(queries, width, type), anyOf(width, positions, type), rowsOf(queries, positions, Type::f32)),
    product(rowsOf(queries, positions, type), anyOf(positions, width, type), rowsOf(queries, width, type)),
    turned(width, positions, type),
    rowsOf(positions, width, type)});
}

Attention::~Attention() = default;

size_t Attention::keyBytes() const { return kept_->scores.description.weights_desc().get_size(); }

size_t Attention::valueBytes() const { return kept_->mixes.description.weights_desc().get_size(); }

void Attention::prepare(const void * keys, const void * values, void * preparedKeys, void * preparedValues, Scratch & scratch) const {
  convert(at(kept_->keys, keys), at(kept_->scores.description.weights_desc(), preparedKeys), scratch);
  convert(at(kept_->values, values), at(kept_->mixes.description.weights_desc(), preparedValues), scratch);
}

void Attention::score(const void * queries, const void * preparedKeys, float * scores, Scratch & scratch) const {
  kept_->scores.run(queries, preparedKeys, nullptr, scores, scratch);
}

void Attention::mix(const void * weights, const void * preparedValues, void * result, Scratch & scratch) const {
  kept_->mixes.run(weights, preparedValues, nullptr, result, scratch);
}

}  // namespace stenobox
