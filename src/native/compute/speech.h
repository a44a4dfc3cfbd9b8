// A Whisper model on a processor, and what one thread needs to use it.
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

/// Weights as the processor wants them. Read-only, for any number of threads.
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
  /// Asked between layers; null for never.
  bool (* stop)(void *) = nullptr;
  void * stopData = nullptr;
};

}  // namespace stenobox
