#include "term-bias.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vector-math.h"
#include "whisper-access.h"

namespace stenobox {

namespace {

/// Above every token.
constexpr whisper_token kNone = std::numeric_limits<whisper_token>::max();

/// Roots of the tree: terms after a space, after a mark or nothing, and after anything because their script has no spaces.
enum Root { kSpaced, kBare, kAnywhere, kRoots };

/// Bonus for a term's first token and for each later one, in nats. Measured with Whisper base: see the decision in src/README.md.
constexpr float kBeginBonus = 3.0f;
constexpr float kGoOnBonus = 4.0f;
/// How far below the best token they may be to get it, in nats.
constexpr float kBeginMargin = 4.0f;
constexpr float kGoOnMargin = 5.0f;

bool isAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True for scripts without spaces between words: U+0E00 (Thai) to U+109F (Myanmar, with Lao and Tibetan between), Khmer, and from U+3040
/// on (kana and ideographs) except Hangul.
bool knowsNoSpaces(const std::string & text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned point = byte(0);
  if (point >= 0xF0) point = (point & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  else if (point >= 0xE0) point = (point & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  else return false;
  if (point >= 0xAC00 && point <= 0xD7AF) return false;
  const auto isIn = [&](unsigned from, unsigned to) { return point >= from && point <= to; };
  return isIn(0x0E00, 0x109F) || isIn(0x1780, 0x17FF) || isIn(0x3040, 0xA4CF) || isIn(0xF900, 0xFAFF) || isIn(0x20000, 0x3FFFF);
}

/// Tokenises a text as in training: the two neighbours whose union has the lowest number are joined first, as in OpenAI's tiktoken. Empty
/// when the vocabulary cannot spell it.
std::vector<whisper_token> tokenise(whisper_context & context, const std::string & text) {
  const whisper_token end = whisper_token_eot(&context);
  struct Piece {
    std::string bytes;
    /// The token of this piece joined with the next; kNone when there is none.
    whisper_token joined = kNone;
  };
  std::vector<Piece> pieces;
  for (char c : text) pieces.push_back({std::string(1, c)});
  const auto join = [&](size_t i) {
    if (i >= pieces.size()) return;
    const whisper_token found = i + 1 < pieces.size() ? findToken(context, pieces[i].bytes + pieces[i + 1].bytes) : -1;
    pieces[i].joined = found < 0 || found >= end ? kNone : found;
  };
  for (size_t i = 0; i < pieces.size(); ++i) join(i);
  for (;;) {
    const auto isLower = [](const Piece & a, const Piece & b) { return a.joined < b.joined; };
    const auto lowest = std::min_element(pieces.begin(), pieces.end(), isLower);
    if (lowest == pieces.end() || lowest->joined == kNone) break;
    const auto place = static_cast<size_t>(lowest - pieces.begin());
    pieces[place].bytes += pieces[place + 1].bytes;
    pieces.erase(lowest + 1);
    join(place);
    if (place > 0) join(place - 1);
  }
  std::vector<whisper_token> tokens;
  for (const Piece & piece : pieces) tokens.push_back(findToken(context, piece.bytes));
  if (std::find(tokens.begin(), tokens.end(), -1) != tokens.end()) return {};
  return tokens;
}

}  // namespace

TermBias::TermBias(whisper_context & context, const std::vector<std::string> & terms)
  : context_(&context), nodes_(kRoots) {
  for (std::string term : terms) {
    if (term.empty()) continue;
    add(" " + term, kSpaced);
    add(term, knowsNoSpaces(term) ? kAnywhere : kBare);
    // At the start of a sentence.
    if (term[0] < 'a' || term[0] > 'z') continue;
    term[0] = static_cast<char>(term[0] - 'a' + 'A');
    add(" " + term, kSpaced);
    add(term, kBare);
  }
}

void TermBias::add(const std::string & text, int root) {
  const std::vector<whisper_token> tokens = tokenise(*context_, text);
  if (tokens.empty()) return;
  int place = root;
  for (whisper_token token : tokens) {
    const auto found = nodes_[place].next.find(token);
    int next = found == nodes_[place].next.end() ? -1 : found->second;
    if (next < 0) {
      next = static_cast<int>(nodes_.size());
      nodes_[place].next[token] = next;
      nodes_.emplace_back();
    }
    place = next;
  }
  nodes_[place].isEnd = true;
  longest_ = std::max(longest_, static_cast<int>(tokens.size()));
}

bool TermBias::mayBeginBare(const whisper_token_data * tokens, int count) const {
  if (count == 0) return true;
  const std::string & before = tokenBytes(*context_, tokens[count - 1].id);
  if (tokens[count - 1].id >= whisper_token_eot(context_) || before.empty()) return true;
  return !isAsciiLetter(before.back()) && !(before.back() & 0x80);
}

/// Longest first. Tokens that complete a term still belong to it while a longer term may follow.
std::vector<TermBias::Begun> TermBias::begunIn(const whisper_token_data * tokens, int count) const {
  std::vector<Begun> begun;
  for (int start = std::max(0, count - longest_); start < count; ++start) {
    for (int root = 0; root < kRoots; ++root) {
      if (root == kBare && !mayBeginBare(tokens, start)) continue;
      Begun term {root, start};
      int i = start;
      for (; i < count; ++i) {
        const auto found = nodes_[term.node].next.find(tokens[i].id);
        if (found == nodes_[term.node].next.end()) break;
        term.node = found->second;
        if (nodes_[term.node].isEnd) term.firstOpen = i + 1;
      }
      if (i == count) begun.push_back(term);
    }
  }
  return begun;
}

bool TermBias::isIn(const std::vector<whisper_token_data> & tokens) const {
  for (size_t start = 0; start < tokens.size(); ++start) {
    for (int root = 0; root < kRoots; ++root) {
      if (root == kBare && !mayBeginBare(tokens.data(), static_cast<int>(start))) continue;
      int node = root;
      for (size_t i = start; i < tokens.size() && !nodes_[node].isEnd; ++i) {
        const auto found = nodes_[node].next.find(tokens[i].id);
        if (found == nodes_[node].next.end()) break;
        node = found->second;
      }
      if (nodes_[node].isEnd) return true;
    }
  }
  return false;
}

/// `debt`: the bonus, in nats, of tokens that are abandoned if one of these follows.
void TermBias::begin(const Node & root, const std::vector<float> & own, float best, float debt, std::vector<float> & changed) const {
  for (const auto & [token, next] : root.next) {
    if (own[token] < best - kBeginMargin) continue;
    changed[token] = std::max(changed[token], std::min(0.0f, own[token] + kBeginBonus) - debt);
  }
}

void TermBias::goOn(const Node & node, const std::vector<float> & own, float best, std::vector<float> & changed) const {
  for (const auto & [token, next] : node.next) {
    // Continuing a term keeps its bonus.
    const float bonus = own[token] < best - kGoOnMargin ? 0.0f : kGoOnBonus;
    changed[token] = std::max(changed[token], std::min(0.0f, own[token] + bonus));
  }
}

void TermBias::apply(const whisper_token_data * tokens, int count, std::vector<float> & logProbabilities) const {
  if (longest_ == 0) return;
  const std::vector<float> own = logProbabilities;
  const float best = maximum(own.data(), own.size());
  const std::vector<Begun> begun = begunIn(tokens, count);
  float debt = 0;
  if (!begun.empty()) {
    for (int i = begun[0].firstOpen; i < count; ++i) debt += std::max(0.0f, tokens[i].plog - std::log(std::max(tokens[i].p, 1e-30f)));
  }
  if (debt > 0) {
    for (float & value : logProbabilities) value -= debt;
  }
  for (int root = 0; root < kRoots; ++root) {
    if (root != kBare || mayBeginBare(tokens, count)) begin(nodes_[root], own, best, debt, logProbabilities);
  }
  for (const Begun & term : begun) goOn(nodes_[term.node], own, best, logProbabilities);
}

}  // namespace stenobox
