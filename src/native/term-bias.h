// Helps the decoder to spell expected names and terms.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "whisper.h"

namespace stenobox {

/// Shallow fusion with a tree of the terms' tokens. A token that continues a term gets a bonus if the model finds it nearly as likely as
/// its best token; the bonus is taken back if the term breaks off. So a term wins over similar sounds but is not invented.
class TermBias {
 public:
  /// `terms`: in UTF-8, correctly spelled. The context must outlive this object.
  TermBias(whisper_context & context, const std::vector<std::string> & terms);

  /// Adjusts the log-probabilities of the token after the first `count` of `tokens`: one for each token of the vocabulary. The tokens hold
  /// the model's probability (`p`) and the adjusted one (`plog`). No value exceeds 0.
  void apply(const whisper_token_data * tokens, int count, std::vector<float> & logProbabilities) const;

  /// True when `tokens` contain one of the terms.
  bool isIn(const std::vector<whisper_token_data> & tokens) const;

 private:
  struct Node {
    std::unordered_map<whisper_token, int> next;
    bool isEnd = false;
  };
  /// A term that has begun: its place in the tree, and the first token after the last completed term.
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
