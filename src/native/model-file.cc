#include "model-file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "failure.h"
#include "ggml.h"

namespace stenobox {

namespace {

// All published Whisper models have these values; whisper.cpp uses some of them unchecked.
constexpr int32_t kAudioPositions = 1500;
constexpr int32_t kTextPositions = 448;
constexpr int32_t kHeadSize = 64;
constexpr int32_t kFrequencyBins = 201;
constexpr int32_t kMaxState = 8192;
constexpr int32_t kMaxLayers = 128;

constexpr uint32_t kMaxWordBytes = 4096;
constexpr int32_t kMaxNameBytes = 128;

// Tensors outside the layers, and in each layer of encoder and decoder.
constexpr int kPlainTensors = 11;
constexpr int kEncoderLayerTensors = 15;
constexpr int kDecoderLayerTensors = 24;

struct Header {
  int32_t vocabulary;
  int32_t audioPositions;
  int32_t audioState;
  int32_t audioHeads;
  int32_t audioLayers;
  int32_t textPositions;
  int32_t textState;
  int32_t textHeads;
  int32_t textLayers;
  int32_t mels;
  int32_t format;
};
static_assert(sizeof(Header) == 11 * sizeof(int32_t), "read in one piece");

[[noreturn]] void invalid(const std::string & message) {
  throw Failure(Code::ModelInvalid, "Not a usable speech model: " + message);
}

}  // namespace

void demand(bool condition, const std::string & message) {
  if (!condition) invalid(message);
}

ggml_type matrixType(int32_t format) {
  // ggml_ftype_to_ggml_type aborts on unknown numbers.
  demand(format >= 0 && format / GGML_QNT_VERSION_FACTOR <= GGML_QNT_VERSION, "unknown weight format " + std::to_string(format));
  static constexpr std::array<ggml_ftype, 14> known = {
    GGML_FTYPE_ALL_F32, GGML_FTYPE_MOSTLY_F16, GGML_FTYPE_MOSTLY_BF16,
    GGML_FTYPE_MOSTLY_Q4_0, GGML_FTYPE_MOSTLY_Q4_1, GGML_FTYPE_MOSTLY_Q5_0, GGML_FTYPE_MOSTLY_Q5_1, GGML_FTYPE_MOSTLY_Q8_0,
    GGML_FTYPE_MOSTLY_Q2_K, GGML_FTYPE_MOSTLY_Q3_K, GGML_FTYPE_MOSTLY_Q4_K, GGML_FTYPE_MOSTLY_Q5_K, GGML_FTYPE_MOSTLY_Q6_K,
    GGML_FTYPE_MOSTLY_IQ4_NL};
  const int32_t type = format % GGML_QNT_VERSION_FACTOR;
  demand(std::find(known.begin(), known.end(), type) != known.end(), "unknown weight format " + std::to_string(format));
  return ggml_ftype_to_ggml_type(static_cast<ggml_ftype>(type));
}

namespace {

void checkHeader(const Header & header, ggml_type matrix) {
  // Larger vocabularies would have more languages than the library has names for.
  demand(header.vocabulary >= 51864 && header.vocabulary <= 51866, "vocabulary of " + std::to_string(header.vocabulary));
  demand(header.audioPositions == kAudioPositions, "audio context of " + std::to_string(header.audioPositions));
  demand(header.textPositions == kTextPositions, "text context of " + std::to_string(header.textPositions));
  demand(header.audioState > 0 && header.audioState <= kMaxState, "width of " + std::to_string(header.audioState));
  demand(header.textState == header.audioState, "encoder and decoder differ in width");
  demand(
    header.audioHeads > 0 && header.audioHeads <= kMaxState / kHeadSize && header.audioHeads * kHeadSize == header.audioState,
    "heads do not fit the width"
  );
  demand(header.textHeads == header.audioHeads, "encoder and decoder differ in heads");
  demand(header.audioLayers > 0 && header.audioLayers <= kMaxLayers, std::to_string(header.audioLayers) + " encoder layers");
  demand(header.textLayers > 0 && header.textLayers <= kMaxLayers, std::to_string(header.textLayers) + " decoder layers");
  demand(header.mels == 80 || header.mels == 128, std::to_string(header.mels) + " mel bands");
  demand(header.audioState % ggml_blck_size(matrix) == 0, "the weight format needs a wider model");
}

}  // namespace

void demandMagic(ModelFile & file) {
  demand(file.remaining() >= sizeof(uint32_t) && file.read<uint32_t>() == GGML_FILE_MAGIC, "it does not start like one (ggml format)");
}

void skipFilters(ModelFile & file, int32_t mels, int32_t bins) {
  demand(file.read<int32_t>() == mels && file.read<int32_t>() == bins, "mel filters of another shape");
  file.skip(static_cast<uint64_t>(mels) * bins * sizeof(float));
}

bool skipWords(ModelFile & file, int32_t words, const std::string & wanted) {
  std::array<char, kMaxWordBytes> word;
  bool found = false;
  for (int32_t i = 0; i < words; ++i) {
    const auto bytes = file.read<uint32_t>();
    demand(bytes <= kMaxWordBytes, "a word of " + std::to_string(bytes) + " bytes");
    file.read(word.data(), bytes);
    found = found || wanted.compare(0, std::string::npos, word.data(), bytes) == 0;
  }
  return found;
}

namespace {

void checkVocabulary(ModelFile & file, const Header & header) {
  const auto words = file.read<int32_t>();
  demand(words > 0 && words <= header.vocabulary, "vocabulary of " + std::to_string(words) + " words");
  // whisper.cpp looks this up without checking that it exists.
  demand(skipWords(file, words, " "), "the vocabulary lacks the blank");
}

TensorHeader skipTensor(ModelFile & file, int32_t dimensions, const std::vector<int32_t> & types) {
  const auto count = file.read<int32_t>();
  const auto nameBytes = file.read<int32_t>();
  const auto type = file.read<int32_t>();
  demand(count >= 1 && count <= dimensions, "a tensor of " + std::to_string(count) + " dimensions");
  demand(nameBytes >= 1 && nameBytes <= kMaxNameBytes, "a tensor's name of " + std::to_string(nameBytes) + " bytes");
  demand(std::find(types.begin(), types.end(), type) != types.end(), "a tensor of type " + std::to_string(type));
  std::vector<int32_t> sides;
  uint64_t elements = 1;
  for (int32_t i = 0; i < count; ++i) {
    sides.push_back(file.read<int32_t>());
    demand(sides[i] > 0 && sides[i] <= (1 << 24), "a tensor's side of " + std::to_string(sides[i]));
    elements *= sides[i];
    demand(elements <= INT32_MAX, "a tensor of " + std::to_string(elements) + " elements");
  }
  std::string name(nameBytes, '\0');
  file.read(&name[0], nameBytes);
  const auto ggmlType = static_cast<ggml_type>(type);
  demand(sides[0] % ggml_blck_size(ggmlType) == 0, "tensor '" + name + "' does not fit its type");
  const uint64_t bytes = bytesOf(elements, ggmlType);
  file.skip(bytes);
  return {name, type, bytes};
}

}  // namespace

uint64_t bytesOf(uint64_t elements, ggml_type type) {
  return elements / ggml_blck_size(type) * ggml_type_size(type);
}

std::vector<TensorHeader> skipTensors(ModelFile & file, size_t expected, int32_t dimensions, const std::vector<int32_t> & types) {
  std::vector<TensorHeader> tensors;
  std::set<std::string> names;
  while (file.remaining() > 0) {
    tensors.push_back(skipTensor(file, dimensions, types));
    const std::string & name = tensors.back().name;
    demand(names.insert(name).second, "two tensors are named '" + name + "'");
    demand(names.size() <= expected, "more tensors than its header announces");
  }
  demand(names.size() == expected, std::to_string(names.size()) + " tensors where its header announces " + std::to_string(expected));
  return tensors;
}

ModelFile::ModelFile(const std::string & path) {
  struct stat status {};
  // Check before opening: opening a named pipe would wait for a writer.
  if (stat(path.c_str(), &status) != 0) throw Failure(Code::ModelNotFound, "Cannot read " + path + ": " + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw Failure(Code::ModelNotFound, "Cannot read " + path + ": not a file");
  file_ = std::fopen(path.c_str(), "rb");
  if (file_ == nullptr) throw Failure(Code::ModelNotFound, "Cannot read " + path + ": " + std::strerror(errno));
  size_ = static_cast<uint64_t>(status.st_size);
}

ModelFile::~ModelFile() {
  std::fclose(file_);
}

void ModelFile::require(uint64_t bytes) const {
  if (bytes > remaining()) invalid("the file ends " + std::to_string(bytes - remaining()) + " bytes too early");
}

void ModelFile::read(void * target, uint64_t bytes) {
  require(bytes);
  if (bytes > 0 && std::fread(target, 1, bytes, file_) != bytes) invalid("the file could not be read to its end");
  offset_ += bytes;
}

void ModelFile::skip(uint64_t bytes) {
  require(bytes);
  if (fseeko(file_, static_cast<off_t>(bytes), SEEK_CUR) != 0) invalid("the file could not be read to its end");
  offset_ += bytes;
}

ModelShape checkModelFile(const std::string & path) {
  ModelFile file(path);
  demandMagic(file);
  const auto header = file.read<Header>();
  // In a Parakeet model, these fields hold the length of the Fourier transform and the subsampling factor.
  demand(header.textHeads != 512 || header.textLayers != 8, "it is a Parakeet model, not a Whisper model");
  const ggml_type matrix = matrixType(header.format);
  checkHeader(header, matrix);
  skipFilters(file, header.mels, kFrequencyBins);
  checkVocabulary(file, header);

  // whisper.cpp checks names and shapes itself and reports errors properly.
  const size_t expected = kPlainTensors + kEncoderLayerTensors * header.audioLayers + kDecoderLayerTensors * header.textLayers;
  skipTensors(file, expected, 3, {GGML_TYPE_F32, GGML_TYPE_F16, matrix});
  return {header.textLayers, header.textHeads};
}

}  // namespace stenobox
