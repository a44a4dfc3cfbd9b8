# Writes a copy of whisper.cpp in which a few functions and calls give way to ours; whisper-overrides.inc holds what takes their place.
# Run as a script: cmake -DSOURCE=… -DTARGET=… -P patch-whisper.cmake
# Every replaced text must be there exactly once, so that another version of whisper.cpp fails here and not at run time.
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

# A definition makes way: the old one stays under another name, unused; callers find ours through the declaration left in its place.
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

set(encode_arguments "struct whisper_context & ctx, struct whisper_state & state, int seek, int threads, ggml_abort_callback stop, void * data")
replace_once("static struct ggml_cgraph * whisper_build_graph_conv(" "static bool stenobox_encode_window(${encode_arguments});
static struct ggml_cgraph * whisper_build_graph_conv(")
replace_once("whisper_encode_internal(*ctx, *state, seek, params.n_threads," "stenobox_encode_window(*ctx, *state, seek, params.n_threads,")

# The encoder's attention: ours on a processor, fused on a GPU, whatever the decoder does.
replace_once("static struct ggml_cgraph * whisper_build_graph_encoder(" "static struct ggml_tensor * stenobox_encoder_attention(
    struct ggml_context * ctx, const whisper_hparams & hparams, struct ggml_tensor * queries, struct ggml_tensor * keys, struct ggml_tensor * values);
static struct ggml_cgraph * whisper_build_graph_encoder(")
replace_once("            if (wctx.params.flash_attn) {
                ggml_build_forward_expand(gf, ggml_cpy(ctx0, Kcur, ggml_view_1d(ctx0, kv_pad.k" "            if (!wctx.params.use_gpu) {
                cur = stenobox_encoder_attention(ctx0, hparams, Qcur, Kcur, Vcur);
            } else if (true) {
                ggml_build_forward_expand(gf, ggml_cpy(ctx0, Kcur, ggml_view_1d(ctx0, kv_pad.k")

# Candidates are distinct tokens now, so equal sequences come of equal beams in the first step too.
replace_once("whisper_sequence_tokens_equal(beam_candidates[cur_c].sequence, cur.sequence) && i > 0)" "whisper_sequence_tokens_equal(beam_candidates[cur_c].sequence, cur.sequence))")

set(spectrogram_arguments "(int ith, const float * hann, const std::vector<float> & samples,
                                              int n_samples, int frame_size, int frame_step, int n_threads,
                                              const whisper_filters & filters, whisper_mel & mel)")
replace_once("static void log_mel_spectrogram_worker_thread${spectrogram_arguments} {" "static void log_mel_spectrogram_worker_thread${spectrogram_arguments};
static void replaced_log_mel_spectrogram_worker_thread${spectrogram_arguments} {")

set(median_filter_arguments "(struct ggml_tensor * dst , const struct ggml_tensor * a, int ith, int /*nth*/, void * userdata)")
replace_once("static void median_filter${median_filter_arguments} {" "static void median_filter${median_filter_arguments};
static void replaced_median_filter${median_filter_arguments} {")

# A stopped computation leaves it by an exception.
replace_once("    struct ggml_context * gctx = ggml_init(gparams);

    // Build token sequence" "    const ggml_context_ptr gctx_owner { ggml_init(gparams) };
    struct ggml_context * gctx = gctx_owner.get();

    // Build token sequence")
replace_once("    ggml_free(gctx);
}" "}")

# Only the pass that aligns looks at the alignment heads.
replace_once("if (wctx.params.dtw_token_timestamps) {
                    if (wstate.aheads_masks" "if (save_alignment_heads_QKs) {
                    if (wstate.aheads_masks")

# That pass needs no next word, and a row of logits for each of its tokens would be 26 MB.
replace_once("struct ggml_tensor * logits = ggml_mul_mat(ctx0, model.d_te, cur);" "struct ggml_tensor * logits = ggml_mul_mat(ctx0, model.d_te,
            save_alignment_heads_QKs ? ggml_view_2d(ctx0, cur, cur->ne[0], 1, cur->nb[1], 0) : cur);")
replace_once("    logits_out.resize(n_tokens*n_vocab);
    for (int i = 0; i < n_tokens; i++) {" "    if (!save_alignment_heads_QKs) {
        logits_out.resize(n_tokens*n_vocab);
    }
    for (int i = 0; i < n_tokens && !save_alignment_heads_QKs; i++) {")

# Values of cross-attention in rows of 1504 instead of 1500: the fast product of matrices takes multiples of 32 only. What fills up is multiplied by 0.
replace_once("v = ggml_view_2d(ctx0, wstate.kv_cross.v, n_ctx, n_state,
                    (   n_ctx)*ggml_element_size(wstate.kv_cross.v),
                    (il*n_ctx)*ggml_element_size(wstate.kv_cross.v)*n_state);" "v = ggml_view_2d(ctx0, wstate.kv_cross.v, n_ctx, n_state,
                    (   GGML_PAD(n_ctx, 32))*ggml_element_size(wstate.kv_cross.v),
                    (il*GGML_PAD(n_ctx, 32))*ggml_element_size(wstate.kv_cross.v)*n_state);")
replace_once("                            n_audio_ctx, n_state_head, n_head,
                            n_audio_ctx*ggml_element_size(wstate.kv_cross.v),
                            n_audio_ctx*ggml_element_size(wstate.kv_cross.v)*n_state_head,
                            n_audio_ctx*ggml_element_size(wstate.kv_cross.v)*n_state*il);" "                            GGML_PAD(n_audio_ctx, 32), n_state_head, n_head,
                            GGML_PAD(n_audio_ctx, 32)*ggml_element_size(wstate.kv_cross.v),
                            GGML_PAD(n_audio_ctx, 32)*ggml_element_size(wstate.kv_cross.v)*n_state_head,
                            GGML_PAD(n_audio_ctx, 32)*ggml_element_size(wstate.kv_cross.v)*n_state*il);")
replace_once("ggml_mul_mat(ctx0, Vcross, KQ_soft_max);" "ggml_mul_mat(ctx0, Vcross, stenobox_fill_rows(ctx0, wctx, KQ_soft_max, GGML_PAD(n_audio_ctx, 32)));")
replace_once("static struct ggml_cgraph * whisper_build_graph_decoder(" "static struct ggml_tensor * stenobox_fill_rows(struct ggml_context * ctx, const whisper_context & wctx, struct ggml_tensor * tensor, int columns);
static struct ggml_cgraph * whisper_build_graph_decoder(")

# The alignment's graph, too, is computed by the one thread that asked for it, and not by as many as ggml thinks fit.
replace_once("    ggml_backend_graph_compute(backend.get(), gf);

    ggml_tensor * alignment" "    stenobox_set_threads(backend.get(), n_threads);
    ggml_backend_graph_compute(backend.get(), gf);

    ggml_tensor * alignment")
replace_once("// dtw + backtrace to return found path" "static void stenobox_set_threads(ggml_backend_t backend, int threads);
// dtw + backtrace to return found path")

# The same for self-attention, whose rows are as long as there are tokens; what is beyond them is masked.
replace_once("    if (!wctx.params.flash_attn || !wctx.params.use_gpu) {
        return 1u;
    }" "    if (!wctx.params.flash_attn || !wctx.params.use_gpu) {
        return 32u;
    }")

file(WRITE "${TARGET}" "${text}")
