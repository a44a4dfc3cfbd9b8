// A Whisper model on the CPU, and one thread's working memory for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decoder.h"
#include "encoder.h"
#include "tensors.h"

namespace stenobox {

/// Weights in the processor's preferred layout. Read-only; any number of threads may use them.
struct Speech {
  Encoder encoder;
  Decoder decoder;
  std::vector<HeadPlace> watched;

  Speech(const Tensors & tensors, const SpeechShape & shape, std::vector<HeadPlace> heads)
    : encoder(tensors, shape, fastNumber()), decoder(tensors, shape, fastNumber()), watched(std::move(heads)) {}
};

struct SpeechRoom {
  EncoderRoom encoder;
  DecoderRoom decoder;
  std::vector<float> logits;
  std::vector<float> attention;
  /// Asked between layers; null: never stop.
  bool (* stop)(void *) = nullptr;
  void * stopData = nullptr;
};

}  // namespace stenobox
