# Writes a copy of whisper.cpp in which some functions and calls are replaced by ours, which are in whisper-overrides.inc. Run as a script:
#   cmake -DSOURCE=… -DTARGET=… -P patch-whisper.cmake
# Every replaced text must occur exactly once, so that a different version of whisper.cpp fails here and not at run time.
file(READ "${SOURCE}" text)

function(replace_once old new)
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "patch-whisper.cmake: not there exactly once in this version of whisper.cpp: ${old}")
  endif()
  string(REPLACE "${old}" "${new}" patched "${text}")
  set(text "${patched}" PARENT_SCOPE)
endfunction()

# Replace a definition: the old function stays under another name, unused; callers find ours through the declaration in its place.
set(process_logits "static void whisper_process_logits(
              struct whisper_context & ctx,
               struct whisper_state  & state,
              struct whisper_decoder & decoder,
    const struct whisper_full_params   params,
                               float   temperature)")
replace_once("${process_logits} {" "${process_logits};
static void replaced_process_logits(
              struct whisper_context & ctx,
               struct whisper_state  & state,
              struct whisper_decoder & decoder,
    const struct whisper_full_params   params,
                               float   temperature) {")

set(sample_token "whisper_token_data whisper_sample_token(
            whisper_context & ctx,
      const whisper_decoder & decoder,
                       bool   best)")
replace_once("static ${sample_token} {" "static ${sample_token};
static whisper_token_data replaced_sample_token(
            whisper_context & ctx,
      const whisper_decoder & decoder,
                       bool   best) {")

set(sample_topk "whisper_sample_token_topk(
            whisper_context & ctx,
            whisper_decoder & decoder,
                        int   k)")
replace_once("static std::vector<whisper_token_data> ${sample_topk} {" "static std::vector<whisper_token_data> ${sample_topk};
static std::vector<whisper_token_data> replaced_sample_token_topk(
            whisper_context & ctx,
            whisper_decoder & decoder,
                        int   k) {")

set(encode_arguments
  "struct whisper_context & ctx, struct whisper_state & state, int seek, int threads, ggml_abort_callback stop, void * data")
replace_once("static struct ggml_cgraph * whisper_build_graph_conv(" "static bool stenobox_encode_window(${encode_arguments});
static struct ggml_cgraph * whisper_build_graph_conv(")
replace_once("whisper_encode_internal(*ctx, *state, seek, params.n_threads," "stenobox_encode_window(*ctx, *state, seek, params.n_threads,")

# On the CPU our own code computes, with its own weights; see whisper-processor.inc. Contexts and states hold what it needs.
replace_once("struct whisper_context {
    int64_t t_load_us  = 0;" "struct whisper_context {
    std::shared_ptr<const stenobox::Speech> stenobox_speech;
    int64_t t_load_us  = 0;")
replace_once("struct whisper_state {
    int64_t t_sample_us = 0;" "struct whisper_state {
    std::unique_ptr<stenobox::SpeechRoom> stenobox_room;
    int64_t t_sample_us = 0;")
replace_once("struct whisper_state * whisper_init_state(whisper_context * ctx) {
    whisper_state * state = new whisper_state;
" "static void stenobox_prepare_state(whisper_context & ctx, whisper_state & state);
struct whisper_state * whisper_init_state(whisper_context * ctx) {
    whisper_state * state = new whisper_state;
    if (!ctx->params.use_gpu) {
        stenobox_prepare_state(*ctx, *state);
        return state;
    }
")
replace_once("static bool whisper_encode_internal(
        whisper_context & wctx,
          whisper_state & wstate,
              const int   mel_offset,
              const int   n_threads,
    ggml_abort_callback   abort_callback,
                   void * abort_callback_data) {
" "static bool stenobox_encode(whisper_context & ctx, whisper_state & state, int seek, int threads, ggml_abort_callback stop, void * data);
static bool whisper_encode_internal(
        whisper_context & wctx,
          whisper_state & wstate,
              const int   mel_offset,
              const int   n_threads,
    ggml_abort_callback   abort_callback,
                   void * abort_callback_data) {
    if (!wctx.params.use_gpu) return stenobox_encode(wctx, wstate, mel_offset, n_threads, abort_callback, abort_callback_data);
")
replace_once("static bool whisper_decode_internal(
        whisper_context & wctx,
          whisper_state & wstate,
    const whisper_batch & batch,
              const int   n_threads,
                   bool   save_alignment_heads_QKs,
    ggml_abort_callback   abort_callback,
                   void * abort_callback_data) {
" "static bool stenobox_decode(whisper_context & ctx, whisper_state & state, const whisper_batch & batch, bool aligns,
                            ggml_abort_callback stop, void * data);
static bool whisper_decode_internal(
        whisper_context & wctx,
          whisper_state & wstate,
    const whisper_batch & batch,
              const int   n_threads,
                   bool   save_alignment_heads_QKs,
    ggml_abort_callback   abort_callback,
                   void * abort_callback_data) {
    if (!wctx.params.use_gpu) return stenobox_decode(wctx, wstate, batch, save_alignment_heads_QKs, abort_callback, abort_callback_data);
")
# On the CPU a cache is only its list of cells.
replace_once("    const int64_t n_mem      = n_text_layer*n_ctx;
" "    if (backend == nullptr) {
        cache.head = 0;
        cache.size = n_ctx;
        cache.cells.clear();
        cache.cells.resize(n_ctx);
        return true;
    }
    const int64_t n_mem      = n_text_layer*n_ctx;
")
replace_once("    cache.head = 0;

    ggml_backend_buffer_clear(cache.buffer, 0);" "    cache.head = 0;

    if (cache.buffer != nullptr) ggml_backend_buffer_clear(cache.buffer, 0);")
# On the CPU weights are read as they are in the file.
replace_once("    auto * cpu_reg = ggml_backend_dev_backend_reg(cpu_dev);
    auto get_extra_bufts_fn = (ggml_backend_dev_get_extra_bufts_t)
        ggml_backend_reg_get_proc_address(cpu_reg, \"ggml_backend_dev_get_extra_bufts\");
    if (get_extra_bufts_fn) {" "    auto * cpu_reg = ggml_backend_dev_backend_reg(cpu_dev);
    auto get_extra_bufts_fn = (ggml_backend_dev_get_extra_bufts_t)
        ggml_backend_reg_get_proc_address(cpu_reg, \"ggml_backend_dev_get_extra_bufts\");
    if (get_extra_bufts_fn && params.use_gpu) {")

# On a GPU the encoder uses fused attention, whatever the decoder uses.
replace_once("            if (wctx.params.flash_attn) {
                ggml_build_forward_expand(gf, ggml_cpy(ctx0, Kcur, ggml_view_1d(ctx0, kv_pad.k" "            if (true) {
                ggml_build_forward_expand(gf, ggml_cpy(ctx0, Kcur, ggml_view_1d(ctx0, kv_pad.k")

# Candidates are distinct tokens now, so equal sequences come from equal beams in the first step too.
replace_once("whisper_sequence_tokens_equal(beam_candidates[cur_c].sequence, cur.sequence) && i > 0)"
  "whisper_sequence_tokens_equal(beam_candidates[cur_c].sequence, cur.sequence))")

set(spectrogram_arguments "(int ith, const float * hann, const std::vector<float> & samples,
                                              int n_samples, int frame_size, int frame_step, int n_threads,
                                              const whisper_filters & filters, whisper_mel & mel)")
replace_once("static void log_mel_spectrogram_worker_thread${spectrogram_arguments} {"
  "static void log_mel_spectrogram_worker_thread${spectrogram_arguments};
static void replaced_log_mel_spectrogram_worker_thread${spectrogram_arguments} {")

set(dtw_arguments "(
            struct whisper_context * ctx,
              struct whisper_state * state,
        struct whisper_full_params   params,
                               int   i_segment,
                            size_t   n_segments,
                               int   seek,
                               int   n_frames,
                               int   medfilt_width,
                               int   n_threads)")
replace_once("static void whisper_exp_compute_token_level_timestamps_dtw${dtw_arguments}
{" "static void replaced_exp_compute_token_level_timestamps_dtw${dtw_arguments}
{")

# Only the alignment pass uses the alignment heads.
replace_once("if (wctx.params.dtw_token_timestamps) {
                    if (wstate.aheads_masks" "if (save_alignment_heads_QKs) {
                    if (wstate.aheads_masks")

# The alignment pass needs no next word, and a row of logits for each of its tokens would take 26 MB.
replace_once("struct ggml_tensor * logits = ggml_mul_mat(ctx0, model.d_te, cur);"
  "struct ggml_tensor * logits = ggml_mul_mat(ctx0, model.d_te,
            save_alignment_heads_QKs ? ggml_view_2d(ctx0, cur, cur->ne[0], 1, cur->nb[1], 0) : cur);")
replace_once("    logits_out.resize(n_tokens*n_vocab);
    for (int i = 0; i < n_tokens; i++) {" "    if (!save_alignment_heads_QKs) {
        logits_out.resize(n_tokens*n_vocab);
    }
    for (int i = 0; i < n_tokens && !save_alignment_heads_QKs; i++) {")

file(WRITE "${TARGET}" "${text}")
