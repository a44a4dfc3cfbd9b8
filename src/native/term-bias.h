// Names and terms somebody expects: how the decoder is helped to spell them.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "whisper.h"

namespace stenobox {

/// Shallow fusion with a tree of the terms' tokens. A token that goes on with a term costs less, if the model finds it nearly as likely as
/// its best one; what was so spared is given back as soon as the term breaks off. So a term wins over what sounds nearly like it, and is
/// not made of nothing.
class TermBias {
 public:
  /// `terms` in UTF-8, as they are to be spelled. The context must outlive this object.
  TermBias(whisper_context & context, const std::vector<std::string> & terms);

  /// Changes the log-probabilities of the token after the `count` ones of `tokens`: one for each token of the vocabulary.
  /// The tokens carry what the model thought of them (`p`) and what they counted for (`plog`). None becomes larger than 0.
  void apply(const whisper_token_data * tokens, int count, std::vector<float> & logProbabilities) const;

  /// True when one of the terms is there, in the tokens it was looked for in.
  bool isIn(const std::vector<whisper_token_data> & tokens) const;

 private:
  struct Node {
    std::unordered_map<whisper_token, int> next;
    bool isEnd = false;
  };
  /// A term that has been begun: where in the tree, and the first of the tokens that completes no term yet.
  struct Begun {
    int node;
    int firstOpen;
  };

  void add(const std::string & text, int root);
  std::vector<Begun> begunIn(const whisper_token_data * tokens, int count) const;
  bool mayBeginBare(const whisper_token_data * tokens, int count) const;
  void begin(const Node & root, const std::vector<float> & own, float best, float debt, std::vector<float> & changed) const;
  void goOn(const Node & node, const std::vector<float> & own, float best, std::vector<float> & changed) const;

  whisper_context * context_;
  std::vector<Node> nodes_;
  int longest_ = 0;
};

}  // namespace stenobox
